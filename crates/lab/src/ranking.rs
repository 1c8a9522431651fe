//! Ranking of variants by their primary metric, and pairwise comparisons.

use crate::column::{Better, Column, Role, RowType};
use crate::data::DataFrame;
use crate::groups::{block, by_block, by_codes, variant_name};
use crate::parallel::in_parallel;
use crate::table::{Bootstrap, Estimate, mean};
use statrs::distribution::{ContinuousCDF as _, Normal};
use std::cmp::Ordering;

/// Largest number of independent blocks of instances for which confidence intervals are
/// bootstrapped. For more blocks, the mean is close enough to normally distributed.
const MAX_BOOTSTRAPPED: usize = 200;

/// Ranking of the variants of one row type by the primary metric.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Row type whose primary metric ranks the variants.
    pub row_type: &'static RowType,
    /// Primary metric.
    pub metric: &'static Column,
    /// Columns that distinguish the variants.
    pub columns: Vec<&'static Column>,
    /// Number of instances on which at least one variant has a value.
    pub instances: usize,
    /// Variants with a value on the most instances, best mean first, followed by the others, best
    /// mean first.
    pub variants: Vec<Ranked>,
    /// Order of the variants on each set of instances with the same labels; empty if all instances
    /// have the same labels.
    pub scopes: Vec<Scope>,
    blocks: Vec<String>,
    seed: u64,
}

/// A variant in a [`Ranking`].
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Values of the columns that distinguish the variants.
    pub name: String,
    /// Mean over the instances on which the variant has a value, with its 95 % confidence interval.
    pub mean: Estimate,
    /// Number of instances on which the variant has a value.
    pub measured: usize,
    /// Values, indexed by instance.
    values: Vec<Option<f64>>,
}

/// Ranking on the instances with the same labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Values of the labels that differ between instances.
    pub name: String,
    /// Number of instances.
    pub instances: usize,
    /// Variants with a value on all of these instances, as (index in [`Ranking::variants`], mean),
    /// best first.
    pub order: Vec<(usize, f64)>,
}

/// Comparison of two variants on the instances on which both have a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedComparison {
    /// Number of instances on which the first variant is better.
    pub wins: usize,
    /// Number of instances on which both are equal.
    pub ties: usize,
    /// Number of instances on which the second variant is better.
    pub losses: usize,
}

impl PairedComparison {
    /// Compares pairs of values of a metric.
    pub(crate) fn of(metric: &Column, pairs: impl IntoIterator<Item = (f64, f64)>) -> PairedComparison {
        let mut duel = PairedComparison::default();
        for (a, b) in pairs {
            match compare(metric, a, b) {
                Ordering::Less => duel.wins += 1,
                Ordering::Equal => duel.ties += 1,
                Ordering::Greater => duel.losses += 1,
            }
        }
        duel
    }
    /// Returns the number of instances on which both variants have a value.
    pub const fn instances(&self) -> usize {
        self.wins + self.ties + self.losses
    }
}

/// Ranks the variants of every row type that has a value of its primary metric. `seed` is the seed
/// of the bootstrap.
pub fn rankings(frames: &[DataFrame], seed: u64) -> Vec<Ranking> {
    frames.iter().filter_map(|frame| Ranking::new(frame, frame.primary()?, seed)).collect()
}

impl Ranking {
    fn new(frame: &DataFrame, primary: usize, seed: u64) -> Option<Ranking> {
        let metric = &frame.columns()[primary];
        let rows: Vec<usize> = (0..frame.len()).filter(|&row| frame.number(row, primary).is_some()).collect();
        let varying = |role| {
            let mut columns = frame.with_role(&[role]);
            let differs = |column: &usize| {
                rows.iter().any(|&row| frame.code(row, *column) != frame.code(rows[0], *column))
            };
            columns.retain(differs);
            columns
        };
        let labels = varying(Role::Label);
        let mut variants = varying(Role::Variant);
        let count = |columns: &[usize]| by_codes(&rows, &|row| frame.codes(row, columns)).len();
        let all = count(&variants);
        // A value that all rows share (a period) tells the reader little; names are shorter without
        // it.
        for column in variants.clone() {
            let others: Vec<usize> = variants.iter().copied().filter(|&other| other != column).collect();
            if frame.distinct(column, rows.iter().copied()).len() == 1 && count(&others) == all {
                variants = others;
            }
        }
        let own = frame.with_role(&[Role::Label, Role::Instance]);
        let mut instance_of = vec![0; frame.len()];
        let mut first_rows = Vec::new();
        for rows in by_codes(&rows, &|row| frame.codes(row, &own)) {
            rows.iter().for_each(|&row| instance_of[row] = first_rows.len());
            first_rows.push(rows[0]);
        }
        let blocks: Vec<String> = first_rows.iter().map(|&row| block(frame, row)).collect();
        let instances = blocks.len();

        let groups = by_codes(&rows, &|row| frame.codes(row, &variants));
        let ranked = in_parallel(groups.len(), |at| {
            let rows = &groups[at];
            let name = variant_name(frame, rows[0], &variants);
            // Rows of the same variant and instance are parts of one run; their mean is the value of
            // the run.
            let mut parts: Vec<Vec<f64>> = vec![Vec::new(); instances];
            for &row in rows {
                parts[instance_of[row]].extend(frame.number(row, primary));
            }
            let values: Vec<Option<f64>> =
                parts.iter().map(|parts| (!parts.is_empty()).then(|| mean(parts))).collect();
            let measured = values.iter().flatten().count();
            Some(Ranked { mean: estimate(&values, &blocks, seed)?, name, measured, values })
        });
        let mut ranked: Vec<Ranked> = ranked.into_iter().flatten().collect();
        let most = ranked.iter().map(|variant| variant.measured).max()?;
        let order = |a: &Ranked, b: &Ranked| {
            let is_partial = |variant: &Ranked| variant.measured < most;
            is_partial(a).cmp(&is_partial(b)).then(compare(metric, a.mean.value, b.mean.value))
        };
        ranked.sort_by(order);

        let mut ranking = Ranking {
            row_type: frame.row_type,
            metric,
            columns: variants.iter().map(|&column| &frame.columns()[column]).collect(),
            instances,
            variants: ranked,
            scopes: Vec::new(),
            blocks,
            seed,
        };
        if !labels.is_empty() {
            let places: Vec<usize> = (0..instances).collect();
            let scopes = by_codes(&places, &|instance| frame.codes(first_rows[instance], &labels));
            ranking.scopes = scopes
                .into_iter()
                .map(|instances| ranking.scope(frame.readable(first_rows[instances[0]], &labels), &instances))
                .collect();
        }
        Some(ranking)
    }

    fn scope(&self, name: String, instances: &[usize]) -> Scope {
        let mean_of = |variant: &Ranked| {
            let values: Option<Vec<f64>> =
                instances.iter().map(|&instance| variant.values[instance]).collect();
            values.map(|values| mean(&values))
        };
        let means = self.variants.iter().enumerate();
        let mut order: Vec<(usize, f64)> =
            means.filter_map(|(place, variant)| Some((place, mean_of(variant)?))).collect();
        order.sort_by(|a, b| compare(self.metric, a.1, b.1));
        Scope { name, instances: instances.len(), order }
    }

    /// Compares two variants, given by their indices, instance by instance.
    pub fn compare_pair(&self, first: usize, second: usize) -> PairedComparison {
        let values = self.variants[first].values.iter().zip(&self.variants[second].values);
        PairedComparison::of(self.metric, values.filter_map(|(a, b)| Some(((*a)?, (*b)?))))
    }

    /// Estimates the mean difference of two variants (second - first) over the instances on which
    /// both have a value, with its 95 % confidence interval; `None` if there is no such instance.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let values = self.variants[first].values.iter().zip(&self.variants[second].values);
        let differences: Vec<Option<f64>> = values.map(|(a, b)| Some((*b)? - (*a)?)).collect();
        estimate(&differences, &self.blocks, self.seed)
    }
}

/// Compares two values; the better one is `Less`.
fn compare(metric: &Column, a: f64, b: f64) -> Ordering {
    let order = if a == b { Ordering::Equal } else { a.total_cmp(&b) };
    if metric.better() == Some(Better::More) { order.reverse() } else { order }
}

/// Estimates the mean of the values by instance, with its confidence interval. Values of one block
/// (a trace at several loads) are not independent.
fn estimate(values: &[Option<f64>], blocks: &[String], seed: u64) -> Option<Estimate> {
    let named = values.iter().zip(blocks).filter_map(|(value, block)| Some((block.as_str(), (*value)?)));
    let blocks = by_block(named.collect());
    if blocks.len() <= MAX_BOOTSTRAPPED {
        return Bootstrap::for_tables(seed).estimates(&blocks).map(|estimates| estimates.mean);
    }
    Some(normal(&blocks))
}

/// Computes the mean of many blocks with the confidence interval of the normal distribution. The
/// variance is that of a ratio of sums over the blocks (Cochran, *Sampling Techniques*, 1977, 6.3).
fn normal(blocks: &[Vec<f64>]) -> Estimate {
    let value = mean(&blocks.concat());
    let (number, count) = (blocks.len() as f64, blocks.iter().map(Vec::len).sum::<usize>() as f64);
    let squares: f64 =
        blocks.iter().map(|block| block.iter().map(|one| one - value).sum::<f64>().powi(2)).sum();
    let error = (squares * number / (number - 1.0)).sqrt() / count;
    let half = Normal::standard().inverse_cdf(0.975) * error;
    Estimate { value, interval: Some((value - half, value + half)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::{Row as _, columns};

    columns! {
        /// A row of the tests.
        pub(super) struct WeekRow {
            /// The workload.
            label pub workload: String,
            /// The week.
            instance pub week: u32,
            /// The policy.
            variant pub policy: String,
            /// The period.
            variant("s") pub period_s: Option<u32>,
            /// The yield.
            primary(more) pub mean_yield: f64,
        }
    }

    fn frame(rows: &[[&str; 5]]) -> DataFrame {
        let mut frame = DataFrame::new(&WeekRow::TYPES[0]);
        for row in rows {
            let status = if row[4].is_empty() { Status::Stalled } else { Status::Ok };
            assert!(frame.push(status, "", row.iter().copied()));
        }
        frame
    }

    const ROWS: [[&str; 5]; 12] = [
        ["a", "1", "EASY", "", "0.4"],
        ["a", "1", "FCFS", "", "0.4"],
        ["a", "1", "PER", "60", "0.9"],
        ["a", "2", "EASY", "", "0.5"],
        ["a", "2", "FCFS", "", "0.1"],
        ["a", "2", "PER", "60", ""],
        ["b", "1", "EASY", "", "0.3"],
        ["b", "1", "FCFS", "", "0.7"],
        ["b", "1", "PER", "60", "0.8"],
        ["b", "2", "EASY", "", "0.6"],
        ["b", "2", "FCFS", "", "0.2"],
        ["b", "2", "PER", "60", "0.7"],
    ];

    #[test]
    fn variants_are_ranked_and_compared_on_each_instance() {
        let rankings = rankings(&[frame(&ROWS)], 1);
        let [ranking] = &rankings[..] else { panic!("one type of rows") };
        let ranked: Vec<_> = ranking.variants.iter().map(|it| (it.name.as_str(), it.measured)).collect();
        // Means of 0.45 and 0.35. PER has 0.8, but on three of the four instances only.
        assert_eq!(ranked, [("EASY", 4), ("FCFS", 4), ("PER", 3)]);
        assert!((ranking.variants[0].mean.value - 0.45).abs() < 1e-12);
        let (low, high) = ranking.variants[0].mean.interval.unwrap();
        assert!((0.3..0.45).contains(&low) && (0.45..=0.6).contains(&high), "{low} to {high}");
        assert_eq!(ranking.instances, 4);
        assert_eq!(ranking.compare_pair(0, 1), PairedComparison { wins: 2, ties: 1, losses: 1 });
        assert_eq!(ranking.compare_pair(2, 0), PairedComparison { wins: 3, ties: 0, losses: 0 });
        assert!((ranking.difference(0, 1).unwrap().value + 0.1).abs() < 1e-12);
    }

    #[test]
    fn each_set_of_instances_has_its_own_order() {
        let ranking = &rankings(&[frame(&ROWS)], 1)[0];
        let orders: Vec<_> = ranking
            .scopes
            .iter()
            .map(|scope| (scope.name.as_str(), scope.instances, scope.order.iter().map(|it| it.0).collect()))
            .collect();
        // On a, PER has no value for week 2. On b the means are 0.75, 0.45 and 0.45: equal ones keep their order.
        assert_eq!(orders, [("a", 2, vec![0, 1]), ("b", 2, vec![2, 0, 1])]);
        assert!(rankings(&[frame(&ROWS[..6])], 1)[0].scopes.is_empty());
    }

    #[test]
    fn names_distinguish_the_variants() {
        let names = |rows: &[[&str; 5]]| -> Vec<String> {
            rankings(&[frame(rows)], 1)[0].variants.iter().map(|it| it.name.clone()).collect()
        };
        let [easy, per] = [["a", "1", "EASY", "", "0.4"], ["a", "1", "PER", "60", "0.9"]];
        assert_eq!(names(&[easy, per]), ["PER", "EASY"]);
        assert_eq!(
            names(&[easy, per, ["a", "1", "PER", "600", "0.3"]]),
            ["PER, period 60 s", "EASY", "PER, period 600 s"]
        );
        // Without the period both would be PER.
        assert_eq!(names(&[per, ["a", "1", "PER", "", "0.3"]]), ["60", ""]);
    }

    /// Copies of an instance add no evidence to it.
    #[test]
    fn an_instance_and_its_copies_are_one_block() {
        let are_one = |names: [&str; 2]| {
            let frame = frame(&names.map(|name| [name, "1", "EASY", "", "0.4"]));
            block(&frame, 0) == block(&frame, 1)
        };
        assert!(are_one(["a", "a-copy-007"]) && are_one(["a-copy-000", "a-copy-007"]));
        assert!(!are_one(["a", "b-copy-007"]) && !are_one(["a", "a-copy-x"]));
    }

    #[test]
    fn without_a_value_there_is_no_ranking() {
        assert!(rankings(&[frame(&[])], 1).is_empty());
        assert!(rankings(&[frame(&[["a", "1", "EASY", "", ""]])], 1).is_empty());
    }

    /// Builds rows that alternate between 1 and 3: deviation 1, so that the standard error of the
    /// mean of 400 is 1 / 20 (times sqrt(400 / 399)).
    #[test]
    fn intervals_of_many_instances_are_those_of_the_normal_distribution() {
        let blocks: Vec<Vec<f64>> =
            (0..400).map(|number| vec![if number % 2 == 0 { 1.0 } else { 3.0 }]).collect();
        let Estimate { value, interval: Some((low, high)) } = normal(&blocks) else { panic!("an interval") };
        assert!((value - 2.0).abs() < 1e-12);
        assert!((high - 2.0 - 1.959_964 / 20.0 * (400.0_f64 / 399.0).sqrt()).abs() < 1e-6, "{high}");
        assert!((low + high - 4.0).abs() < 1e-12);
        // Repeating each value in its block adds no evidence.
        let twice: Vec<Vec<f64>> = blocks.iter().map(|block| vec![block[0]; 2]).collect();
        let (same, other) = (normal(&blocks).interval.unwrap(), normal(&twice).interval.unwrap());
        assert!((same.0 - other.0).abs() < 1e-12 && (same.1 - other.1).abs() < 1e-12);
    }
}
