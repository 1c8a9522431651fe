//! How statements are checked.

use crate::metrics::{Group, Metric, Metrics};
use crate::{HOMOGENEOUS, PLATFORMS};
use dfrsim_lab::mean;

/// A statement about values of a [`Metric`].
pub(super) enum Check {
    /// The mean of FCFS is above that of CONS.
    FcfsAbove(Metric, Of),
    /// In some cases CONS is above FCFS.
    ConsAbove(Metric, Of),
    /// Mean reallocations of an algorithm, in percent of the jobs, are below this.
    MeanMoves(&'static str, f64),
    /// Reallocations of an algorithm, in percent of the jobs and rounded down to one decimal as published, are at most this
    /// in each simulation.
    MaxMoves(&'static str, f64),
    /// So many of the cases are like that.
    Cases(Metric, Of, Part, fn(f64) -> bool),
    /// All averages over the workloads are like that.
    Averages(Metric, Of, fn(f64) -> bool),
    /// The heuristic has the best average: the least turnaround, the most of anything else.
    Best(Metric, Of, &'static str),
    /// The heuristic has the largest average.
    Worst(Metric, Of, &'static str),
    /// There are more cases with more late than early jobs with CONS than with FCFS.
    LateCases(Of),
    /// The average relative turnarounds of an algorithm lie in this range, rounded to two decimals as published.
    AveragesWithin(&'static str, f64, f64),
    /// In so many of the cases the value is larger with cancellation than without; the turnaround smaller.
    Cancellation(Metric, Of, Part),
    /// Homogeneous, with this local policy: every average turnaround with cancellation is below every one without.
    WorstBeatsBest(&'static str),
    /// The mean relative turnaround of these algorithms is below that of another one, or below 1.
    Below(&'static [&'static str], Option<&'static str>),
}

/// What part of the cases a statement claims.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Most,
    ThreeQuarters,
    All,
}

impl Part {
    fn holds(self, share: f64) -> bool {
        match self {
            Part::Most => share > 0.5,
            Part::ThreeQuarters => share >= 0.75,
            Part::All => share >= 1.0,
        }
    }
}

/// Some groups; an empty name means any.
#[derive(Clone, Copy)]
pub(super) struct Of {
    algorithm: &'static str,
    platform: &'static str,
    local: &'static str,
    heuristic: &'static str,
}

pub(super) const fn without(platform: &'static str) -> Of {
    Of { algorithm: "without", platform, local: "", heuristic: "" }
}

pub(super) const fn with(platform: &'static str) -> Of {
    Of { algorithm: "with", platform, local: "", heuristic: "" }
}

impl Of {
    pub(super) const fn local(self, local: &'static str) -> Of {
        Of { local, ..self }
    }
    pub(super) const fn heuristic(self, heuristic: &'static str) -> Of {
        Of { heuristic, ..self }
    }
    fn contains(&self, group: &Group) -> bool {
        let is = |name: &str, found: &str| name.is_empty() || name == found;
        is(self.algorithm, &group.algorithm)
            && is(self.platform, &group.platform)
            && is(self.local, &group.local)
            && is(self.heuristic, &group.heuristic)
    }
}

/// What a check found.
pub(super) struct Finding {
    pub(super) holds: bool,
    /// The number that decides, if it is one: the share of the cases, a mean, or a difference.
    pub(super) value: Option<f64>,
    pub(super) detail: String,
}

fn finding(holds: bool, value: f64, detail: String) -> Finding {
    Finding { holds, value: Some(value), detail }
}

fn max(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn min(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

impl Metrics {
    /// The groups of a kind, for any platform only if both are there.
    fn groups_of(&self, of: Of) -> Vec<&Group> {
        let all: Vec<&Group> = self.groups.iter().filter(|group| of.contains(group)).collect();
        let has = |platform: &str| all.iter().any(|group| group.platform == platform);
        if of.platform.is_empty() && !PLATFORMS.into_iter().all(has) { Vec::new() } else { all }
    }

    /// The values of all cases of a kind; `None` if there are none.
    fn cases(&self, metric: Metric, of: Of) -> Option<Vec<f64>> {
        self.pairs(metric, of, Group::clone).map(|pairs| pairs.into_iter().map(|pair| pair.0).collect())
    }

    /// The values of all cases of a kind, beside those of their partners; `None` if there are none.
    fn pairs(&self, metric: Metric, of: Of, partner: impl Fn(&Group) -> Group) -> Option<Vec<(f64, f64)>> {
        let mut pairs = Vec::new();
        for group in self.groups_of(of) {
            for workload in &self.workloads {
                let value = |group: &Group| self.value(metric, group, workload);
                pairs.extend(value(group).zip(value(&partner(group))));
            }
        }
        (!pairs.is_empty()).then_some(pairs)
    }

    /// Cases with FCFS beside those with CONS.
    fn fcfs_and_cons(&self, metric: Metric, of: Of) -> Option<Vec<(f64, f64)>> {
        self.pairs(metric, of.local("FCFS"), |group| Group { local: "CONS".to_owned(), ..group.clone() })
    }

    /// The averages over the workloads, with their heuristics; `None` if there are none.
    fn averages(&self, metric: Metric, of: Of) -> Option<Vec<(&str, f64)>> {
        let average = |group: &'_ Group| self.average(metric, group);
        let groups = self.groups_of(of).into_iter();
        let all: Vec<(&str, f64)> =
            groups.filter_map(|group| Some((group.heuristic.as_str(), average(group)?))).collect();
        (!all.is_empty()).then_some(all)
    }

    /// The average relative turnarounds of an algorithm on both platforms.
    fn turnarounds(&self, of: Of) -> Option<Vec<f64>> {
        Some(self.averages(Metric::Turnaround, of)?.into_iter().map(|(_, average)| average).collect())
    }

    fn moves_percent(&self, algorithm: &str) -> Option<Vec<f64>> {
        let all = self.moves_percent.iter().filter(|(group, _)| group.algorithm == algorithm);
        let all: Vec<f64> = all.map(|(_, moves)| *moves).collect();
        (!all.is_empty()).then_some(all)
    }
}

/// The part of the cases for which something is so.
fn share<T>(cases: &[T], part: Part, is_so: impl Fn(&T) -> bool) -> Finding {
    let so = cases.iter().filter(|case| is_so(case)).count();
    let share = so as f64 / cases.len() as f64;
    finding(part.holds(share), share, format!("{so} of {} cases", cases.len()))
}

impl Check {
    /// What is found; `None` where values that the statement is about are missing.
    pub(super) fn find(&self, metrics: &Metrics) -> Option<Finding> {
        Some(match *self {
            Check::FcfsAbove(metric, of) => {
                let (fcfs, cons): (Vec<f64>, Vec<f64>) =
                    metrics.fcfs_and_cons(metric, of)?.into_iter().unzip();
                let (fcfs, cons) = (mean(&fcfs), mean(&cons));
                finding(fcfs > cons, fcfs - cons, format!("FCFS {fcfs:.1}, CONS {cons:.1}"))
            }
            Check::ConsAbove(metric, of) => {
                let found = share(&metrics.fcfs_and_cons(metric, of)?, Part::All, |(fcfs, cons)| cons > fcfs);
                Finding { holds: found.value > Some(0.0), ..found }
            }
            Check::MeanMoves(algorithm, limit) => {
                let mean = mean(&metrics.moves_percent(algorithm)?);
                finding(mean < limit, mean, format!("{mean:.1} %"))
            }
            Check::MaxMoves(algorithm, limit) => {
                let max = max(metrics.moves_percent(algorithm)?);
                finding(max < limit + 0.1, max, format!("at most {max:.1} %"))
            }
            Check::Cases(metric, of, part, is_so) => {
                share(&metrics.cases(metric, of)?, part, |&value| is_so(value))
            }
            Check::Averages(metric, of, is_so) => {
                share(&metrics.averages(metric, of)?, Part::All, |(_, average)| is_so(*average))
            }
            Check::Best(metric, of, heuristic) => {
                extreme(metrics, metric, of, heuristic, metric != Metric::Turnaround)?
            }
            Check::Worst(metric, of, heuristic) => extreme(metrics, metric, of, heuristic, true)?,
            Check::LateCases(of) => {
                let late = |local| {
                    let all = metrics.cases(Metric::Earlier, of.local(local))?;
                    Some(all.iter().filter(|early| **early < 50.0).count())
                };
                let (fcfs, cons) = (late("FCFS")?, late("CONS")?);
                finding(cons > fcfs, cons as f64 - fcfs as f64, format!("CONS {cons}, FCFS {fcfs}"))
            }
            Check::AveragesWithin(algorithm, least, most) => {
                let all = metrics.turnarounds(Of { algorithm, ..with("") })?;
                let (low, high) = (min(all.iter().copied()), max(all));
                Finding {
                    holds: low >= least - 0.005 && high <= most + 0.005,
                    value: None,
                    detail: format!("from {low:.2} to {high:.2}"),
                }
            }
            Check::Cancellation(metric, of, part) => {
                let without = |group: &Group| Group { algorithm: "without".to_owned(), ..group.clone() };
                let is_so = |&(with, without): &(f64, f64)| {
                    if metric == Metric::Turnaround { with < without } else { with > without }
                };
                share(&metrics.pairs(metric, of, without)?, part, is_so)
            }
            Check::WorstBeatsBest(local) => {
                let worst = max(metrics.turnarounds(with(HOMOGENEOUS).local(local))?);
                let best = min(metrics.turnarounds(without(HOMOGENEOUS).local(local))?);
                let detail = format!("worst with {worst:.2}, best without {best:.2}");
                finding(worst < best, worst - best, detail)
            }
            Check::Below(algorithms, other) => {
                let of = |algorithm: &&'static str| metrics.turnarounds(Of { algorithm, ..with("") });
                let all: Vec<Vec<f64>> = algorithms.iter().map(of).collect::<Option<_>>()?;
                let ours = mean(&all.concat());
                match other {
                    None => finding(ours < 1.0, ours, format!("{ours:.2}")),
                    Some(other) => {
                        let theirs = mean(&of(&other)?);
                        let detail = format!("{} {ours:.2}, {other} {theirs:.2}", algorithms.join(", "));
                        finding(ours < theirs, ours - theirs, detail)
                    }
                }
            }
        })
    }
}

/// Whether a heuristic has the largest or the least average.
fn extreme(metrics: &Metrics, metric: Metric, of: Of, heuristic: &str, largest: bool) -> Option<Finding> {
    let all = metrics.averages(metric, of)?;
    let (_, its) = *all.iter().find(|(name, _)| *name == heuristic)?;
    let others = all.iter().filter(|(name, _)| *name != heuristic);
    let sign = if largest { 1.0 } else { -1.0 };
    let &(other, rival) = others.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
    let detail = format!("{heuristic} {its:.2}, {other} {rival:.2}");
    Some(finding(sign * its > sign * rival, its, detail))
}
