//! Tables in the layout of the published ones: a line for each policy.

use super::bandwidth::{Counting, costs};
use super::degradation::{measures, published};
use crate::groups::{Group, Matrix};
use crate::published::CostUnit;
use dfrsim_lab::{Cell, Table};
use dfrsim_policies::Policy;

/// The policies of a scenario in its order, each with its groups that have the default setting.
fn by_policy<'a>(matrix: &Matrix<'_>, groups: &'a [Group<'a>]) -> Vec<(Policy, Vec<&'a Group<'a>>)> {
    let mut policies: Vec<(Policy, Vec<&Group<'_>>)> = Vec::new();
    for group in groups.iter().filter(|group| matrix.is_default(group)) {
        let policy = group.setting.policy;
        match policies.iter_mut().find(|(known, _)| *known == policy) {
            Some((_, own)) => own.push(group),
            None => policies.push((policy, vec![group])),
        }
    }
    policies
}

/// Degradation with a column for each of mean, standard deviation and maximum on each workload as a whole, ours and published:
/// the means are table 5.2, all of them tables B.1 to B.3.
pub(super) fn degradation(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let workloads = &matrix.scenario.workloads;
    let is_published: Vec<bool> = workloads
        .iter()
        .map(|workload| workload.published.iter().any(|it| it.means().next().is_some()))
        .collect();
    let mut header = vec!["policy".to_owned()];
    for (workload, is_published) in workloads.iter().zip(&is_published) {
        for measure in ["mean", "sd", "max"] {
            header.push(format!("{}_{measure}", workload.name));
            header.extend(is_published.then(|| format!("{}_{measure}_published", workload.name)));
        }
    }
    let line = |(policy, own): (Policy, Vec<&Group<'_>>)| {
        let mut cells = vec![Cell::Text(policy.to_string())];
        for (workload, &is_published) in workloads.iter().zip(&is_published) {
            let group = own.iter().find(|it| it.scope.workload.name == workload.name && it.scope.is_whole());
            let ours = group.map_or([None; 3], |group| measures(group));
            let theirs = group.and_then(|group| published(group));
            for (at, ours) in ours.into_iter().enumerate() {
                cells.push(Cell::optional(ours));
                cells.extend(is_published.then(|| Cell::optional(theirs.map(|values| values[at]))));
            }
        }
        cells
    };
    Table::new(header, by_policy(matrix, groups).into_iter().map(line).collect())
}

/// GB/s of preemptions (pauses and resumes) and migrations (once), mean and maximum, as in table 6.1: of the traces that it is about.
pub(super) fn bandwidth(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let header = ["policy", "mean_preemption", "max_preemption", "mean_migration", "max_migration"];
    let line = |(policy, own): (Policy, Vec<&Group<'_>>)| {
        let is_meant = |group: &&&Group<'_>| {
            let mut tables = group.scope.workload.published.iter();
            tables.any(|table| table.min_load().is_some_and(|load| group.scope.is_from(load)))
        };
        let costs =
            costs(own.iter().find(is_meant)?, CostUnit::GigabytesPerSecond, Counting::PausesAndResumes)?;
        let (preemption, migration) = (costs.preemption, costs.migration);
        let values = [preemption.0, preemption.1, migration.0, migration.1].map(Cell::Number);
        Some(std::iter::once(Cell::Text(policy.to_string())).chain(values).collect())
    };
    Table::new(header, by_policy(matrix, groups).into_iter().filter_map(line).collect())
}
