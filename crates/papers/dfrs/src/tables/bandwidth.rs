//! Costs of preemptions and migrations (dissertation, section 6.1 and tables B.4 to B.6).
//!
//! What the printed tables count is an inference. They fit if a preemption is its pause and its
//! resume, in GB/s as in occurrences, and a migration is counted once. The public script (vcsim,
//! 2010) counts resumes only. Both counts are written, under distinct names.

use super::{NEAR, is_near};
use crate::groups::Group;
use crate::published::CostUnit;
use crate::rows::SimulationRow;
use dfrsim_lab::{Statistics, Table, rank_correlation};

/// Computes the bandwidth of preemptions (written by pauses and read by resumes) over the makespan,
/// in GB/s, for nodes with this memory.
pub(crate) fn preemption_gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    gigabytes(row, node_memory_gb)[0]
}
/// Computes the bandwidth of migrations, counted once, over the makespan, in GB/s.
pub(crate) fn migration_gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    gigabytes(row, node_memory_gb)[1]
}
/// Computes the bandwidth of preemptions and migrations together, in GB/s.
pub(crate) fn gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    preemption_gb_per_s(row, node_memory_gb) + migration_gb_per_s(row, node_memory_gb)
}
fn gigabytes(row: &SimulationRow, node_memory_gb: f64) -> [f64; 2] {
    costs_of_row(row, CostUnit::GigabytesPerSecond, CountingRule::PAUSES_AND_RESUMES, node_memory_gb)
}

/// Rule by which preemptions are counted. A migration is counted once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CountingRule {
    name: &'static str,
    per_preemption: f64,
}

impl CountingRule {
    /// A preemption is a pause and a resume.
    pub(super) const PAUSES_AND_RESUMES: CountingRule =
        CountingRule { name: "pauses and resumes", per_preemption: 2.0 };
    /// A preemption is a resume; there are as many resumes as pauses.
    const RESUMES: CountingRule = CountingRule { name: "resumes", per_preemption: 1.0 };
    const ALL: [CountingRule; 2] = [CountingRule::PAUSES_AND_RESUMES, CountingRule::RESUMES];
}

/// Names of the columns of preemptions and migrations, each with mean and maximum.
pub(super) const COLUMNS: [&str; 4] =
    ["mean_preemption", "max_preemption", "mean_migration", "max_migration"];

pub(super) fn values(costs: Option<[f64; 4]>) -> [Option<f64>; 4] {
    costs.map_or([None; 4], |costs| costs.map(Some))
}

const UNITS: [(CostUnit, &str, &str); 3] = [
    (CostUnit::GigabytesPerSecond, "GB/s", "gb_per_s"),
    (CostUnit::PerHour, "per hour", "per_hour"),
    (CostUnit::PerJob, "per job", "per_job"),
];

/// Builds the table of mean and maximum over the instances of pauses and resumes together, of
/// resumes alone, and of migrations counted once: in GB/s, occurrences per hour and per job.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    let line = |group: &Group<'_>| {
        let mut line = group.line();
        for (unit, _, name) in UNITS {
            let [both, resumes] = CountingRule::ALL.map(|counting| values(costs(group, unit, counting)));
            for (counted, mean, max) in [
                ("pauses_and_resumes", both[0], both[1]),
                ("resumes", resumes[0], resumes[1]),
                ("migrations", both[2], both[3]),
            ] {
                line = line
                    .with(format!("mean_{counted}_{name}"), mean)
                    .with(format!("max_{counted}_{name}"), max);
            }
        }
        line
    };
    groups.iter().map(line).collect()
}

/// Builds the comparison with the published costs of the groups that a published table covers, with
/// a line for each unit and rule of counting.
pub(super) fn compared(groups: &[Group<'_>]) -> Table {
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for (unit, name, _) in UNITS {
        for counting in CountingRule::ALL {
            let mut pairs: [Vec<(f64, f64)>; 4] = Default::default();
            for group in groups {
                let Some(published) = published(group, unit) else { continue };
                let ours = values(costs(group, unit, counting));
                let mut line = group.line().with("unit", name).with("preemptions_counted", counting.name);
                for (at, (ours, published)) in ours.into_iter().zip(values(Some(published))).enumerate() {
                    line = line.with_published(COLUMNS[at], ours, published);
                    pairs[at].extend(ours.zip(published));
                }
                lines.push(line);
            }
            let counted = counting.name;
            notes.extend(
                agreement(&pairs[0]).map(|agreement| format!("{name}, mean of {counted}: {agreement}")),
            );
            // Both rules count migrations alike.
            let migrations = agreement(&pairs[2]).filter(|_| counting == CountingRule::PAUSES_AND_RESUMES);
            notes
                .extend(migrations.map(|agreement| format!("{name}, mean of migrations, once: {agreement}")));
        }
    }
    lines.into_iter().collect::<Table>().with_notes(notes)
}

/// Smallest published value that is compared. Values are rounded to hundredths, so smaller ones have
/// too few digits.
const MIN_COMPARABLE: f64 = 0.05;

fn agreement(pairs: &[(f64, f64)]) -> Option<String> {
    let correlation = rank_correlation(pairs)?;
    let comparable = pairs.iter().filter(|(_, published)| *published >= MIN_COMPARABLE);
    let near = comparable.clone().filter(|(ours, published)| is_near(*ours, *published)).count();
    Some(format!(
        "rank correlation with the published table {correlation:.3} over {} policies; {near} of {} means of {MIN_COMPARABLE} and more within a factor of {NEAR}",
        pairs.len(),
        comparable.count(),
    ))
}

fn published(group: &Group<'_>, unit: CostUnit) -> Option<[f64; 4]> {
    let is_about = |load: f64| group.scope.is_published_range(load) && group.is_simulated_as_published();
    let mut tables = group.scope.workload.published.iter();
    let table = tables.find(|table| table.min_load().is_some_and(is_about))?;
    let policy = group.setting.policy.to_string();
    table.costs(unit).find(|(name, _)| *name == policy).map(|(_, costs)| costs)
}

/// Computes our costs, in the order of [`COLUMNS`]; `None` if all simulations failed.
pub(super) fn costs(group: &Group<'_>, unit: CostUnit, counting: CountingRule) -> Option<[f64; 4]> {
    let of_row = |row: &SimulationRow| costs_of_row(row, unit, counting, group.scope.workload.node_memory_gb);
    let [preemption, migration] =
        [0, 1].map(|at| Statistics::from_values(&group.values(|row| of_row(row)[at])));
    let (preemption, migration) = (preemption?, migration?);
    Some([preemption.mean, preemption.max, migration.mean, migration.max])
}

/// Computes the costs of the preemptions and the migrations of a simulation, given the memory of a
/// node in GB.
fn costs_of_row(
    row: &SimulationRow,
    unit: CostUnit,
    counting: CountingRule,
    node_memory_gb: f64,
) -> [f64; 2] {
    let (seconds, moves) = (row.makespan_s.as_secs_f64(), (row.preemptions as f64, row.migrations as f64));
    let ((preemptions, migrations), per) = match unit {
        CostUnit::GigabytesPerSecond => {
            ((row.paused_memory_nodes, row.migrated_memory_nodes), seconds / node_memory_gb)
        }
        CostUnit::PerHour => (moves, seconds / 3600.0),
        CostUnit::PerJob => (moves, (row.counted + row.trimmed) as f64),
    };
    [counting.per_preemption * preemptions / per, migrations / per]
}
