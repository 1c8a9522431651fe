//! Tables in the layout of the published ones, with a line for each policy.

use super::bandwidth::{COLUMNS, CountingRule, costs, values};
use super::degradation::{measures, published};
use crate::groups::{Group, Matrix};
use crate::published::CostUnit;
use dfrsim_lab::{Table, TableLine, by_key};

/// Returns the groups with the default setting, by policy in the order of the scenario.
fn by_policy<'a>(matrix: &Matrix<'_>, groups: &'a [Group<'a>]) -> Vec<Vec<&'a Group<'a>>> {
    by_key(groups.iter().filter(|group| matrix.is_default(group)), |group| group.setting.policy.to_string())
}

/// Builds the table of degradations with columns for mean, standard deviation and maximum on each
/// whole workload, ours and published. The means are those of table 5.2; all columns together are
/// those of tables B.1 to B.3.
pub(super) fn degradation(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let line = |own: Vec<&Group<'_>>| {
        let mut line = TableLine::new().with("policy", own[0].setting.policy.to_string());
        for workload in &matrix.scenario.workloads {
            let is_published = workload.degradations().is_some();
            let group = own.iter().find(|it| it.scope.workload.name == workload.name && it.scope.is_whole());
            let ours = group.map_or([None; 3], |group| measures(group));
            let theirs = group.and_then(|group| published(group));
            for (at, measure) in ["mean", "sd", "max"].into_iter().enumerate() {
                let name = format!("{}_{measure}", workload.name);
                let published =
                    is_published.then(|| (format!("{name}_published"), theirs.map(|values| values[at])));
                line = line.with(name, ours[at]).with_all(published);
            }
        }
        line
    };
    by_policy(matrix, groups).into_iter().map(line).collect()
}

/// Builds the table of GB/s of preemptions (pauses and resumes) and migrations (once), mean and
/// maximum, as in table 6.1 and for its traces.
pub(super) fn bandwidth(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let line = |own: Vec<&Group<'_>>| {
        let is_meant = |group: &&&Group<'_>| {
            let mut tables = group.scope.workload.published.iter();
            tables.any(|table| table.min_load().is_some_and(|load| group.scope.is_published_range(load)))
        };
        let costs = costs(
            own.iter().find(is_meant)?,
            CostUnit::GigabytesPerSecond,
            CountingRule::PAUSES_AND_RESUMES,
        )?;
        let line = TableLine::new().with("policy", own[0].setting.policy.to_string());
        Some(line.with_all(COLUMNS.into_iter().zip(values(Some(costs)))))
    };
    by_policy(matrix, groups).into_iter().filter_map(line).collect()
}
