//! What statements claim of cases.

use super::super::figures::{Figures, Group, Metric};
use super::cases::{averages, cases};
use super::{Check, HETEROGENEOUS, HOMOGENEOUS};
use crate::tables::statistics::mean;

/// The part of the cases for which something is so.
pub(super) fn share(pairs: &[(f64, f64)], is_so: impl Fn(f64, f64) -> bool) -> Option<(f64, String)> {
    let so = pairs.iter().filter(|(first, second)| is_so(*first, *second)).count();
    (!pairs.is_empty()).then(|| (so as f64 / pairs.len() as f64, format!("{so} of {} cases", pairs.len())))
}

pub(super) fn mostly((part, figures): (f64, String)) -> Check {
    (part > 0.5, figures)
}

/// Whether FCFS has the larger value on average.
pub(super) fn fcfs_above_cbf(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
) -> Option<Check> {
    let pairs = cases(figures, metric, cancellation, platform, "FCFS", "CBF")?;
    let (fcfs, cbf): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let (fcfs, cbf) = (mean(&fcfs), mean(&cbf));
    Some((fcfs > cbf, format!("FCFS {fcfs:.1}, CBF {cbf:.1}")))
}

pub(super) fn at_most(values: &[f64], most: f64) -> Option<Check> {
    let largest = values.iter().copied().max_by(f64::total_cmp)?;
    Some((largest <= most, format!("at most {largest:.3}")))
}

/// Whether a heuristic has the largest or the least average.
pub(super) fn best(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    local: &str,
    heuristic: &str,
    largest: bool,
) -> Option<Check> {
    let of_kind =
        |of: &&Group| of.cancellation == cancellation && of.platform == platform && of.local == local;
    let all = figures.groups.iter().filter(of_kind);
    let all: Vec<(&str, f64)> =
        all.filter_map(|of| Some((of.heuristic.as_str(), figures.average(metric, of)?))).collect();
    let (_, its) = *all.iter().find(|(name, _)| *name == heuristic)?;
    let others = all.iter().filter(|(name, _)| *name != heuristic);
    let sign = if largest { 1.0 } else { -1.0 };
    let &(other, rival) = others.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
    Some((sign * its > sign * rival, format!("{heuristic} {its:.2}, {other} {rival:.2}")))
}

/// Whether the average relative response of every group lies within a range, rounded to two decimals as published.
pub(super) fn averages_within(figures: &Figures, cancellation: &str, least: f64, most: f64) -> Option<Check> {
    let mut all = averages(figures, Metric::Response, cancellation, HOMOGENEOUS)?;
    all.extend(averages(figures, Metric::Response, cancellation, HETEROGENEOUS)?);
    let values = || all.iter().map(|pair| pair.0);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let holds = low >= least - 0.005 && high <= most + 0.005;
    Some((holds, format!("from {low:.2} to {high:.2}")))
}

/// Whether every heuristic with cancellation has a better average response than every one without.
pub(super) fn worst_beats_best(figures: &Figures, local: &str) -> Option<Check> {
    let of = |cancellation: &str| -> Option<Vec<f64>> {
        let groups = figures.groups.iter().filter(|group| {
            group.cancellation == cancellation && group.platform == HOMOGENEOUS && group.local == local
        });
        let all: Vec<f64> = groups.filter_map(|group| figures.average(Metric::Response, group)).collect();
        (!all.is_empty()).then_some(all)
    };
    let worst = of("with")?.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let best = of("without")?.into_iter().fold(f64::INFINITY, f64::min);
    Some((worst < best, format!("worst with {worst:.2}, best without {best:.2}")))
}
