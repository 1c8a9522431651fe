//! Regression check of results against a committed baseline.
//!
//! A [`Baseline`] is a summary of [`Results`](crate::Results): for each group of label and variant
//! columns the number of runs and failures, and the mean and the worst value of each metric, with
//! digests of the instances. It is stored as a small TOML file with one line per value, and
//! [`check`] compares two of them.

mod baseline;
mod junit;
mod report;
mod tolerance;

pub use baseline::{Baseline, GroupSummary};
pub use tolerance::{Tolerance, Tolerances};

use crate::column::Better;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// Options of a comparison with a baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckOptions {
    /// Tolerated relative deviations from the baseline.
    pub tolerances: Tolerances,
    /// Metrics that are compared: `degradation` for mean and worst value, `degradation.mean`,
    /// `failures`; all if empty.
    pub metrics: Vec<String>,
    /// True if groups that occur only in the baseline or only in the results are listed; otherwise
    /// they are an error.
    pub allow_missing: bool,
    /// True if improvements beyond the tolerance count as failures too.
    pub strict: bool,
}

impl CheckOptions {
    /// Returns whether a metric is compared.
    fn compares(&self, metric: &str) -> bool {
        let column = tolerance::column(metric);
        self.metrics.is_empty() || self.metrics.iter().any(|name| [metric, column].contains(&name.as_str()))
    }
}

dfrsim_model::named! {
    /// Direction in which a value has changed.
    pub enum Direction as "direction" {
        /// The value got worse.
        Worse = "worse",
        /// The value improved.
        Better = "better",
    }
}

/// A value that differs from the baseline by more than its tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Name of the group.
    pub group: String,
    /// Name of the metric: `failures`, `degradation.mean`.
    pub metric: String,
    /// Value in the baseline.
    pub before: f64,
    /// Value in the results; `None` if no run of the group has one.
    pub now: Option<f64>,
    /// Direction of the change.
    pub direction: Direction,
}

impl Change {
    /// Returns the change relative to the baseline; `None` if the baseline is zero or the value is
    /// missing now.
    pub fn relative(&self) -> Option<f64> {
        let (before, now) = (self.before, self.now?);
        (before != 0.0).then(|| (now - before) / before.abs())
    }
    /// Returns the absolute relative change, for sorting; infinite if there is no relative change.
    fn size(&self) -> f64 {
        self.relative().map_or(f64::INFINITY, f64::abs)
    }
}

/// Reason why results and a baseline cannot be compared, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CheckError(String);

/// Outcome of a comparison with a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// Options of the comparison.
    pub options: CheckOptions,
    /// Name of the study.
    pub study: String,
    /// Title of the scenario.
    pub title: String,
    /// Version of the study's rows in the baseline and in the results. If they differ, values may
    /// have changed intentionally.
    pub semantics: (u32, u32),
    /// Groups that were compared, in the order of the rows.
    pub groups: Vec<String>,
    /// Number of values that were compared.
    pub values: usize,
    /// Values that differ by more than their tolerance: regressions first, then improvements, each
    /// by decreasing size.
    pub changes: Vec<Change>,
    /// Groups that are only in the baseline.
    pub only_in_baseline: Vec<String>,
    /// Groups, and values of common groups, that are only in the results and cannot be compared.
    pub only_in_results: Vec<String>,
}

impl CheckReport {
    /// Counts the values that have changed in this direction.
    pub fn count(&self, direction: Direction) -> usize {
        self.changes.iter().filter(|change| change.direction == direction).count()
    }
    /// Returns the changes that make the check fail: regressions, and improvements too if the check
    /// is strict.
    pub fn failures(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| self.options.strict || change.direction == Direction::Worse)
    }
    /// Returns whether the check fails.
    pub fn fails(&self) -> bool {
        self.failures().next().is_some()
    }
}

/// Compares the summary of results with a baseline. A value that is missing from the results counts
/// as worse.
///
/// # Errors
/// Returns an error if the two are of different studies or instances, or have no groups in common;
/// and, unless missing ones are allowed, if only one of them has a group or only the results have a
/// value.
pub fn check(before: &Baseline, now: &Baseline, options: &CheckOptions) -> Result<CheckReport, CheckError> {
    if before.study != now.study {
        let (now, before) = (&now.study, &before.study);
        return Err(CheckError(format!(
            "the results are of the study `{now}`, but the baseline is of `{before}`"
        )));
    }
    let known_metrics = || now.directions.iter().map(|(metric, _)| metric.as_str());
    tolerance::check_names(options.tolerances.single.keys(), known_metrics()).map_err(CheckError)?;
    tolerance::check_names(options.metrics.iter(), known_metrics()).map_err(CheckError)?;
    let instances: FxHashMap<&str, &str> =
        before.instances.iter().map(|(labels, it)| (labels.as_str(), it.as_str())).collect();
    for (labels, own) in &now.instances {
        // Labels that occur on one side only are reported with their groups.
        if let Some(known) = instances.get(labels.as_str()).filter(|known| *known != own) {
            return Err(CheckError(format!(
                "the instances of {labels} differ: {own} in the results, {known} in the baseline"
            )));
        }
    }
    let known: FxHashMap<&str, &GroupSummary> =
        before.groups.iter().map(|group| (group.name.as_str(), group)).collect();
    let common: Vec<(&GroupSummary, &GroupSummary)> =
        now.groups.iter().filter_map(|group| Some((*known.get(group.name.as_str())?, group))).collect();
    if common.is_empty() {
        let first = |of: &Baseline| of.groups.first().map_or("none", |group| &group.name).to_owned();
        return Err(CheckError(format!(
            "results and baseline have no group (labels and variant) in common; the first of the results is {}, and that of the \
             baseline {}",
            first(now),
            first(before)
        )));
    }
    let only = |of: &Baseline, other: &Baseline| -> Vec<String> {
        let names: FxHashSet<&str> = other.groups.iter().map(|it| it.name.as_str()).collect();
        let own = of.groups.iter().map(|group| &group.name);
        own.filter(|name| !names.contains(name.as_str())).cloned().collect()
    };
    let (gone, mut new) = (only(before, now), only(now, before));
    for (before, after) in &common {
        let missing = after.values.keys().filter(|metric| !before.values.contains_key(*metric));
        new.extend(missing.map(|metric| format!("{metric} of {}", after.name)));
    }
    if !options.allow_missing && gone.len() + new.len() > 0 {
        let missing = report::missing(&gone, &new);
        return Err(CheckError(format!("{missing}; use --allow-missing to compare the others")));
    }
    let (mut values, mut changes) = (0, Vec::new());
    for (before, after) in &common {
        for (metric, better) in now.directions.iter().filter(|(metric, _)| options.compares(metric)) {
            let Some(&was) = before.values.get(metric) else { continue };
            let is = after.values.get(metric).copied();
            values += 1;
            let tolerance = options.tolerances.of(metric);
            if let Some(direction) = direction(*better, was, is, tolerance) {
                let (group, metric) = (after.name.clone(), metric.clone());
                changes.push(Change { group, metric, before: was, now: is, direction });
            }
        }
    }
    // The sort is stable: equal changes keep the order of the rows.
    changes.sort_by(|a, b| a.direction.cmp(&b.direction).then_with(|| b.size().total_cmp(&a.size())));
    Ok(CheckReport {
        options: options.clone(),
        study: now.study.clone(),
        title: now.title.clone(),
        semantics: (before.semantics, now.semantics),
        groups: common.iter().map(|(_, group)| group.name.clone()).collect(),
        values,
        changes,
        only_in_baseline: gone,
        only_in_results: new,
    })
}

/// Returns the direction in which a value has changed beyond its tolerance. A value that is missing
/// now counts as worse.
fn direction(better: Better, before: f64, now: Option<f64>, tolerance: Tolerance) -> Option<Direction> {
    let has_risen = match now {
        None => return Some(Direction::Worse),
        Some(now) if tolerance.allows(before, now) => return None,
        Some(now) => now.total_cmp(&before) == Ordering::Greater,
    };
    Some(if has_risen == (better == Better::More) { Direction::Better } else { Direction::Worse })
}
