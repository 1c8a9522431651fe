//! Comparisons: two results, or two variants of one, instance by instance.
//!
//! Two variants that ran on the same instances are compared by their differences on each of them: instances differ more than
//! variants do, and what an instance adds to both sides drops out. [`compare`] pairs rows, and gives for each group of
//! label and variant columns and each metric the mean and median of differences (B - A) and ratios (B / A) with bootstrap
//! confidence intervals, and how often B is better.
//!
//! Sources: B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993: chapter 13 for the percentile
//! interval, 14.3 for the bias-corrected and accelerated one (BCa).

mod pairing;
mod report;
mod selection;

use crate::column::{Column, Role, RowType};
use crate::data::DataFrame;
use crate::fields::unknown;
use crate::groups::{Group, GroupKey, Loads, block, by_block, groups};
use crate::parallel::in_parallel;
use crate::ranking::Duel;
use crate::results::{Results, ResultsError};
use crate::table::{Bootstrap, Confidence, Estimates};
use dfrsim_model::Seed;
use pairing::{Pairing, pair};
use schemars::JsonSchema;
use selection::{Selection, Sides};
use serde::Serialize;

/// The selection and options of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Which variants are taken from A: values of variant columns, as `COLUMN=VALUE` or, where only one column has it, as
    /// the value alone. All if there are none.
    pub variant: Vec<String>,
    /// Which ones take their place in B; columns that are not named here are as in A.
    pub with: Vec<String>,
    /// The names of the metrics; the primary one if there are none.
    pub metrics: Vec<String>,
    /// The seed of the bootstrap.
    pub seed: u64,
    /// How many resamples an interval is made from; at least one.
    pub resamples: usize,
    /// The confidence of intervals.
    pub confidence: Confidence,
}

impl Default for CompareOptions {
    /// The primary metric of all variants, 10,000 resamples, 95 %.
    fn default() -> CompareOptions {
        CompareOptions {
            variant: Vec::new(),
            with: Vec::new(),
            metrics: Vec::new(),
            seed: 1,
            resamples: 10_000,
            confidence: Confidence::default(),
        }
    }
}

/// Why two results cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A or B cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// They are of different studies.
    #[error("expected two results of the same study: A has results of `{a}`, B of `{b}`")]
    Studies {
        /// The study of A.
        a: String,
        /// The study of B.
        b: String,
    },
    /// A variant or a metric is not there.
    #[error("{0}")]
    Unknown(String),
    /// No row of the one belongs to a row of the other.
    #[error(
        "no row of A ({only_in_a}) has the labels, instance and variant of a row of B ({only_in_b}){}",
        if *other_instances > 0 { format!("; {other_instances} pairs have the same names, but the contents of their instances differ") } else { String::new() }
    )]
    NoPairs {
        /// Rows of A.
        only_in_a: usize,
        /// Rows of B.
        only_in_b: usize,
        /// Pairs with the same names whose instances differ.
        other_instances: usize,
    },
}

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How it was made.
    pub options: CompareOptions,
    /// Each type of rows that has pairs.
    pub parts: Vec<ComparedRows>,
}

/// The rows of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRows {
    /// The type.
    pub row_type: &'static RowType,
    /// The variant columns in which B was selected apart from A.
    pub with: Vec<&'static Column>,
    /// Each group with each metric.
    pub groups: Vec<GroupComparison>,
    /// What is not in them.
    pub left_out: LeftOut,
}

/// What is not in the groups of a comparison: events of a run, for example, are several rows of one variant, without counterparts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Rows without a counterpart.
    pub only_in_a: usize,
    /// Rows without a counterpart.
    pub only_in_b: usize,
    /// Pairs of instances with the same name and other contents, left out.
    pub other_instances: usize,
    /// Rows that are not the only ones of their instance and variant, left out.
    pub repeated: usize,
    /// Pairs with a failed run.
    pub failed: usize,
}

/// One metric of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupComparison {
    /// The group, with the variant of A; what matters to B only is from B.
    pub key: GroupKey,
    /// The values of B in the columns in which it was selected apart from A.
    pub with: Vec<String>,
    /// Whether it has several values of a numeric label, which have groups of their own.
    pub is_together: bool,
    /// The metric.
    pub metric: &'static Column,
    /// The pairs in which both have a value, in the order of A.
    pub pairs: Vec<Pair>,
    /// How often A alone has a value.
    pub only_a: usize,
    /// How often B alone has one.
    pub only_b: usize,
    /// In how many pairs B is better, equal and worse.
    pub duel: Duel,
    /// The differences B - A; `None` without pairs.
    pub difference: Option<Estimates>,
    /// The ratios B / A of those pairs in which both are above zero, with their geometric mean, and that of the two in the
    /// middle where the median is between them; `None` if there is no such pair.
    pub ratio: Option<Estimates>,
    /// Of how many pairs.
    pub ratios: usize,
}

/// A metric on one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The values of the instance columns.
    pub instance: Vec<String>,
    /// The instances of equal blocks are not independent evidence: one trace at several loads.
    block: String,
    /// The metric in A.
    pub a: f64,
    /// The metric in B.
    pub b: f64,
}

impl Pair {
    /// B - A.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
    /// B / A, if both are above zero.
    pub fn ratio(&self) -> Option<f64> {
        (self.a > 0.0 && self.b > 0.0).then(|| self.b / self.a)
    }
}

/// Compares two results, which may be the same with two variants of it.
///
/// The intervals depend on the rows and the options only, those of one group not on what other groups there are.
///
/// # Errors
/// If a file is not what the run wrote, a variant or metric is not there, or no rows belong together.
pub fn compare(
    a: &Results<'_>,
    b: &Results<'_>,
    options: &CompareOptions,
) -> Result<Comparison, CompareError> {
    if a.manifest.study != b.manifest.study {
        let (a, b) = (a.manifest.study.clone(), b.manifest.study.clone());
        return Err(CompareError::Studies { a, b });
    }
    let (frames_a, frames_b) = (a.rows()?, b.rows()?);
    [&frames_a, &frames_b].into_iter().try_for_each(|frames| check_metrics(frames, &options.metrics))?;
    let (files_a, files_b) = (a.instances()?, b.instances()?);
    let mut parts = Vec::new();
    let (mut only_in_a, mut only_in_b, mut other_instances) = (0, 0, 0);
    let mut unknown_selection = None;
    for frame_a in &frames_a {
        let Some(frame_b) = frames_b.iter().find(|frame| frame.row_type.name == frame_a.row_type.name) else {
            continue;
        };
        let mut metrics = metrics(frame_a, &options.metrics);
        metrics.retain(|&metric| frame_b.columns().get(metric) == frame_a.columns().get(metric));
        if metrics.is_empty() {
            continue;
        }
        let sides = match Sides::new((frame_a, &a.folder), (frame_b, &b.folder), options) {
            Ok(sides) => sides,
            Err(message) => {
                unknown_selection.get_or_insert(message);
                continue;
            }
        };
        let pairing = pair((frame_a, &files_a), (frame_b, &files_b), &sides);
        if pairing.pairs.is_empty() {
            let left_out = &pairing.left_out;
            only_in_a += left_out.only_in_a + left_out.other_instances;
            only_in_b += left_out.only_in_b + left_out.other_instances;
            other_instances += left_out.other_instances;
        } else {
            parts.push(compare_rows(frame_a, frame_b, &sides.with, pairing, &metrics, options));
        }
    }
    match (parts.is_empty(), unknown_selection) {
        (true, Some(message)) if only_in_a + only_in_b == 0 => Err(CompareError::Unknown(message)),
        (true, _) => Err(CompareError::NoPairs { only_in_a, only_in_b, other_instances }),
        (false, _) => Ok(Comparison { options: options.clone(), parts }),
    }
}

/// That each of the names is a metric of some type of rows.
fn check_metrics(frames: &[DataFrame], names: &[String]) -> Result<(), CompareError> {
    let known = || frames.iter().flat_map(DataFrame::columns).filter(|column| column.is_metric());
    let wrong = names.iter().find(|name| !known().any(|column| column.name == name.as_str()));
    let message = |name: &String| {
        let known: Vec<&str> = known().map(|column| column.name).collect();
        CompareError::Unknown(unknown("metric", name, known))
    };
    wrong.map_or(Ok(()), |name| Err(message(name)))
}

/// The places of these metrics in a frame, or that of the primary one.
fn metrics(frame: &DataFrame, names: &[String]) -> Vec<usize> {
    if names.is_empty() {
        return frame.primary().into_iter().collect();
    }
    let is_wanted = |column: &usize| names.iter().any(|name| name == frame.columns()[*column].name);
    frame.metrics().into_iter().filter(is_wanted).collect()
}

fn compare_rows(
    a: &DataFrame,
    b: &DataFrame,
    with: &[Selection],
    pairing: Pairing,
    metrics: &[usize],
    options: &CompareOptions,
) -> ComparedRows {
    let Pairing { pairs, codes_a, codes_b, left_out } = pairing;
    let variants = a.with_role(&[Role::Variant]);
    let setting = |at: usize| {
        let (of_a, of_b) = pairs[at];
        let codes = variants.iter().flat_map(|column| [codes_a[*column][of_a], codes_b[*column][of_b]]);
        codes.collect::<Vec<u64>>()
    };
    let text = |at: usize, column| {
        let (of_a, of_b) = pairs[at];
        let own = a.text(of_a, column);
        if own.is_empty() && variants.contains(&column) { b.text(of_b, column) } else { own }
    };
    let places: Vec<usize> = (0..pairs.len()).collect();
    let groups = groups(a, &places, Loads::Both, &|at| pairs[at].0, &setting, &text);
    let compared = in_parallel(groups.len() * metrics.len(), |at| {
        let (group, metric) = (&groups[at / metrics.len()], metrics[at % metrics.len()]);
        let of_b = pairs[group.items[0]].1;
        let with = with.iter().map(|selection| b.text(of_b, selection.column)).collect();
        compare_group((a, b, &pairs), group, metric, with, options)
    });
    let is_failure =
        |(of_a, of_b): &&(usize, usize)| a.status[*of_a].is_failure() || b.status[*of_b].is_failure();
    ComparedRows {
        row_type: a.row_type,
        with: with.iter().map(|selection| &a.columns()[selection.column]).collect(),
        groups: compared,
        left_out: LeftOut { failed: pairs.iter().filter(is_failure).count(), ..left_out },
    }
}

fn compare_group(
    (a, b, pairs): (&DataFrame, &DataFrame, &[(usize, usize)]),
    group: &Group,
    metric: usize,
    with: Vec<String>,
    options: &CompareOptions,
) -> GroupComparison {
    let column = &a.columns()[metric];
    let rows = group.items.iter().map(|&at| pairs[at]);
    let values = rows.map(|(of_a, of_b)| (of_a, a.number(of_a, metric), b.number(of_b, metric)));
    let (mut pairs, mut only_a, mut only_b) = (Vec::new(), 0, 0);
    for (row, of_a, of_b) in values {
        match (of_a, of_b) {
            (Some(of_a), Some(of_b)) => pairs.push(pair_on(a, row, of_a, of_b)),
            (Some(_), None) => only_a += 1,
            (None, Some(_)) => only_b += 1,
            (None, None) => {}
        }
    }
    let path = [&group.key.to_string(), &with.join(", "), column.name];
    let seed = path.iter().fold(Seed::new(options.seed).fork("compare"), |seed, name| seed.fork(name));
    let bootstrap = |stream: &str| Bootstrap {
        seed: seed.fork(stream),
        resamples: options.resamples,
        confidence: options.confidence,
    };
    let differences = by_block(pairs.iter().map(|pair| (&*pair.block, pair.difference())).collect());
    let logarithms = pairs.iter().filter_map(|pair| Some((&*pair.block, pair.ratio()?.ln())));
    let logarithms = by_block(logarithms.collect());
    GroupComparison {
        key: group.key.clone(),
        with,
        is_together: group.is_together,
        metric: column,
        only_a,
        only_b,
        duel: Duel::of(column, pairs.iter().map(|pair| (pair.b, pair.a))),
        difference: bootstrap("difference").estimates(&differences),
        ratio: bootstrap("ratio").estimates(&logarithms).map(|estimates| estimates.map(f64::exp)),
        ratios: logarithms.iter().map(Vec::len).sum(),
        pairs,
    }
}

/// The values of a row of A and its counterpart, with the name of their instance.
fn pair_on(frame: &DataFrame, row: usize, a: f64, b: f64) -> Pair {
    let texts = frame.with_role(&[Role::Instance]).into_iter().map(|column| frame.text(row, column));
    let instance: Vec<String> = texts.collect();
    Pair { instance, block: block(frame, row), a, b }
}
