//! The cases that statements are about.

use super::super::figures::{Figures, Group, Metric};

pub(super) fn group(cancellation: &str, platform: &str, local: &str, heuristic: &str) -> Group {
    Group {
        cancellation: cancellation.to_owned(),
        platform: platform.to_owned(),
        local: local.to_owned(),
        heuristic: heuristic.to_owned(),
    }
}

/// The figures of all groups and workloads beside those of the groups that `partner` gives; nothing if there are none.
pub(super) fn pairs(
    figures: &Figures,
    metric: Metric,
    which: impl Fn(&Group) -> bool,
    partner: impl Fn(&Group) -> Group,
) -> Option<Vec<(f64, f64)>> {
    let mut pairs = Vec::new();
    for group in figures.groups.iter().filter(|group| which(group)) {
        for workload in &figures.workloads {
            let value = |group: &Group| Some(figures.figure(metric, group, workload)?.mean);
            pairs.extend(value(group).zip(value(&partner(group))));
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// The cases of one kind, each beside itself.
pub(super) fn own(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    local: Option<&str>,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == cancellation
            && group.platform == platform
            && local.is_none_or(|local| group.local == local)
    };
    pairs(figures, metric, which, Group::clone)
}

/// Cases with one local policy beside those with another.
pub(super) fn cases(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
    first: &str,
    second: &str,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == cancellation && group.platform == platform && group.local == first
    };
    pairs(figures, metric, which, |group| Group { local: second.to_owned(), ..group.clone() })
}

/// Cases with cancellation beside those without.
pub(super) fn with_and_without(
    figures: &Figures,
    metric: Metric,
    platform: &str,
    local: Option<&str>,
) -> Option<Vec<(f64, f64)>> {
    let which = |group: &Group| {
        group.cancellation == "with"
            && group.platform == platform
            && local.is_none_or(|local| group.local == local)
    };
    pairs(figures, metric, which, |group| Group { cancellation: "without".to_owned(), ..group.clone() })
}

/// The averages of all groups of one kind, each beside itself.
pub(super) fn averages(
    figures: &Figures,
    metric: Metric,
    cancellation: &str,
    platform: &str,
) -> Option<Vec<(f64, f64)>> {
    let groups = figures.groups.iter();
    let of_kind = groups.filter(|group| group.cancellation == cancellation && group.platform == platform);
    let all: Vec<(f64, f64)> =
        of_kind.filter_map(|group| figures.average(metric, group)).map(|value| (value, value)).collect();
    (!all.is_empty()).then_some(all)
}

/// Reallocations for each job of all simulations.
pub(super) fn per_job(figures: &Figures, cancellation: &str) -> Option<Vec<f64>> {
    let all = figures.moves_per_job.iter().filter(|(group, _)| group.cancellation == cancellation);
    let all: Vec<f64> = all.map(|(_, moves)| *moves).collect();
    (!all.is_empty()).then_some(all)
}
