//! All results of a run in memory, and figures of any part of them.

use super::record::{Cell, Raised, Record};
use super::scenario::Scenario;
use dfrsim_model::Yield;
use dfrsim_offline::Algorithm;
use dfrsim_offline::instances::{self, DissertationScenario, InstanceSet};

/// All results of a run.
pub(super) struct Study<'a> {
    pub(super) scenario: &'a Scenario,
    /// The scenarios of each group.
    pub(super) grids: &'a [Vec<instances::Scenario>],
    /// In the order of the scenario.
    pub(super) records: Vec<Record>,
}

/// Some of the instances.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) records: Vec<&'a Record>,
}

/// What became of an algorithm on some instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// On how many it ran.
    pub(super) instances: usize,
    pub(super) solved: usize,
    pub(super) failed: usize,
    pub(super) infeasible: usize,
    pub(super) timed_out: usize,
    pub(super) invalid: usize,
}

impl Tally {
    /// The part of the instances that are not solved, in percent.
    pub(super) fn failure_rate(&self) -> Option<f64> {
        (self.instances > 0).then(|| 100.0 * (self.instances - self.solved) as f64 / self.instances as f64)
    }
}

/// Distances from LPBOUND where an algorithm solves an instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Distances {
    pub(super) absolute: Sample,
    /// In percent of LPBOUND, where that is not 0.
    pub(super) relative: Sample,
}

/// Values, and figures of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample(Vec<f64>);

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        Sample(values)
    }
}

impl Sample {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
    pub(super) fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum::<f64>() / self.0.len() as f64)
    }
    pub(super) fn max(&self) -> Option<f64> {
        self.0.last().copied()
    }
    /// The value that so many percent of the values do not exceed (nearest rank).
    pub(super) fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied()
    }
}

impl<'a> Study<'a> {
    pub(super) fn new(
        scenario: &'a Scenario,
        grids: &'a [Vec<instances::Scenario>],
        records: Vec<Record>,
    ) -> Study<'a> {
        Study { scenario, grids, records }
    }
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> {
        self.records.iter().flat_map(|record| record.cells.iter().copied())
    }
    /// The place of an algorithm, if it is of the scenario.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let algorithm = name.parse::<Algorithm>().ok()?;
        self.scenario.algorithms.iter().position(|&each| each == algorithm)
    }
    pub(super) fn parameters(&self, record: &Record) -> &instances::Scenario {
        &self.grids[record.group as usize][record.scenario as usize]
    }
    pub(super) fn part(&self, keep: impl Fn(&Record) -> bool) -> Part<'_> {
        Part { records: self.records.iter().filter(|record| keep(record)).collect() }
    }
    /// The instances of a set of the texts; nothing if the scenario has none of them.
    pub(super) fn of_set(&self, set: InstanceSet) -> Option<Part<'_>> {
        let group = self.scenario.instances.iter().position(|group| group.set() == Some(set))?;
        Some(self.part(|record| record.group as usize == group))
    }
    /// What remains of a part.
    pub(super) fn with<'b>(&self, part: &Part<'b>, keep: impl Fn(&DissertationScenario) -> bool) -> Part<'b> {
        part.filter(|record| match self.parameters(record) {
            instances::Scenario::Dissertation(scenario) => keep(scenario),
            instances::Scenario::Rr6692(_) => false,
        })
    }
}

impl<'a> Part<'a> {
    pub(super) fn filter(&self, keep: impl Fn(&Record) -> bool) -> Part<'a> {
        Part { records: self.records.iter().copied().filter(|record| keep(record)).collect() }
    }
    /// The instances that have LPBOUND. Of the others the sums alone show that there is no packing; the script of the
    /// authors' simulator that ranks the greedy passes leaves them out (flexsched, first commit of its public repository,
    /// `extract_greedy_results.pl`); the dissertation does not speak of it.
    pub(super) fn bounded(&self) -> Part<'a> {
        self.filter(|record| record.bound.is_some())
    }
    /// The instances on which an algorithm ran.
    pub(super) fn where_ran(&self, algorithm: usize) -> Part<'a> {
        self.filter(|record| record.cells[algorithm] != Cell::Skipped)
    }

    pub(super) fn tally(&self, algorithm: usize) -> Tally {
        let mut tally = Tally::default();
        for record in &self.records {
            let count = match record.cells[algorithm] {
                Cell::Skipped => continue,
                Cell::Solved(_) => &mut tally.solved,
                Cell::Failed => &mut tally.failed,
                Cell::Infeasible => &mut tally.infeasible,
                Cell::TimedOut => &mut tally.timed_out,
                Cell::Invalid => &mut tally.invalid,
            };
            *count += 1;
            tally.instances += 1;
        }
        tally
    }

    /// The minimum yields of two columns where both are there.
    fn both(
        &self,
        of: impl Fn(&Record) -> Option<Yield>,
        from: impl Fn(&Record) -> Option<Yield>,
    ) -> impl Iterator<Item = (f64, f64)> {
        self.records.iter().filter_map(move |record| Some((of(record)?.as_f64(), from(record)?.as_f64())))
    }

    /// How far an algorithm is from LPBOUND.
    pub(super) fn distances(&self, algorithm: usize) -> Distances {
        let pairs: Vec<(f64, f64)> =
            self.both(|record| record.cells[algorithm].solved(), |record| record.bound).collect();
        Distances {
            absolute: pairs.iter().map(|(own, bound)| bound - own).collect(),
            relative: pairs.into_iter().filter_map(relative).collect(),
        }
    }
    /// How far an algorithm is from another one, in percent of the latter.
    pub(super) fn distances_between(&self, algorithm: usize, from: usize) -> Sample {
        let pairs =
            self.both(|record| record.cells[algorithm].solved(), |record| record.cells[from].solved());
        pairs.filter_map(relative).collect()
    }

    /// The minimum yields of an algorithm.
    pub(super) fn yields(&self, algorithm: usize) -> Sample {
        self.records.iter().filter_map(|record| record.cells[algorithm].solved()).map(Yield::as_f64).collect()
    }

    /// How far an algorithm is from the best of several, in percent of that, over the instances that it solves.
    pub(super) fn degradation(&self, algorithm: usize, among: &[usize]) -> Sample {
        self.degradations(|record| record.cells[algorithm].solved(), among)
    }
    /// The same over the instances that any of them solves: a failure is a yield of 0.
    pub(super) fn degradation_with_failures(&self, algorithm: usize, among: &[usize]) -> Sample {
        self.degradations(|record| Some(record.cells[algorithm].solved().unwrap_or(Yield::ZERO)), among)
    }
    fn degradations(&self, of: impl Fn(&Record) -> Option<Yield>, among: &[usize]) -> Sample {
        let best = |record: &Record| among.iter().filter_map(|&each| record.cells[each].solved()).max();
        self.both(of, best).map(|pair| relative(pair).unwrap_or(0.0)).collect()
    }

    /// S: on how many of the instances one algorithm succeeds and another does not, in percent; and Y: by how much
    /// its minimum yield is larger, in percent of the other's, on average over those where both succeed and the
    /// other's is not 0.
    pub(super) fn advantage(&self, one: usize, other: usize) -> Advantage {
        let (mut instances, mut alone, mut both, mut sum) = (0_usize, 0_usize, 0_usize, 0.0);
        let (mut better, mut gain) = (0_usize, 0.0);
        for record in &self.records {
            let (own, others) = (record.cells[one], record.cells[other]);
            if own == Cell::Skipped || others == Cell::Skipped {
                continue;
            }
            instances += 1;
            match (own.solved(), others.solved()) {
                (Some(_), None) => alone += 1,
                (Some(own), Some(others)) if others > Yield::ZERO => {
                    both += 1;
                    let difference = own.as_f64() / others.as_f64() - 1.0;
                    sum += difference;
                    if difference > 0.0 {
                        better += 1;
                        gain += difference;
                    }
                }
                _ => {}
            }
        }
        let percent = |part: f64, whole: usize| if whole == 0 { 0.0 } else { 100.0 * part / whole as f64 };
        Advantage {
            success: percent(alone as f64, instances),
            minimum_yield: percent(sum, both),
            better: percent(better as f64, both),
            gain: percent(gain, better),
        }
    }

    /// Whether one algorithm dominates another (dissertation, section 4.4.4): it succeeds significantly more often
    /// and is not significantly less effective, or is significantly more effective and does not succeed significantly
    /// less often.
    pub(super) fn dominates(&self, one: usize, other: usize) -> bool {
        let (own, others) = (self.advantage(one, other), self.advantage(other, one));
        (own.success >= 0.5 && others.minimum_yield <= 3.0)
            || (others.success <= 0.5 && own.minimum_yield >= 3.0)
    }

    /// The means of what the second phase gives, by its place among those that go through it.
    pub(super) fn raised(&self, second: usize, figure: impl Fn(&Raised) -> Option<f64>) -> Sample {
        self.records.iter().filter_map(|record| figure(record.raised[second].as_ref()?)).collect()
    }
}

/// What one algorithm has over another; in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Advantage {
    /// S.
    pub(super) success: f64,
    /// Y.
    pub(super) minimum_yield: f64,
    /// On how many of the instances that both solve it is better.
    pub(super) better: f64,
    /// By how much on these.
    pub(super) gain: f64,
}

/// How far a value is below another, in percent of that; nothing if that is 0.
fn relative((own, from): (f64, f64)) -> Option<f64> {
    (from > 0.0).then(|| 100.0 * (from - own) / from)
}
