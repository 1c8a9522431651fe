//! The costs of preemptions and migrations (dissertation, section 6.1 and tables B.4 to B.6).

use super::{NEAR, is_near, mean_and_max};
use crate::groups::Group;
use crate::published::{CostUnit, Costs};
use crate::rows::SimulationRow;
use dfrsim_lab::{Cell, Table, beside, beside_header, rank_correlation};

/// What pauses write and resumes read, in GB/s over the makespan, for nodes with this memory. Half of it goes one way
/// (dissertation, section 6.1).
pub(crate) fn preemption_gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    row.paused_memory_nodes / seconds_per_memory(row, node_memory_gb)
}
/// What migrations write and read, in GB/s over the makespan.
pub(crate) fn migration_gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    row.migrated_memory_nodes / seconds_per_memory(row, node_memory_gb)
}
/// Both together.
pub(crate) fn gb_per_s(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    preemption_gb_per_s(row, node_memory_gb) + migration_gb_per_s(row, node_memory_gb)
}
/// The seconds of the makespan for each GB of a memory of a node that is written and read again.
fn seconds_per_memory(row: &SimulationRow, node_memory_gb: f64) -> f64 {
    row.makespan_s.as_secs_f64() / (2.0 * node_memory_gb)
}

/// Preemption and migration, each with mean and maximum: the names of their columns, and the values.
const COLUMNS: [&str; 4] = ["mean_preemption", "max_preemption", "mean_migration", "max_migration"];

fn values(costs: Option<Costs>) -> [Option<f64>; 4] {
    let value = |of: fn(Costs) -> f64| costs.map(of);
    [
        value(|costs| costs.preemption.0),
        value(|costs| costs.preemption.1),
        value(|costs| costs.migration.0),
        value(|costs| costs.migration.1),
    ]
}

/// Mean and maximum over the instances, preemption (pauses and resumes) and migration apart: GB/s, counting what is written
/// and what is read again; occurrences per hour; occurrences per job.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    const UNITS: [(CostUnit, [&str; 4]); 3] = [
        (
            CostUnit::GigabytesPerSecond,
            [
                "mean_preemption_gb_per_s",
                "max_preemption_gb_per_s",
                "mean_migration_gb_per_s",
                "max_migration_gb_per_s",
            ],
        ),
        (
            CostUnit::PerHour,
            [
                "mean_preemptions_per_hour",
                "max_preemptions_per_hour",
                "mean_migrations_per_hour",
                "max_migrations_per_hour",
            ],
        ),
        (
            CostUnit::PerJob,
            [
                "mean_preemptions_per_job",
                "max_preemptions_per_job",
                "mean_migrations_per_job",
                "max_migrations_per_job",
            ],
        ),
    ];
    let mut header = Group::header();
    header.extend(UNITS.iter().flat_map(|(_, names)| names.map(str::to_owned)));
    let line = |group: &Group<'_>| {
        let mut cells = group.cells();
        cells.extend(UNITS.iter().flat_map(|(unit, _)| values(costs(group, *unit)).map(Cell::optional)));
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}

/// Our costs beside published ones, of those groups that a published table is about: a line for each unit, GB/s both ways
/// and one way, as the publication does not say which they are.
pub(super) fn compared(groups: &[Group<'_>]) -> Table {
    let units = [
        ("GB/s, both ways", CostUnit::GigabytesPerSecond, 1.0),
        ("GB/s, one way", CostUnit::GigabytesPerSecond, 0.5),
        ("per hour", CostUnit::PerHour, 1.0),
        ("per job", CostUnit::PerJob, 1.0),
    ];
    let (mut lines, mut notes) = (Vec::new(), Vec::new());
    for (name, unit, factor) in units {
        let mut pairs: [Vec<(f64, f64)>; 4] = Default::default();
        for group in groups {
            let Some(published) = published(group, unit) else { continue };
            let ours = values(costs(group, unit)).map(|value| value.map(|value| value * factor));
            let mut cells = group.cells();
            cells.push(Cell::Text(name.to_owned()));
            for (at, (ours, published)) in ours.into_iter().zip(values(Some(published))).enumerate() {
                cells.extend(beside(ours, published));
                pairs[at].extend(ours.zip(published));
            }
            lines.push(cells);
        }
        for (kind, pairs) in [("preemption", &pairs[0]), ("migration", &pairs[2])] {
            notes.extend(agreement(pairs).map(|agreement| format!("{name}, mean {kind}: {agreement}")));
        }
    }
    let mut header = Group::header();
    header.push("unit".to_owned());
    header.extend(COLUMNS.into_iter().flat_map(beside_header));
    Table::new(header, lines).with_notes(notes)
}

/// A published value below this has too few digits to be compared: it is rounded to hundredths.
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

fn published(group: &Group<'_>, unit: CostUnit) -> Option<Costs> {
    let is_about = |load: f64| group.scope.is_from(load) && group.is_simulated_as_published();
    let mut tables = group.scope.workload.published.iter();
    let table = tables.find(|table| table.min_load().is_some_and(is_about))?;
    let policy = group.setting.policy.to_string();
    table.costs(unit).find(|(name, _)| *name == policy).map(|(_, costs)| costs)
}

/// Our costs; `None` if all simulations failed.
fn costs(group: &Group<'_>, unit: CostUnit) -> Option<Costs> {
    let node_memory_gb = group.scope.workload.node_memory_gb;
    let per = |row: &SimulationRow| match unit {
        CostUnit::GigabytesPerSecond => seconds_per_memory(row, node_memory_gb),
        CostUnit::PerHour => row.makespan_s.as_secs_f64() / 3600.0,
        CostUnit::PerJob => (row.counted + row.trimmed) as f64,
    };
    let amounts = |row: &SimulationRow| match unit {
        CostUnit::GigabytesPerSecond => (row.paused_memory_nodes, row.migrated_memory_nodes),
        CostUnit::PerHour | CostUnit::PerJob => (row.preemptions as f64, row.migrations as f64),
    };
    Some(Costs {
        preemption: mean_and_max(&group.values(|row| amounts(row).0 / per(row)))?,
        migration: mean_and_max(&group.values(|row| amounts(row).1 / per(row)))?,
    })
}
