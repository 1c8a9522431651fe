//! The comparison of two baselines.

use super::baseline::{Baseline, GroupFigures};
use super::error::Incomparable;
use super::figure::Figure;
use super::identity::WorkloadIdentity;
use super::tolerance::Tolerances;
use crate::tables::GroupKey;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How results are compared with a baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckOptions {
    /// How far figures may be from the baseline.
    pub tolerances: Tolerances,
    /// Whether groups that are only in one of them are listed; else they make the two incomparable.
    pub allow_missing: bool,
    /// Whether figures that are better beyond their tolerance count as failures too.
    pub strict: bool,
}

/// Which way a figure has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// There is more of what should be little, or less of what should be much.
    Worse,
    /// The other way.
    Better,
}

impl Verdict {
    /// One word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Worse => "worse",
            Verdict::Better => "better",
        }
    }
}

/// A figure that differs from the baseline by more than its tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The group.
    pub group: GroupKey,
    /// The figure.
    pub figure: Figure,
    /// What it was; nothing if all simulations of the group had failed.
    pub before: Option<f64>,
    /// What it is; nothing if all simulations of the group failed.
    pub now: Option<f64>,
    /// Which way it has gone.
    pub verdict: Verdict,
}

impl Change {
    /// The difference as a part of what it was; nothing if that was zero, or one of the two is not there.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        let (before, now) = (self.before?, self.now?);
        (before != 0.0).then(|| (now - before) / before.abs())
    }
    /// By how much it has changed, for sorting. What cannot be said as a part is more than any part.
    fn size(&self) -> f64 {
        self.relative().map_or(f64::INFINITY, f64::abs)
    }
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// How it was made.
    pub options: CheckOptions,
    /// The title of the scenario.
    pub title: String,
    /// The semantics version of the baseline and of the results. Where they differ, figures may have changed by
    /// intention.
    pub semantics: (u32, u32),
    /// The groups that were compared, in the order of the tables.
    pub groups: Vec<GroupKey>,
    /// How many figures were compared.
    pub figures: usize,
    /// Figures that differ by more than their tolerance: first those that are worse, in each the largest change first.
    pub changes: Vec<Change>,
    /// Groups that are in the baseline only.
    pub gone: Vec<GroupKey>,
    /// Groups that are in the results only.
    pub new: Vec<GroupKey>,
}

impl CheckReport {
    /// How many figures have gone this way.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.changes.iter().filter(|change| change.verdict == verdict).count()
    }
    /// The changes that make it a failure: what is worse, in strict comparisons what is better too.
    pub fn failures(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| self.options.strict || change.verdict == Verdict::Worse)
    }
    /// Whether any change makes it a failure.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.failures().next().is_some()
    }
}

/// Compares what results amount to with a baseline.
///
/// # Errors
/// If they are of different scenarios or jobs, have no groups in common, or groups that only one of them has.
pub fn check(before: &Baseline, now: &Baseline, options: &CheckOptions) -> Result<CheckReport, Incomparable> {
    same_work(before, now)?;
    let keys = |baseline: &Baseline| -> Vec<GroupKey> {
        baseline.groups.iter().map(|group| group.key.clone()).collect()
    };
    let known: BTreeMap<&GroupKey, &GroupFigures> =
        before.groups.iter().map(|group| (&group.key, group)).collect();
    let common: Vec<(&GroupFigures, &GroupFigures)> =
        now.groups.iter().filter_map(|group| Some((*known.get(&group.key)?, group))).collect();
    if common.is_empty() {
        return Err(Incomparable::NothingCommon);
    }
    let groups: Vec<GroupKey> = common.iter().map(|(_, group)| group.key.clone()).collect();
    let (mut gone, mut new) = (keys(before), keys(now));
    gone.retain(|key| !groups.contains(key));
    new.retain(|key| !groups.contains(key));
    if !options.allow_missing && gone.len() + new.len() > 0 {
        return Err(Incomparable::Missing { gone, new });
    }
    let (mut figures, mut changes) = (0, Vec::new());
    for (before, now) in common {
        for figure in Figure::ALL {
            let value = |group: &GroupFigures| group.figures.get(&figure).copied();
            let (before, after) = (value(before), value(now));
            figures += usize::from(before.or(after).is_some());
            if let Some(verdict) = verdict(figure, before, after, &options.tolerances) {
                changes.push(Change { group: now.key.clone(), figure, before, now: after, verdict });
            }
        }
    }
    // Stable: of equal changes, the order of the tables.
    changes.sort_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| b.size().total_cmp(&a.size())));
    Ok(CheckReport {
        options: options.clone(),
        title: now.title.clone(),
        semantics: (before.semantics, now.semantics),
        groups,
        figures,
        changes,
        gone,
        new,
    })
}

/// Whether both are of the same scenario and jobs, but for their settings.
fn same_work(before: &Baseline, now: &Baseline) -> Result<(), Incomparable> {
    for (field, value) in &now.scenario {
        // Only one of them has a field: a version of the program that does not know it yet, or not any more.
        if let Some(known) = before.scenario.get(field).filter(|known| *known != value) {
            let (now, before) = (value.to_string(), known.to_string());
            return Err(Incomparable::Scenario { field: field.clone(), now, before });
        }
    }
    for workload in &now.workloads {
        // One that is missing is told by its groups.
        let Some(known) = before.workloads.iter().find(|known| known.name == workload.name) else { continue };
        if (known.nodes, known.node_memory_gb) != (workload.nodes, workload.node_memory_gb) {
            let cluster = |of: &WorkloadIdentity| format!("{} nodes of {} GB", of.nodes, of.node_memory_gb);
            let (now, before) = (cluster(workload), cluster(known));
            return Err(Incomparable::Cluster { workload: workload.name.clone(), now, before });
        }
        if known != workload {
            return Err(Incomparable::Jobs {
                workload: workload.name.clone(),
                now: workload.instances,
                now_digest: workload.jobs.clone(),
                before: known.instances,
                before_digest: known.jobs.clone(),
            });
        }
    }
    Ok(())
}

/// Which way a figure has gone beyond its tolerance. A figure that is not there any more is worse.
fn verdict(
    figure: Figure,
    before: Option<f64>,
    now: Option<f64>,
    tolerances: &Tolerances,
) -> Option<Verdict> {
    let rise = match (before, now) {
        (None, None) => return None,
        (Some(_), None) => return Some(Verdict::Worse),
        (None, Some(_)) => return Some(Verdict::Better),
        (Some(before), Some(now)) if tolerances.of(figure).allows(before, now) => return None,
        (Some(before), Some(now)) => now.total_cmp(&before) == Ordering::Greater,
    };
    Some(if rise == figure.more_is_better() { Verdict::Better } else { Verdict::Worse })
}

#[cfg(test)]
mod tests {
    use super::super::tolerance::Tolerance;
    use super::*;
    use dfrsim_model::SimSpan;

    fn group(policy: &str, figures: &[(Figure, f64)]) -> GroupFigures {
        let key = GroupKey {
            workload: "log".into(),
            load: None,
            policy: policy.into(),
            penalty_s: SimSpan::from_secs(300),
            period_s: None,
            packing: None,
            drop: None,
            tau_s: SimSpan::from_secs(10),
        };
        GroupFigures { key, figures: figures.iter().copied().collect() }
    }
    fn baseline(groups: Vec<GroupFigures>) -> Baseline {
        let workload = WorkloadIdentity {
            name: "log".into(),
            nodes: 128,
            node_memory_gb: 8.0,
            instances: 1,
            jobs: "0123456789abcdef".into(),
        };
        let workloads = vec![workload];
        let scenario = toml::toml! { seed = 1 };
        Baseline { semantics: 1, title: String::new(), scenario, workloads, groups }
    }
    const MEAN: Figure = Figure::MeanDegradation;
    const DONE: Figure = Figure::Completed;

    /// Against 10 %: mean 100 to 115 is worse by 15 %, to 111 by 11 %; completed 100 to 80 is worse by 20 %; pauses from
    /// none to one are worse by more than any part; migrations 10 to 8 are better by 20 %; 100 to 109 is within.
    #[test]
    fn worse_first_and_the_largest_change_first() {
        let before = baseline(vec![
            group("A", &[(MEAN, 100.0), (DONE, 100.0), (Figure::MaxDegradation, 100.0)]),
            group("B", &[(MEAN, 100.0), (Figure::Pauses, 0.0), (Figure::Migrations, 10.0)]),
        ]);
        let now = baseline(vec![
            group("A", &[(MEAN, 115.0), (DONE, 80.0), (Figure::MaxDegradation, 109.0)]),
            group("B", &[(MEAN, 111.0), (Figure::Pauses, 1.0), (Figure::Migrations, 8.0)]),
        ]);
        let all = "10%".parse().unwrap();
        let tolerances = Tolerances { all, ..Tolerances::default() };
        let mut options = CheckOptions { tolerances, ..CheckOptions::default() };
        let report = check(&before, &now, &options).unwrap();
        let told: Vec<(&str, Figure, Verdict)> = report
            .changes
            .iter()
            .map(|change| (change.group.policy.as_str(), change.figure, change.verdict))
            .collect();
        assert_eq!(
            told,
            [
                ("B", Figure::Pauses, Verdict::Worse),
                ("A", DONE, Verdict::Worse),
                ("A", MEAN, Verdict::Worse),
                ("B", MEAN, Verdict::Worse),
                ("B", Figure::Migrations, Verdict::Better),
            ]
        );
        assert_eq!((report.figures, report.failures().count()), (6, 4));

        // Wider for the one, narrower for the other; the better one counts when it is strict.
        options.tolerances.single.insert(MEAN, Tolerance::new(0.12).unwrap());
        options.tolerances.single.insert(Figure::MaxDegradation, Tolerance::default());
        options.strict = true;
        let report = check(&before, &now, &options).unwrap();
        assert_eq!((report.changes.len(), report.failures().count()), (5, 5));
        assert!(report.changes.iter().any(|change| change.figure == Figure::MaxDegradation));
    }

    #[test]
    fn a_better_result_fails_in_strict_comparisons_only() {
        let before = baseline(vec![group("A", &[(MEAN, 2.0)])]);
        let now = baseline(vec![group("A", &[(MEAN, 1.0)])]);
        let fails = |strict| {
            let options = CheckOptions { strict, ..CheckOptions::default() };
            check(&before, &now, &options).unwrap().fails()
        };
        assert!(!fails(false));
        assert!(fails(true));
    }

    #[test]
    fn figures_that_are_gone_are_worse_and_such_that_appear_are_better() {
        let with = baseline(vec![group("A", &[(MEAN, 2.0)])]);
        let without = baseline(vec![group("A", &[])]);
        let verdict = |before, now| check(before, now, &CheckOptions::default()).unwrap().changes[0].verdict;
        assert_eq!(verdict(&with, &without), Verdict::Worse);
        assert_eq!(verdict(&without, &with), Verdict::Better);
    }

    #[test]
    fn other_work_is_told_apart() {
        let before = baseline(vec![group("A", &[]), group("B", &[])]);
        let told = |now: &Baseline| check(&before, now, &CheckOptions::default()).unwrap_err();
        let mut now = before.clone();
        now.workloads[0].jobs = "fedcba9876543210".into();
        assert_eq!(
            told(&now).to_string(),
            "workload `log`: has other jobs: 1 instances, digest fedcba987654, the baseline 1 instances, digest 0123456789ab"
        );
        now.workloads[0].nodes = 64;
        assert_eq!(
            told(&now).to_string(),
            "workload `log`: has 64 nodes of 8 GB, the baseline 128 nodes of 8 GB"
        );
        now.scenario = toml::toml! { seed = 2 };
        assert_eq!(told(&now).to_string(), "another scenario: `seed` is 2, the baseline has 1");
        assert_eq!(told(&baseline(vec![group("C", &[])])), Incomparable::NothingCommon);
    }

    #[test]
    fn missing_groups_are_an_error_or_listed() {
        let before = baseline(vec![group("A", &[]), group("B", &[])]);
        let now = baseline(vec![group("B", &[]), group("C", &[])]);
        let mut options = CheckOptions::default();
        let told = check(&before, &now, &options).unwrap_err().to_string();
        assert_eq!(
            told,
            "only in the baseline: log, A, penalty 300 s, tau 10 s; \
             only in the results: log, C, penalty 300 s, tau 10 s; --allow-missing compares the others"
        );
        options.allow_missing = true;
        let report = check(&before, &now, &options).unwrap();
        let policies = |keys: &[GroupKey]| keys.iter().map(|key| key.policy.clone()).collect::<Vec<_>>();
        assert_eq!(policies(&report.groups), ["B"]);
        assert_eq!((policies(&report.gone), policies(&report.new)), (vec!["A".into()], vec!["C".into()]));
    }
}
