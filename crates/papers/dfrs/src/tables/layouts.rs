//! Tables in the layout of the published ones: a line for each policy.

use super::bandwidth::{COLUMNS, Counting, costs, values};
use super::degradation::{measures, published};
use crate::groups::{Group, Matrix};
use crate::published::CostUnit;
use dfrsim_lab::{Table, TableLine, by_key};

/// The groups that have the default setting, by policy in the order of the scenario.
fn by_policy<'a>(matrix: &Matrix<'_>, groups: &'a [Group<'a>]) -> Vec<Vec<&'a Group<'a>>> {
    by_key(groups.iter().filter(|group| matrix.is_default(group)), |group| group.setting.policy.to_string())
}

/// Degradation with a column for each of mean, standard deviation and maximum on each workload as a whole, ours and published:
/// the means are table 5.2, all of them tables B.1 to B.3.
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

/// GB/s of preemptions (pauses and resumes) and migrations (once), mean and maximum, as in table 6.1: of the traces that it is about.
pub(super) fn bandwidth(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let line = |own: Vec<&Group<'_>>| {
        let is_meant = |group: &&&Group<'_>| {
            let mut tables = group.scope.workload.published.iter();
            tables.any(|table| table.min_load().is_some_and(|load| group.scope.is_from(load)))
        };
        let costs =
            costs(own.iter().find(is_meant)?, CostUnit::GigabytesPerSecond, Counting::PAUSES_AND_RESUMES)?;
        let line = TableLine::new().with("policy", own[0].setting.policy.to_string());
        Some(line.with_all(COLUMNS.into_iter().zip(values(Some(costs)))))
    };
    by_policy(matrix, groups).into_iter().filter_map(line).collect()
}
