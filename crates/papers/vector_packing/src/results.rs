//! All results of a run, and numbers of any part of them.

use crate::rows::Row;
use crate::scenario::{InstanceGroup, Packings};
use dfrsim_lab::{Line, Status, Value as _, Wide, average};
use dfrsim_model::{Seed, Yield};
use dfrsim_vector_packing::Algorithm;
use dfrsim_vector_packing::instances::InstanceSet;
use rand::RngExt as _;
use std::sync::Arc;

/// All results of a run.
pub(crate) struct Results<'a> {
    pub(crate) groups: &'a [InstanceGroup],
    /// The algorithms, each with its column.
    pub(crate) algorithms: Vec<(Algorithm, usize)>,
    rows: &'a Wide<Row>,
    /// In the order of the scenario.
    pub(crate) records: Vec<Record<'a>>,
}

/// An instance.
#[derive(Clone, Debug)]
pub(crate) struct Record<'a> {
    /// Its group, by its place in the scenario.
    pub(crate) group: usize,
    /// What its row says of itself.
    pub(crate) row: Arc<Row>,
    /// LPBOUND; none if sums alone show that there is no packing.
    pub(crate) bound: Option<Yield>,
    line: &'a Line,
}

impl Record<'_> {
    /// Whether another one is of the same scenario.
    fn is_beside(&self, other: &Record<'_>) -> bool {
        (self.group, self.row.scenario) == (other.group, other.row.scenario)
    }
    /// Its label of one of the [`PARAMETERS`].
    fn label(&self, parameter: &str) -> String {
        match parameter {
            "slack" => self.row.slack.write(),
            "dimensions" => self.row.dimensions.write(),
            "jobs" => self.row.tasks.write(),
            "rho" => self.row.rho.write(),
            _ => self.row.sigma.write(),
        }
    }
    /// The minimum yield of the algorithm in this column, if it solves the instance.
    pub(crate) fn solved(&self, column: usize) -> Option<Yield> {
        self.line.cell(column).value().map(Yield::nearest)
    }
    /// The value of a metric in this column, if it has one.
    pub(crate) fn number(&self, column: usize) -> Option<f64> {
        self.line.cell(column).value()
    }
    /// The outcome of the algorithm in this column; `None` if it did not run.
    pub(crate) fn status(&self, column: usize) -> Option<Status> {
        self.line.cell(column).status()
    }
}

/// Some of the instances.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) records: Vec<&'a Record<'a>>,
}

/// The outcome of an algorithm on some instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// On how many it ran.
    pub(crate) instances: usize,
    pub(crate) solved: usize,
    pub(crate) unsolved: usize,
    pub(crate) infeasible: usize,
    pub(crate) timed_out: usize,
    pub(crate) invalid: usize,
}

impl Tally {
    /// The part of the instances that are not solved, in percent.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        (self.instances > 0).then(|| 100.0 * (self.instances - self.solved) as f64 / self.instances as f64)
    }
    /// By how much it may be off: half of its 95 % confidence interval.
    pub(crate) fn failure_rate_margin(&self) -> Option<f64> {
        part_margin(self.instances - self.solved, self.instances)
    }
}

/// Gaps to LPBOUND where an algorithm solves an instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gaps {
    pub(crate) absolute: Sample,
    /// In percent of LPBOUND, where that is not 0.
    pub(crate) relative: Sample,
}

/// Values in rising order.
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
    /// By how much the mean may be off: half of its 95 % confidence interval, which is the normal one, as values are many.
    pub(crate) fn margin(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares: f64 = self.0.iter().map(|value| (value - mean).powi(2)).sum();
        margin(squares, self.0.len())
    }
    /// How many values are above this.
    pub(crate) fn above(&self, value: f64) -> usize {
        self.0.len() - self.0.partition_point(|each| *each <= value)
    }
    /// The value that this part of the values, in percent, does not exceed (nearest rank).
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

    /// As many instances of each group, drawn with replacement.
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

    /// The column of an algorithm, if it is of the scenario.
    pub(crate) fn column(&self, algorithm: &str) -> Option<usize> {
        self.metric(algorithm, MINIMUM_YIELD)
    }
    /// The column of a metric of an algorithm.
    pub(crate) fn metric(&self, algorithm: &str, metric: &str) -> Option<usize> {
        self.rows.column(algorithm, metric)
    }
    /// The algorithms that went through the second phase, each with its column.
    pub(crate) fn second_phase(&self) -> impl Iterator<Item = (Algorithm, usize)> {
        let raised =
            |&(algorithm, _): &(Algorithm, usize)| self.metric(&algorithm.to_string(), UTILISATION).is_some();
        self.algorithms.iter().copied().filter(raised)
    }
    /// The instances of each group, with its name.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&'a str, Part<'_>)> {
        let part =
            |place| Part { records: self.records.iter().filter(|record| record.group == place).collect() };
        self.groups.iter().enumerate().map(move |(place, group)| (group.name.as_str(), part(place)))
    }
    /// The instances of each scenario, in the order of the scenarios.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = Part<'_>> {
        let chunks = self.records.chunk_by(Record::is_beside);
        chunks.map(|records| Part { records: records.iter().collect() })
    }
    /// The instances of a set of the texts, or with some of its parameters; `None` if the scenario has none of them.
    pub(crate) fn of_set(&self, set: InstanceSet) -> Option<Part<'_>> {
        let is_meant: Vec<bool> = self.groups.iter().map(|group| group.is_of(set)).collect();
        is_meant
            .contains(&true)
            .then(|| Part { records: self.records.iter().filter(|record| is_meant[record.group]).collect() })
    }
}

/// Parameters of instances by which statements choose them.
pub(crate) const PARAMETERS: [&str; 5] = ["slack", "dimensions", "jobs", "rho", "sigma"];

const MINIMUM_YIELD: &str = "minimum_yield";
const UTILISATION: &str = "utilisation";

impl<'a> Part<'a> {
    /// The instances with a label of one of the [`PARAMETERS`] that is meant. That is asked once a scenario.
    pub(crate) fn labelled(&self, parameter: &str, is_meant: impl Fn(&str) -> bool) -> Part<'a> {
        let scenarios = self.records.chunk_by(|a, b| a.is_beside(b));
        let meant = scenarios.filter(|records| is_meant(&records[0].label(parameter)));
        Part { records: meant.flatten().copied().collect() }
    }
    pub(crate) fn filter(&self, keep: impl Fn(&Record<'_>) -> bool) -> Part<'a> {
        Part { records: self.records.iter().copied().filter(|record| keep(record)).collect() }
    }
    /// The instances that have LPBOUND. Of the others the sums alone show that there is no packing; the script of the
    /// authors' simulator that ranks the greedy passes leaves them out (flexsched, first commit of its public repository,
    /// `extract_greedy_results.pl`); the dissertation does not speak of it.
    pub(crate) fn bounded(&self) -> Part<'a> {
        self.filter(|record| record.bound.is_some())
    }
    /// The instances on which an algorithm ran.
    pub(crate) fn where_ran(&self, column: usize) -> Part<'a> {
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

    /// The means of LPBOUND.
    pub(crate) fn bounds(&self) -> Sample {
        self.records.iter().filter_map(|record| record.bound).map(Yield::as_f64).collect()
    }
    /// The minimum yields of an algorithm.
    pub(crate) fn yields(&self, column: usize) -> Sample {
        self.records.iter().filter_map(|record| record.solved(column)).map(Yield::as_f64).collect()
    }
    /// The values of a metric where there are any.
    pub(crate) fn values(&self, column: usize) -> Sample {
        self.records.iter().filter_map(|record| record.line.cell(column).value()).collect()
    }
    /// What is made of two metrics where both have a value.
    pub(crate) fn values_of_both(&self, columns: [usize; 2], of: impl Fn(f64, f64) -> Option<f64>) -> Sample {
        let [one, other] = columns.map(|column| move |record: &Record<'_>| record.line.cell(column).value());
        self.records.iter().filter_map(|record| of(one(record)?, other(record)?)).collect()
    }

    /// The minimum yields of two columns where both are there.
    fn both(
        &self,
        of: impl Fn(&Record<'_>) -> Option<Yield>,
        from: impl Fn(&Record<'_>) -> Option<Yield>,
    ) -> impl Iterator<Item = (f64, f64)> {
        self.records.iter().filter_map(move |record| Some((of(record)?.as_f64(), from(record)?.as_f64())))
    }

    /// How far an algorithm is from LPBOUND.
    pub(crate) fn gaps(&self, column: usize) -> Gaps {
        let absolute = self.beside_bound(column).map(|(own, bound)| bound - own).collect();
        Gaps { absolute, relative: self.relative_gaps(column) }
    }
    /// The same in percent of LPBOUND alone.
    pub(crate) fn relative_gaps(&self, column: usize) -> Sample {
        self.beside_bound(column).filter_map(relative).collect()
    }
    fn beside_bound(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        self.both(move |record| record.solved(column), |record| record.bound)
    }
    /// How far an algorithm is from another one, in percent of the latter.
    pub(crate) fn gaps_between(&self, column: usize, from: usize) -> Sample {
        self.both(|record| record.solved(column), |record| record.solved(from)).filter_map(relative).collect()
    }

    /// How far an algorithm is from the best of several, in percent of that, over the instances that it solves.
    pub(crate) fn degradation(&self, column: usize, among: &[usize]) -> Sample {
        self.degradations(|record| record.solved(column), among)
    }
    /// The same over the instances that any of them solves: a failure is a yield of 0.
    pub(crate) fn degradation_with_failures(&self, column: usize, among: &[usize]) -> Sample {
        self.degradations(|record| Some(record.solved(column).unwrap_or(Yield::ZERO)), among)
    }
    fn degradations(&self, of: impl Fn(&Record<'_>) -> Option<Yield>, among: &[usize]) -> Sample {
        let best = |record: &Record<'_>| among.iter().filter_map(|&each| record.solved(each)).max();
        self.both(of, best).map(|pair| relative(pair).unwrap_or(0.0)).collect()
    }

    /// What one algorithm has over another.
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
            success_margin: part_margin(alone, instances),
            minimum_yield: differences.mean().unwrap_or(0.0),
            minimum_yield_margin: differences.margin(),
            median: differences.percentile(50),
            better: percent(better as f64, differences.len()),
            as_good: percent(as_good as f64, differences.len()),
            gain: percent(gain, better),
        }
    }
    /// Whether one algorithm dominates another.
    pub(crate) fn dominates(&self, one: usize, other: usize) -> bool {
        self.advantage(one, other).dominates(&self.advantage(other, one))
    }
}

/// What one algorithm has over another; in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Advantage {
    /// S: on how many of the instances it succeeds and the other does not.
    pub(crate) success: f64,
    /// Half of its 95 % confidence interval.
    pub(crate) success_margin: Option<f64>,
    /// Y: by how much its minimum yield is larger, on average over those where both succeed and the other's is not 0.
    pub(crate) minimum_yield: f64,
    /// Half of its 95 % confidence interval.
    pub(crate) minimum_yield_margin: Option<f64>,
    /// The median of the same, which ratios of yields near 0 do not move.
    pub(crate) median: Option<f64>,
    /// On how many of the instances that both solve it is better.
    pub(crate) better: f64,
    /// On how many it is better or as good.
    pub(crate) as_good: f64,
    /// By how much on these.
    pub(crate) gain: f64,
}

impl Advantage {
    /// Whether the algorithm dominates the other one, which has this over it (dissertation, section 4.4.4): it succeeds
    /// significantly more often and is not significantly less effective, or is significantly more effective and does not
    /// succeed significantly less often.
    pub(crate) fn dominates(&self, others: &Advantage) -> bool {
        (self.success >= 0.5 && others.minimum_yield <= 3.0)
            || (others.success <= 0.5 && self.minimum_yield >= 3.0)
    }
}

/// Half of the 95 % confidence interval of a mean, from the sum of the squares of the deviations of this many values; `None` of
/// fewer than two. Values count as independent: instances of one scenario are more alike than others, so that it is rather
/// too wide.
fn margin(squares: f64, count: usize) -> Option<f64> {
    (count > 1).then(|| 1.96 * (squares / (count as f64 - 1.0) / count as f64).sqrt())
}

/// The same of how many of this many there are, in percent.
fn part_margin(some: usize, of: usize) -> Option<f64> {
    let part = some as f64 / of.max(1) as f64;
    Some(100.0 * margin(part * (1.0 - part) * of as f64, of)?)
}

/// How far a value is below another, in percent of that; `None` if that is 0.
fn relative((own, from): (f64, f64)) -> Option<f64> {
    (from > 0.0).then(|| 100.0 * (from - own) / from)
}
