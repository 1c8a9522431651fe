//! Paired comparison of two results, or of two variants of one result.
//!
//! Two variants that ran on the same instances are compared by their differences on each instance.
//! Instances differ more than variants do, and pairing removes the variation between instances.
//! [`compare`] pairs rows. For each group of label and variant columns and each metric it gives mean
//! and median of the differences (B - A) and ratios (B / A) and the ratio of the means with bootstrap
//! confidence intervals, and the number of pairs in which B is better.
//!
//! Sources: B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993: chapter 13 for
//! the percentile interval, 14.3 for the bias-corrected and accelerated one (BCa).

mod pairing;
mod report;
mod selection;

use crate::column::{Column, Role, RowType};
use crate::data::DataFrame;
use crate::fields::unknown;
use crate::groups::{Group, GroupKey, LoadPooling, block, by_block, groups};
use crate::parallel::in_parallel;
use crate::population::PopulationColumns;
use crate::ranking::PairedComparison;
use crate::results::{Results, ResultsError};
use crate::table::{Bootstrap, Confidence, Estimate, Estimates};
use dfrsim_model::Seed;
use pairing::{Pairing, pair};
use schemars::JsonSchema;
use selection::{SelectedVariants, Selection};
use serde::Serialize;
use std::collections::BTreeSet;

/// Selection of variants and metrics, and bootstrap options of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// Variants selected from A: values of variant columns, as `COLUMN=VALUE` or, if only one column
    /// has the value, as the value alone. All variants if empty.
    pub variant: Vec<String>,
    /// Variants selected from B instead; columns that are not named here are as in A.
    pub with: Vec<String>,
    /// Names of the metrics; the primary one if empty.
    pub metrics: Vec<String>,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Number of bootstrap resamples per interval; at least one.
    pub resamples: usize,
    /// Confidence level of the intervals.
    pub confidence: Confidence,
}

impl Default for CompareOptions {
    /// Returns options for the primary metric of all variants, 10,000 resamples and 95 % confidence.
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

/// Reason why two results cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A or B cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A and B are results of different studies.
    #[error("A and B must be results of the same study, but A is of `{a}` and B of `{b}`")]
    Studies {
        /// Study of A.
        a: String,
        /// Study of B.
        b: String,
    },
    /// A selected variant or metric does not exist.
    #[error("{0}")]
    Unknown(String),
    /// No row of A has a counterpart in B.
    #[error(
        "none of the rows of A ({only_in_a}) and B ({only_in_b}) have the same labels, instance and variant{}{}",
        if differing.is_empty() { String::new() } else { format!("; they have no value in common in {}", differing.join(", ")) },
        if *other_instances > 0 { format!("; {other_instances} pairs have the same names, but the contents of their instances differ") } else { String::new() }
    )]
    NoPairs {
        /// Number of rows of A.
        only_in_a: usize,
        /// Number of rows of B.
        only_in_b: usize,
        /// Number of pairs with equal names whose instances differ.
        other_instances: usize,
        /// Columns in which A and B have no value in common, with one value of each.
        differing: Vec<String>,
    },
}

/// Outcome of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Options of the comparison.
    pub options: CompareOptions,
    /// Row types that have pairs.
    pub parts: Vec<ComparedRows>,
}

/// Comparison of the rows of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRows {
    /// Row type that both sides have.
    pub row_type: &'static RowType,
    /// Variant columns in which the selection of B differs from that of A.
    pub separate_columns: Vec<&'static Column>,
    /// Comparisons, for each group and metric.
    pub groups: Vec<GroupComparison>,
    /// Counts of rows and pairs that were not compared.
    pub left_out: LeftOut,
}

/// Counts of rows and pairs that were not compared. For example, the events of a run are several
/// rows of one variant and have no counterparts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Rows of A without a counterpart.
    pub only_in_a: usize,
    /// Rows of B without a counterpart.
    pub only_in_b: usize,
    /// Pairs whose instances have equal names but different contents.
    pub other_instances: usize,
    /// Rows that share instance and variant with another row of the same results.
    pub repeated: usize,
    /// Pairs with a failed run.
    pub failed: usize,
}

/// Comparison of one metric in one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupComparison {
    /// The group, with the variant of A; a column that has a value only in B shows that of B.
    pub key: GroupKey,
    /// Values of B in the columns in which it was selected separately from A.
    pub with: Vec<String>,
    /// True if the group pools several values of a label, each of which also has a group of its own.
    pub is_pooled: bool,
    /// Metric whose values are compared.
    pub metric: &'static Column,
    /// Pairs in which both sides have a value, in the order of A.
    pub pairs: Vec<Pair>,
    /// Number of pairs in which only A has a value.
    pub only_a: usize,
    /// Number of pairs in which only B has a value.
    pub only_b: usize,
    /// Numbers of pairs in which B is better, equal and worse.
    pub outcomes: PairedComparison,
    /// Differences B - A; `None` without pairs.
    pub difference: Option<Estimates>,
    /// Ratios B / A of the pairs in which both values are positive. The mean is geometric, and so is
    /// the median of an even number of pairs. `None` if there is no such pair.
    pub ratio: Option<Estimates>,
    /// Ratio of the mean of B to that of A over all pairs, of values that are not negative; `None`
    /// without pairs, if a value is negative, or if A is zero in too many of them.
    pub ratio_of_means: Option<Estimate>,
    /// Number of pairs in `ratio`.
    pub ratios: usize,
    /// Number of pairs in which the values of A and B are of different numbers of the same jobs, by
    /// more than a hundredth.
    pub other_jobs: usize,
}

/// Values of a metric on one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Values of the instance columns.
    pub instance: Vec<String>,
    /// Name of the block. Instances of one block are not statistically independent: one trace at
    /// several loads.
    block: String,
    /// Value in A.
    pub a: f64,
    /// Value in B.
    pub b: f64,
}

impl Pair {
    /// Returns B - A.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }
    /// Returns B / A if both values are positive.
    pub fn ratio(&self) -> Option<f64> {
        (self.a > 0.0 && self.b > 0.0).then(|| self.b / self.a)
    }
}

/// Compares two results, or two variants of the same results.
///
/// The intervals depend on the rows and the options only. Those of one group do not depend on the
/// other groups.
///
/// # Errors
/// Returns an error if a file differs from what the run wrote, a variant or metric does not exist,
/// or no rows can be paired.
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
    let (mut unknown_selection, mut differing) = (None, Vec::new());
    for frame_a in &frames_a {
        let Some(frame_b) = frames_b.iter().find(|frame| frame.row_type.name == frame_a.row_type.name) else {
            continue;
        };
        let mut metrics = metrics(frame_a, &options.metrics);
        metrics.retain(|&metric| frame_b.columns().get(metric) == frame_a.columns().get(metric));
        if metrics.is_empty() {
            continue;
        }
        let sides = match SelectedVariants::new((frame_a, &a.folder), (frame_b, &b.folder), options) {
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
            differing.extend(disjoint_columns(frame_a, frame_b, &sides));
        } else {
            parts.push(compare_rows(frame_a, frame_b, &sides.with, pairing, &metrics, options));
        }
    }
    match (parts.is_empty(), unknown_selection) {
        (true, Some(message)) if only_in_a + only_in_b == 0 => Err(CompareError::Unknown(message)),
        (true, _) => Err(CompareError::NoPairs { only_in_a, only_in_b, other_instances, differing }),
        (false, _) => Ok(Comparison { options: options.clone(), parts }),
    }
}

/// Describes the columns in which rows are paired and no selected row of A has the value of one of B. A
/// variant may differ from another one in more columns than the one by which it was selected.
fn disjoint_columns(a: &DataFrame, b: &DataFrame, sides: &SelectedVariants) -> Vec<String> {
    let texts = |frame: &DataFrame, rows: &[usize], column: usize| -> BTreeSet<String> {
        rows.iter().map(|&row| frame.text(row, column)).collect()
    };
    let rows_a: Vec<usize> = (0..a.len()).filter(|&row| sides.selects_a(a, row)).collect();
    let rows_b: Vec<usize> = (0..b.len()).filter(|&row| sides.selects_b(b, row)).collect();
    let is_separate = |column: usize| sides.with.iter().any(|selection| selection.column == column);
    let columns = a.with_role(&[Role::Label, Role::Instance, Role::Variant]);
    let described = |column: usize| {
        let (of_a, of_b) = (texts(a, &rows_a, column), texts(b, &rows_b, column));
        let (value_a, value_b) = of_a.first().zip(of_b.first()).filter(|_| of_a.is_disjoint(&of_b))?;
        let Column { name, role, .. } = &a.columns()[column];
        let remedy = match *role {
            Role::Variant => format!("; select {name}={value_b} for B"),
            _ => String::new(),
        };
        Some(format!("{name} ({value_a} in A, {value_b} in B{remedy})"))
    };
    columns.into_iter().filter(|&column| !is_separate(column)).filter_map(described).collect()
}

/// Checks that each name is a metric of some row type.
fn check_metrics(frames: &[DataFrame], names: &[String]) -> Result<(), CompareError> {
    let known = || frames.iter().flat_map(DataFrame::columns).filter(|column| column.is_metric());
    let wrong = names.iter().find(|name| !known().any(|column| column.name == name.as_str()));
    let message = |name: &String| {
        let known: Vec<&str> = known().map(|column| column.name).collect();
        CompareError::Unknown(unknown("metric", name, known))
    };
    wrong.map_or(Ok(()), |name| Err(message(name)))
}

/// Returns the indices of these metrics, or of the primary one if there are no names.
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
    let groups = groups(a, &places, LoadPooling::Both, &|at| pairs[at].0, &setting, &text);
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
        separate_columns: with.iter().map(|selection| &a.columns()[selection.column]).collect(),
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
    let population = PopulationColumns::of(a).filter(|_| PopulationColumns::of(b).is_some());
    let differ = |&at: &usize| population.is_some_and(|jobs| jobs.differ((a, pairs[at].0), (b, pairs[at].1)));
    let other_jobs = group.items.iter().copied().filter(differ).count();
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
    let is_ratio_scale = pairs.iter().all(|pair| pair.a >= 0.0 && pair.b >= 0.0);
    let sides = by_block(pairs.iter().map(|pair| (&*pair.block, (pair.b, pair.a))).collect());
    GroupComparison {
        key: group.key.clone(),
        with,
        is_pooled: group.is_pooled,
        metric: column,
        only_a,
        only_b,
        outcomes: PairedComparison::of(column, pairs.iter().map(|pair| (pair.b, pair.a))),
        difference: bootstrap("difference").estimates(&differences),
        ratio: bootstrap("ratio").estimates(&logarithms).map(|estimates| estimates.map(f64::exp)),
        ratio_of_means: is_ratio_scale.then(|| bootstrap("ratio of means").ratio_of_means(&sides)).flatten(),
        ratios: logarithms.iter().map(Vec::len).sum(),
        other_jobs,
        pairs,
    }
}

/// Builds the pair of a row of A and its counterpart.
fn pair_on(frame: &DataFrame, row: usize, a: f64, b: f64) -> Pair {
    let texts = frame.with_role(&[Role::Instance]).into_iter().map(|column| frame.text(row, column));
    let instance: Vec<String> = texts.collect();
    Pair { instance, block: block(frame, row), a, b }
}
