//! How statements are checked.

use super::said::Said;
use crate::metrics::{Group, Metric, Metrics};
use crate::{HOMOGENEOUS, PLATFORMS};
use dfrsim_lab::{average, mean};

/// The most hours that a job may be late without having starved. The text gives no figure: this one is ours.
pub(super) const STARVED_H: f64 = 168.0;

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
    /// More than half of the cases lie in this range.
    MostCases(Metric, Of, f64, f64),
    /// All cases are like that.
    AllCases(Metric, Of, Said),
    /// All cases but this number are like that.
    AllBut(usize, Metric, Of, Said),
    /// Some case is like that.
    SomeCase(Metric, Of, Said),
    /// All averages over the workloads are like that.
    Averages(Metric, Of, Said),
    /// The heuristic has the best average: the least turnaround, the most of anything else.
    Best(Metric, Of, &'static str),
    /// The heuristic has the largest average (the least one of early jobs).
    Worst(Metric, Of, &'static str),
    /// In all workloads but this number the heuristic is the best one.
    BestInAllBut(usize, Metric, Of, &'static str),
    /// These heuristics have a smaller average than all others.
    SmallerThanOthers(Metric, Of, &'static [&'static str]),
    /// The averages of the heuristics differ by no more than this.
    Spread(Metric, Of, f64),
    /// There are more cases with more late than early jobs with CONS than with FCFS.
    LateCases(Of),
    /// In some workload all heuristics have more late jobs with FCFS, and more early ones with CONS.
    OppositeWorkload(Of),
    /// The average relative turnarounds of an algorithm lie in this range, rounded to two decimals as published.
    AveragesWithin(&'static str, f64, f64),
    /// In more than half, or at least three quarters, of the cases the value is larger with cancellation than without; the
    /// turnaround smaller.
    Cancellation(Metric, Of, Said),
    /// At most this number of cases is worse with cancellation.
    CancellationWorsens(usize, Metric, Of),
    /// The mean with cancellation less the one without.
    CancellationChanges(Metric, Of, Said),
    /// There are fewer cases with more late than early jobs with cancellation.
    FewerLateCases(Of),
    /// Homogeneous, with this local policy: every average turnaround with cancellation is below every one without.
    WorstBeatsBest(&'static str),
    /// The mean relative turnaround of these algorithms is like that.
    Mean(&'static [&'static str], Said),
    /// The mean relative turnaround is lower with cancellation than without.
    CancellationLowers,
    /// Jobs that complete earlier, in percent of all, on average over all cases.
    EarlierOfAll(Said),
    /// With cancellation no job completes later by more than [`STARVED_H`].
    NoStarvation,
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
    /// The number that decides: a part of the cases in percent, a count, a mean, or a difference.
    pub(super) value: f64,
    /// What is said of it.
    pub(super) said: Said,
    pub(super) detail: String,
}

fn finding(value: f64, said: Said, detail: String) -> Finding {
    Finding { value, said, detail }
}

fn max(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn min(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

fn without_cancellation(group: &Group) -> Group {
    Group { algorithm: "without".to_owned(), ..group.clone() }
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
        let all = self.effects.iter().filter(|effects| effects.group.algorithm == algorithm);
        let all: Vec<f64> = all.map(|effects| effects.moves_percent).collect();
        (!all.is_empty()).then_some(all)
    }

    /// In how many cases more changed jobs are late than early.
    fn late_cases(&self, of: Of) -> Option<usize> {
        Some(self.cases(Metric::Earlier, of)?.iter().filter(|early| **early < 50.0).count())
    }
}

/// The part of the cases for which something is so, in percent.
fn share<T>(cases: &[T], said: Said, is_so: impl Fn(&T) -> bool) -> Finding {
    let so = cases.iter().filter(|case| is_so(case)).count();
    finding(100.0 * so as f64 / cases.len() as f64, said, format!("{so} of {} cases", cases.len()))
}

/// The number of cases for which something is so.
fn number<T>(cases: &[T], said: Said, is_so: impl Fn(&T) -> bool) -> Finding {
    let so = cases.iter().filter(|case| is_so(case)).count();
    finding(so as f64, said, format!("{so} of {} cases", cases.len()))
}

impl Check {
    /// What is found; `None` where values that the statement is about are missing.
    pub(super) fn find(&self, metrics: &Metrics) -> Option<Finding> {
        use Said::{Above, AtLeast, AtMost, Below};
        Some(match *self {
            Check::FcfsAbove(metric, of) => {
                let (fcfs, cons): (Vec<f64>, Vec<f64>) =
                    metrics.fcfs_and_cons(metric, of)?.into_iter().unzip();
                let (fcfs, cons) = (mean(&fcfs), mean(&cons));
                finding(fcfs - cons, Above(0.0), format!("FCFS {fcfs:.1}, CONS {cons:.1}"))
            }
            Check::ConsAbove(metric, of) => {
                number(&metrics.fcfs_and_cons(metric, of)?, Above(0.0), |(fcfs, cons)| cons > fcfs)
            }
            Check::MeanMoves(algorithm, limit) => {
                let mean = mean(&metrics.moves_percent(algorithm)?);
                finding(mean, Below(limit), format!("{mean:.1} %"))
            }
            Check::MaxMoves(algorithm, limit) => {
                let max = max(metrics.moves_percent(algorithm)?);
                finding(max, Below(limit + 0.1), format!("at most {max:.1} %"))
            }
            Check::MostCases(metric, of, least, most) => {
                let is_so = |value: &f64| *value > least && *value <= most;
                share(&metrics.cases(metric, of)?, Above(50.0), is_so)
            }
            Check::AllCases(metric, of, said) => {
                let cases = metrics.cases(metric, of)?;
                let so = cases.iter().filter(|value| said.holds(**value)).count();
                let detail = format!("{so} of {} cases", cases.len());
                finding(said.worst(cases), said, detail)
            }
            Check::AllBut(exceptions, metric, of, said) => {
                number(&metrics.cases(metric, of)?, AtMost(exceptions as f64), |value| !said.holds(*value))
            }
            Check::SomeCase(metric, of, said) => {
                let cases = metrics.cases(metric, of)?;
                let best = match said {
                    Above(_) | AtLeast(_) => max(cases.iter().copied()),
                    Below(_) | AtMost(_) => min(cases.iter().copied()),
                };
                finding(best, said, format!("{best:.2} in the best of {} cases", cases.len()))
            }
            Check::Averages(metric, of, said) => {
                let all = metrics.averages(metric, of)?;
                let so = all.iter().filter(|(_, average)| said.holds(*average)).count();
                let detail = format!("{so} of {} averages", all.len());
                finding(said.worst(all.into_iter().map(|(_, average)| average)), said, detail)
            }
            Check::Best(metric, of, heuristic) => {
                extreme(metrics, metric, of, heuristic, !metric.is_better_if_less())?
            }
            Check::Worst(metric, of, heuristic) => {
                extreme(metrics, metric, of, heuristic, metric.is_better_if_less())?
            }
            Check::BestInAllBut(exceptions, metric, of, heuristic) => {
                let mut beaten = Vec::new();
                for workload in &metrics.workloads {
                    let groups = metrics.groups_of(of).into_iter();
                    let all: Vec<(&str, f64)> = groups
                        .filter_map(|it| Some((it.heuristic.as_str(), metrics.value(metric, it, workload)?)))
                        .collect();
                    let Some((_, own)) = all.iter().find(|(name, _)| *name == heuristic) else { continue };
                    beaten.push(all.iter().any(|(_, value)| match metric.is_better_if_less() {
                        true => value < own,
                        false => value > own,
                    }));
                }
                (!beaten.is_empty()).then(|| number(&beaten, AtMost(exceptions as f64), |it| *it))?
            }
            Check::SmallerThanOthers(metric, of, heuristics) => {
                let all = metrics.averages(metric, of)?;
                let (ours, others): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|(name, _)| heuristics.contains(name));
                if ours.is_empty() || others.is_empty() {
                    return None;
                }
                let most = max(ours.into_iter().map(|it| it.1));
                let least = min(others.into_iter().map(|it| it.1));
                finding(most - least, Below(0.0), format!("at most {most:.2}, others at least {least:.2}"))
            }
            Check::Spread(metric, of, limit) => {
                let all = metrics.averages(metric, of)?;
                let values = || all.iter().map(|it| it.1);
                let (low, high) = (min(values()), max(values()));
                finding(high - low, AtMost(limit), format!("from {low:.2} to {high:.2}"))
            }
            Check::LateCases(of) => {
                let (fcfs, cons) =
                    (metrics.late_cases(of.local("FCFS"))?, metrics.late_cases(of.local("CONS"))?);
                finding(cons as f64 - fcfs as f64, Above(0.0), format!("CONS {cons}, FCFS {fcfs}"))
            }
            Check::OppositeWorkload(of) => {
                let mut opposite = Vec::new();
                for workload in &metrics.workloads {
                    let all = |local: &'static str| -> Vec<f64> {
                        let groups = metrics.groups_of(of.local(local)).into_iter();
                        groups.filter_map(|it| metrics.value(Metric::Earlier, it, workload)).collect()
                    };
                    let (fcfs, cons) = (all("FCFS"), all("CONS"));
                    if !fcfs.is_empty() && !cons.is_empty() {
                        let is_late = fcfs.iter().all(|early| *early < 50.0);
                        opposite.push(is_late && cons.iter().all(|early| *early > 50.0));
                    }
                }
                (!opposite.is_empty()).then(|| number(&opposite, Above(0.0), |it| *it))?
            }
            Check::AveragesWithin(algorithm, least, most) => {
                let all = metrics.turnarounds(Of { algorithm, ..with("") })?;
                let (low, high) = (min(all.iter().copied()), max(all));
                // How far outside the range the farthest one is; rounding makes half a hundredth of it.
                finding((least - low).max(high - most), AtMost(0.005), format!("from {low:.2} to {high:.2}"))
            }
            Check::Cancellation(metric, of, said) => {
                let is_so = |&(with, without): &(f64, f64)| match metric.is_better_if_less() {
                    true => with < without,
                    false => with > without,
                };
                share(&metrics.pairs(metric, of, without_cancellation)?, said, is_so)
            }
            Check::CancellationWorsens(cases, metric, of) => {
                let is_worse = |&(with, without): &(f64, f64)| match metric.is_better_if_less() {
                    true => with > without,
                    false => with < without,
                };
                number(&metrics.pairs(metric, of, without_cancellation)?, AtMost(cases as f64), is_worse)
            }
            Check::CancellationChanges(metric, of, said) => {
                let (with, without): (Vec<f64>, Vec<f64>) =
                    metrics.pairs(metric, of, without_cancellation)?.into_iter().unzip();
                let (with, without) = (mean(&with), mean(&without));
                finding(with - without, said, format!("with {with:.2}, without {without:.2}"))
            }
            Check::FewerLateCases(of) => {
                let late = |algorithm| metrics.late_cases(Of { algorithm, ..of });
                let (with, without) = (late("with")?, late("without")?);
                finding(with as f64 - without as f64, Below(0.0), format!("with {with}, without {without}"))
            }
            Check::WorstBeatsBest(local) => {
                let worst = max(metrics.turnarounds(with(HOMOGENEOUS).local(local))?);
                let best = min(metrics.turnarounds(without(HOMOGENEOUS).local(local))?);
                let detail = format!("worst with {worst:.2}, best without {best:.2}");
                finding(worst - best, Below(0.0), detail)
            }
            Check::Mean(algorithms, said) => {
                let of = |algorithm: &&'static str| metrics.turnarounds(Of { algorithm, ..with("") });
                let all: Vec<Vec<f64>> = algorithms.iter().map(of).collect::<Option<_>>()?;
                let mean = mean(&all.concat());
                finding(mean, said, format!("{mean:.2}"))
            }
            Check::CancellationLowers => {
                let mean = |of| Some(mean(&metrics.turnarounds(of)?));
                let (with, without) = (mean(with(""))?, mean(without(""))?);
                finding(with - without, Below(0.0), format!("with {with:.2}, without {without:.2}"))
            }
            Check::EarlierOfAll(said) => {
                let mut all = Vec::new();
                for group in metrics.groups_of(with("")).into_iter().chain(metrics.groups_of(without(""))) {
                    for workload in &metrics.workloads {
                        let value = |metric| metrics.value(metric, group, workload);
                        // Where no job changed, none is earlier.
                        let changed = value(Metric::Changed);
                        all.extend(
                            changed.map(|changed| changed * value(Metric::Earlier).unwrap_or(0.0) / 100.0),
                        );
                    }
                }
                let mean = average(all)?;
                finding(mean, said, format!("{mean:.1} %"))
            }
            Check::NoStarvation => starvation(metrics)?,
        })
    }
}

/// How late a job is at most with cancellation, and where.
fn starvation(metrics: &Metrics) -> Option<Finding> {
    let with = || metrics.effects.iter().filter(|effects| effects.group.algorithm == "with");
    let cases = with().filter_map(|effects| Some((effects.worst?, effects))).collect::<Vec<_>>();
    let ((hours, _), latest) = cases.iter().max_by(|a, b| a.0.0.total_cmp(&b.0.0))?;
    let starved = cases.iter().filter(|((hours, _), _)| *hours > STARVED_H).count();
    let cancellations = cases.iter().map(|((_, cancellations), _)| *cancellations).max().unwrap_or(0);
    let Group { platform, local, heuristic, .. } = &latest.group;
    let detail = format!(
        "{starved} of {} simulations; at most {hours:.0} h ({}, {platform}, {local}, {heuristic}); a job is cancelled up to \
         {cancellations} times",
        cases.len(),
        latest.workload
    );
    Some(finding(*hours, Said::AtMost(STARVED_H), detail))
}

/// By how much the average of a heuristic is above the next largest one, or below the next smallest one.
fn extreme(metrics: &Metrics, metric: Metric, of: Of, heuristic: &str, largest: bool) -> Option<Finding> {
    let all = metrics.averages(metric, of)?;
    let (_, its) = *all.iter().find(|(name, _)| *name == heuristic)?;
    let others = all.iter().filter(|(name, _)| *name != heuristic);
    let sign = if largest { 1.0 } else { -1.0 };
    let &(other, rival) = others.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
    let detail = format!("{heuristic} {its:.2}, {other} {rival:.2}");
    Some(finding(sign * (its - rival), Said::Above(0.0), detail))
}
