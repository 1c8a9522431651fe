//! All results of a run, and statistics over any part of them.

use crate::algorithms::Algorithm;
use crate::rows::Row;
use crate::scenario::{InstanceGroup, Packings};
use dfrsim_lab::{Line, Status, Value as _, Wide, average};
use dfrsim_model::{Seed, Yield};
use dfrsim_vector_packing::instances::InstanceSet;
use rand::RngExt as _;
use std::sync::Arc;

/// All results of a run.
pub(crate) struct Results<'a> {
    pub(crate) groups: &'a [InstanceGroup],
    /// The algorithms, each with its column.
    pub(crate) algorithms: Vec<(Algorithm, usize)>,
    rows: &'a Wide<Row>,
    /// Instances, in the order of the scenario.
    pub(crate) records: Vec<Record<'a>>,
}

/// Results on an instance.
#[derive(Clone, Debug)]
pub(crate) struct Record<'a> {
    /// Index of the instance's group in the scenario.
    pub(crate) group: usize,
    /// Labels and facts of the instance's row.
    pub(crate) row: Arc<Row>,
    /// LPBOUND; `None` if the sums of demands already show that there is no packing.
    pub(crate) bound: Option<Yield>,
    line: &'a Line,
}

impl Record<'_> {
    /// Checks that another record belongs to the same scenario.
    fn is_of_same_scenario(&self, other: &Record<'_>) -> bool {
        (self.group, self.row.scenario) == (other.group, other.row.scenario)
    }
    /// Returns the label of one of the [`PARAMETERS`].
    pub(crate) fn label(&self, parameter: &str) -> String {
        match parameter {
            "slack" => self.row.slack.write(),
            "dimensions" => self.row.dimensions.write(),
            "jobs" => self.row.tasks.write(),
            "rho" => self.row.rho.write(),
            _ => self.row.sigma.write(),
        }
    }
    /// Returns the minimum yield of the algorithm in this column, if it solved the instance.
    pub(crate) fn solved(&self, column: usize) -> Option<Yield> {
        self.line.cell(column).value().map(Yield::nearest)
    }
    /// Returns the value of a metric in this column, if it has one.
    pub(crate) fn number(&self, column: usize) -> Option<f64> {
        self.line.cell(column).value()
    }
    /// Returns the outcome of the algorithm in this column; `None` if it did not run.
    pub(crate) fn status(&self, column: usize) -> Option<Status> {
        self.line.cell(column).status()
    }
}

/// A subset of the instances.
#[derive(Clone, Debug)]
pub(crate) struct Subset<'a> {
    pub(crate) records: Vec<&'a Record<'a>>,
}

/// Outcome counts of an algorithm on some instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Number of instances on which it ran.
    pub(crate) instances: usize,
    pub(crate) solved: usize,
    pub(crate) unsolved: usize,
    pub(crate) infeasible: usize,
    pub(crate) timed_out: usize,
    pub(crate) invalid: usize,
}

impl Tally {
    /// Returns the percentage of the instances that are not solved.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        (self.instances > 0).then(|| 100.0 * (self.instances - self.solved) as f64 / self.instances as f64)
    }
    /// Computes the margin of error of the failure rate: half of its 95 % confidence interval.
    pub(crate) fn failure_rate_margin(&self) -> Option<f64> {
        proportion_margin(self.instances - self.solved, self.instances)
    }
}

/// Gaps to LPBOUND on the instances that an algorithm solves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gaps {
    pub(crate) absolute: Sample,
    /// Gaps in percent of LPBOUND, where that is not 0.
    pub(crate) relative: Sample,
}

/// Values in increasing order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sample(Vec<f64>);

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        Sample(values)
    }
}

impl Sample {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
    pub(crate) fn mean(&self) -> Option<f64> {
        average(self.0.iter().copied())
    }
    pub(crate) fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }
    /// Computes the margin of error of the mean: half of its 95 % confidence interval. It assumes a
    /// normal distribution, as there are many values.
    pub(crate) fn margin(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares: f64 = self.0.iter().map(|value| (value - mean).powi(2)).sum();
        margin(squares, self.0.len())
    }
    /// Counts the values above a threshold.
    pub(crate) fn above(&self, value: f64) -> usize {
        self.0.len() - self.0.partition_point(|each| *each <= value)
    }
    /// Returns the percentile of the values (nearest rank).
    pub(crate) fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied()
    }
}

impl<'a> Results<'a> {
    pub(crate) fn new(scenario: &'a Packings, rows: &'a Wide<Row>) -> Results<'a> {
        let record = |line: &'a Line| {
            let row = rows.row(line);
            let group = scenario.instances.iter().position(|group| group.name == row.instances)?;
            Some(Record { group, bound: row.bound.map(Yield::nearest), row: Arc::new(row), line })
        };
        let records = rows.lines().iter().filter_map(record).collect();
        let column =
            |algorithm: Algorithm| Some((algorithm, rows.column(&algorithm.to_string(), MINIMUM_YIELD)?));
        let algorithms = scenario.algorithms().into_iter().filter_map(column).collect();
        Results { groups: &scenario.instances, algorithms, rows, records }
    }

    /// Draws as many instances of each group as it has, with replacement.
    pub(crate) fn resampled(&self, seed: Seed) -> Results<'a> {
        let mut rng = seed.rng();
        let mut draw = |records: &[Record<'a>]| {
            let mut drawn: Vec<usize> = records.iter().map(|_| rng.random_range(0..records.len())).collect();
            drawn.sort_unstable();
            drawn.into_iter().map(|at| records[at].clone()).collect::<Vec<_>>()
        };
        let records = self.records.chunk_by(|a, b| a.group == b.group).flat_map(&mut draw).collect();
        Results { groups: self.groups, algorithms: self.algorithms.clone(), rows: self.rows, records }
    }

    /// Returns the column of an algorithm, if the scenario has it.
    pub(crate) fn column(&self, algorithm: &str) -> Option<usize> {
        self.metric(algorithm, MINIMUM_YIELD)
    }
    /// Returns the column of a metric of an algorithm.
    pub(crate) fn metric(&self, algorithm: &str, metric: &str) -> Option<usize> {
        self.rows.column(algorithm, metric)
    }
    /// Iterates over the algorithms that went through the second phase, each with its column.
    pub(crate) fn second_phase(&self) -> impl Iterator<Item = (Algorithm, usize)> {
        let raised =
            |&(algorithm, _): &(Algorithm, usize)| self.metric(&algorithm.to_string(), UTILISATION).is_some();
        self.algorithms.iter().copied().filter(raised)
    }
    /// Iterates over the instances of each group, with its name.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&'a str, Subset<'_>)> {
        let part =
            |place| Subset { records: self.records.iter().filter(|record| record.group == place).collect() };
        self.groups.iter().enumerate().map(move |(place, group)| (group.name.as_str(), part(place)))
    }
    /// Iterates over the instances of each scenario, in the order of the scenarios.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = Subset<'_>> {
        let chunks = self.records.chunk_by(Record::is_of_same_scenario);
        chunks.map(|records| Subset { records: records.iter().collect() })
    }
    /// Returns the instances of a set of the texts, or with some of its parameters; `None` if the
    /// scenario has none of them.
    pub(crate) fn of_set(&self, set: InstanceSet) -> Option<Subset<'_>> {
        let is_meant: Vec<bool> = self.groups.iter().map(|group| group.is_subset_of(set)).collect();
        is_meant.contains(&true).then(|| Subset {
            records: self.records.iter().filter(|record| is_meant[record.group]).collect(),
        })
    }
}

/// Parameters by which claims select instances.
pub(crate) const PARAMETERS: [&str; 5] = ["slack", "dimensions", "jobs", "rho", "sigma"];

const MINIMUM_YIELD: &str = "minimum_yield";
const UTILISATION: &str = "utilisation";

impl<'a> Subset<'a> {
    /// Selects the instances by the label of one of the [`PARAMETERS`]. The predicate is called once
    /// for each scenario.
    pub(crate) fn with_label(&self, parameter: &str, is_meant: impl Fn(&str) -> bool) -> Subset<'a> {
        let scenarios = self.records.chunk_by(|a, b| a.is_of_same_scenario(b));
        let meant = scenarios.filter(|records| is_meant(&records[0].label(parameter)));
        Subset { records: meant.flatten().copied().collect() }
    }
    pub(crate) fn filter(&self, keep: impl Fn(&Record<'_>) -> bool) -> Subset<'a> {
        Subset { records: self.records.iter().copied().filter(|record| keep(record)).collect() }
    }
    /// Selects the instances that have LPBOUND. For the others, the sums of demands already show
    /// that there is no packing. The script of the authors' simulator that ranks the greedy passes
    /// leaves them out (flexsched, first commit of its public repository,
    /// `extract_greedy_results.pl`); the dissertation does not mention it.
    pub(crate) fn with_bound(&self) -> Subset<'a> {
        self.filter(|record| record.bound.is_some())
    }
    /// Selects the instances on which an algorithm ran.
    pub(crate) fn where_ran(&self, column: usize) -> Subset<'a> {
        self.filter(|record| record.status(column).is_some())
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn tally(&self, column: usize) -> Tally {
        let mut tally = Tally::default();
        for status in self.records.iter().filter_map(|record| record.status(column)) {
            tally.instances += 1;
            *match status {
                Status::Ok => &mut tally.solved,
                Status::Infeasible => &mut tally.infeasible,
                Status::TimedOut => &mut tally.timed_out,
                Status::Invalid => &mut tally.invalid,
                Status::Unsolved | Status::Violation | Status::Stalled | Status::Failed => {
                    &mut tally.unsolved
                }
            } += 1;
        }
        tally
    }

    /// Returns the values of LPBOUND.
    pub(crate) fn bounds(&self) -> Sample {
        self.records.iter().filter_map(|record| record.bound).map(Yield::as_f64).collect()
    }
    /// Returns the minimum yields of an algorithm.
    pub(crate) fn yields(&self, column: usize) -> Sample {
        self.records.iter().filter_map(|record| record.solved(column)).map(Yield::as_f64).collect()
    }
    /// Returns the values of a metric, where there are any.
    pub(crate) fn values(&self, column: usize) -> Sample {
        self.records.iter().filter_map(|record| record.line.cell(column).value()).collect()
    }
    /// Combines two metrics where both have a value.
    pub(crate) fn values_of_both(&self, columns: [usize; 2], of: impl Fn(f64, f64) -> Option<f64>) -> Sample {
        let [one, other] = columns.map(|column| move |record: &Record<'_>| record.line.cell(column).value());
        self.records.iter().filter_map(|record| of(one(record)?, other(record)?)).collect()
    }

    /// Returns the pairs of minimum yields where both exist.
    fn both(
        &self,
        of: impl Fn(&Record<'_>) -> Option<Yield>,
        from: impl Fn(&Record<'_>) -> Option<Yield>,
    ) -> impl Iterator<Item = (f64, f64)> {
        self.records.iter().filter_map(move |record| Some((of(record)?.as_f64(), from(record)?.as_f64())))
    }

    /// Computes the gaps between an algorithm and LPBOUND.
    pub(crate) fn gaps(&self, column: usize) -> Gaps {
        let absolute = self.yields_and_bounds(column).map(|(own, bound)| bound - own).collect();
        Gaps { absolute, relative: self.relative_gaps(column) }
    }
    /// Computes the gaps between an algorithm and LPBOUND, in percent of LPBOUND.
    pub(crate) fn relative_gaps(&self, column: usize) -> Sample {
        self.yields_and_bounds(column).filter_map(relative).collect()
    }
    fn yields_and_bounds(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        self.both(move |record| record.solved(column), |record| record.bound)
    }
    /// Computes the gaps between an algorithm and another one, in percent of the latter.
    pub(crate) fn gaps_between(&self, column: usize, from: usize) -> Sample {
        self.both(|record| record.solved(column), |record| record.solved(from)).filter_map(relative).collect()
    }

    /// Computes the gaps between an algorithm and the best of several, in percent of the best, over
    /// the instances that it solves.
    pub(crate) fn degradation(&self, column: usize, among: &[usize]) -> Sample {
        self.degradations(|record| record.solved(column), among)
    }
    /// Computes the gaps between an algorithm and the best of several over the instances that any of
    /// them solves. A failure counts as a yield of 0.
    pub(crate) fn degradation_with_failures(&self, column: usize, among: &[usize]) -> Sample {
        self.degradations(|record| Some(record.solved(column).unwrap_or(Yield::ZERO)), among)
    }
    fn degradations(&self, of: impl Fn(&Record<'_>) -> Option<Yield>, among: &[usize]) -> Sample {
        let best = |record: &Record<'_>| among.iter().filter_map(|&each| record.solved(each)).max();
        self.both(of, best).map(|pair| relative(pair).unwrap_or(0.0)).collect()
    }

    /// Computes the advantage of one algorithm over another.
    pub(crate) fn advantage(&self, one: usize, other: usize) -> Advantage {
        let (mut instances, mut alone, mut differences) = (0_usize, 0_usize, Vec::new());
        let (mut better, mut gain) = (0_usize, 0.0);
        for record in &self.records {
            if record.status(one).is_none() || record.status(other).is_none() {
                continue;
            }
            instances += 1;
            match (record.solved(one), record.solved(other)) {
                (Some(_), None) => alone += 1,
                (Some(own), Some(others)) if others > Yield::ZERO => {
                    let difference = own.as_f64() / others.as_f64() - 1.0;
                    differences.push(100.0 * difference);
                    if difference > 0.0 {
                        better += 1;
                        gain += difference;
                    }
                }
                _ => {}
            }
        }
        let as_good = differences.iter().filter(|difference| **difference >= 0.0).count();
        let percent = |part: f64, whole: usize| if whole == 0 { 0.0 } else { 100.0 * part / whole as f64 };
        let differences: Sample = differences.into_iter().collect();
        Advantage {
            success: percent(alone as f64, instances),
            success_margin: proportion_margin(alone, instances),
            minimum_yield: differences.mean().unwrap_or(0.0),
            minimum_yield_margin: differences.margin(),
            median: differences.percentile(50),
            better: percent(better as f64, differences.len()),
            as_good: percent(as_good as f64, differences.len()),
            gain: percent(gain, better),
        }
    }
    /// Checks that one algorithm dominates another.
    pub(crate) fn dominates(&self, one: usize, other: usize) -> bool {
        self.advantage(one, other).dominates(&self.advantage(other, one))
    }
}

/// Advantage of one algorithm over another, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Advantage {
    /// S: share of the instances on which it succeeds and the other does not.
    pub(crate) success: f64,
    /// Half of the 95 % confidence interval of `success`.
    pub(crate) success_margin: Option<f64>,
    /// Y: excess of its minimum yield, on average over the instances where both succeed and the
    /// other's is not 0.
    pub(crate) minimum_yield: f64,
    /// Half of the 95 % confidence interval of `minimum_yield`.
    pub(crate) minimum_yield_margin: Option<f64>,
    /// Median of the excess, which is robust to ratios of yields near 0.
    pub(crate) median: Option<f64>,
    /// Share of the compared instances on which its minimum yield is larger.
    pub(crate) better: f64,
    /// Share of the compared instances on which its minimum yield is at least as large.
    pub(crate) as_good: f64,
    /// Mean excess on the instances on which its minimum yield is larger.
    pub(crate) gain: f64,
}

impl Advantage {
    /// Checks that the algorithm dominates the other one, whose advantage over it is `others`
    /// (dissertation, section 4.4.4): it succeeds significantly more often and is not significantly
    /// less effective, or is significantly more effective and does not succeed significantly less
    /// often.
    pub(crate) fn dominates(&self, others: &Advantage) -> bool {
        (self.success >= 0.5 && others.minimum_yield <= 3.0)
            || (others.success <= 0.5 && self.minimum_yield >= 3.0)
    }
}

/// Computes half of the 95 % confidence interval of a mean, from the sum of the squared deviations
/// of `count` values; `None` for fewer than two. Values are treated as independent. Instances of one
/// scenario are more alike than others, so the interval is rather too wide.
fn margin(squares: f64, count: usize) -> Option<f64> {
    (count > 1).then(|| 1.96 * (squares / (count as f64 - 1.0) / count as f64).sqrt())
}

/// Computes half of the 95 % confidence interval of the proportion `some` / `of`, in percent.
fn proportion_margin(some: usize, of: usize) -> Option<f64> {
    let part = some as f64 / of.max(1) as f64;
    Some(100.0 * margin(part * (1.0 - part) * of as f64, of)?)
}

/// Computes the gap of a value below another, in percent of the latter; `None` if the latter is 0.
fn relative((own, from): (f64, f64)) -> Option<f64> {
    (from > 0.0).then(|| 100.0 * (from - own) / from)
}
