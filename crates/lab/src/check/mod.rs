//! Regressions: whether results are worse than a committed baseline.
//!
//! A [`Baseline`] is a summary of [`Results`](crate::Results): for each group of label and variant columns the number of
//! runs and failures, and mean and worst value of each metric, with digests of the instances. It is kept as a small TOML file
//! with a line for each value, and [`check`] compares two of them.

mod baseline;
mod junit;
mod report;
mod tolerance;

pub use baseline::{Baseline, GroupSummary};
pub use tolerance::{Tolerance, Tolerances};

use crate::column::Better;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// How results are compared with a baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckOptions {
    /// How far values may be from the baseline.
    pub tolerances: Tolerances,
    /// Whether groups that are only in one of them are listed; else they make the two incomparable.
    pub allow_missing: bool,
    /// Whether values that are better beyond their tolerance count as failures too.
    pub strict: bool,
}

dfrsim_model::named! {
    /// In which direction a value has changed.
    pub enum Direction as "direction" {
        /// There is more of what should be little, or less of what should be much.
        Worse = "worse",
        /// The opposite.
        Better = "better",
    }
}

/// A value that differs from the baseline by more than its tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The group.
    pub group: String,
    /// The metric: `failures`, `degradation.mean`.
    pub metric: String,
    /// The value in the baseline.
    pub before: f64,
    /// What it is; `None` if no run of the group has a value.
    pub now: Option<f64>,
    /// In which direction it has changed.
    pub direction: Direction,
}

impl Change {
    /// The difference in relation to what it was; `None` if that was zero, or the value is missing now.
    pub fn relative(&self) -> Option<f64> {
        let (before, now) = (self.before, self.now?);
        (before != 0.0).then(|| (now - before) / before.abs())
    }
    /// By how much it has changed, for sorting. What is not relative to anything is more than anything that is.
    fn size(&self) -> f64 {
        self.relative().map_or(f64::INFINITY, f64::abs)
    }
}

/// Why results and a baseline cannot be compared, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CheckError(String);

/// A comparison with a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// How it was made.
    pub options: CheckOptions,
    /// The study.
    pub study: String,
    /// The title of the scenario.
    pub title: String,
    /// The version of the study's rows in the baseline and in the results. Where they differ, values may have changed by
    /// intention.
    pub semantics: (u32, u32),
    /// The groups that were compared, in the order of the rows.
    pub groups: Vec<String>,
    /// How many values were compared.
    pub values: usize,
    /// Values that differ by more than their tolerance: first those that are worse, in each the largest change first.
    pub changes: Vec<Change>,
    /// Groups that are in the baseline only.
    pub gone: Vec<String>,
    /// Groups, and values of common groups, that are in the results only, so they cannot be compared.
    pub new: Vec<String>,
}

impl CheckReport {
    /// How many values have changed in this direction.
    pub fn count(&self, direction: Direction) -> usize {
        self.changes.iter().filter(|change| change.direction == direction).count()
    }
    /// The changes that make it a failure: what is worse, in strict comparisons what is better too.
    pub fn failures(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| self.options.strict || change.direction == Direction::Worse)
    }
    /// Whether any change makes it a failure.
    pub fn fails(&self) -> bool {
        self.failures().next().is_some()
    }
}

/// Compares the summary of results with a baseline.
///
/// # Errors
/// If they are of different studies or instances, have no groups in common, or groups or values that only one of them has, but
/// for values that the results lack, which is worse.
pub fn check(before: &Baseline, now: &Baseline, options: &CheckOptions) -> Result<CheckReport, CheckError> {
    if before.study != now.study {
        let (now, before) = (&now.study, &before.study);
        return Err(CheckError(format!("the results are of the study `{now}`, the baseline of `{before}`")));
    }
    options.tolerances.check(now.directions.iter().map(|(metric, _)| metric.as_str())).map_err(CheckError)?;
    let instances: FxHashMap<&str, &str> =
        before.instances.iter().map(|(labels, it)| (labels.as_str(), it.as_str())).collect();
    for (labels, own) in &now.instances {
        // Labels that only one of them has are reported with their groups.
        if let Some(known) = instances.get(labels.as_str()).filter(|known| *known != own) {
            return Err(CheckError(format!(
                "the instances of {labels} differ: {own} here, {known} in the baseline"
            )));
        }
    }
    let known: FxHashMap<&str, &GroupSummary> =
        before.groups.iter().map(|group| (group.name.as_str(), group)).collect();
    let common: Vec<(&GroupSummary, &GroupSummary)> =
        now.groups.iter().filter_map(|group| Some((*known.get(group.name.as_str())?, group))).collect();
    if common.is_empty() {
        return Err(CheckError("results and baseline have no labels and variant in common".to_owned()));
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
        return Err(CheckError(format!("{missing}; --allow-missing compares the others")));
    }
    let (mut values, mut changes) = (0, Vec::new());
    for (before, after) in &common {
        for (metric, better) in &now.directions {
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
    // Stable: equal changes keep the order of the rows.
    changes.sort_by(|a, b| a.direction.cmp(&b.direction).then_with(|| b.size().total_cmp(&a.size())));
    Ok(CheckReport {
        options: options.clone(),
        study: now.study.clone(),
        title: now.title.clone(),
        semantics: (before.semantics, now.semantics),
        groups: common.iter().map(|(_, group)| group.name.clone()).collect(),
        values,
        changes,
        gone,
        new,
    })
}

/// In which direction a value has changed beyond its tolerance. A value that is not there any more is worse.
fn direction(better: Better, before: f64, now: Option<f64>, tolerance: Tolerance) -> Option<Direction> {
    let has_risen = match now {
        None => return Some(Direction::Worse),
        Some(now) if tolerance.allows(before, now) => return None,
        Some(now) => now.total_cmp(&before) == Ordering::Greater,
    };
    Some(if has_risen == (better == Better::More) { Direction::Better } else { Direction::Worse })
}
