//! What pauses and migrations cost (dissertation, section 6.1 and tables B.4 to B.6).

use super::groups::Group;
use super::statistics::{Statistics, rank_correlation};
use super::table::{Cell, Table};
use crate::published::{CostUnit, Costs};
use crate::row::Figures;
use crate::scenario::{Scenario, Workload};

/// Mean and maximum over the instances, preemption (pauses and resumes) and migration apart: GB/s, counting what is written
/// and what is read again; occurrences per hour; occurrences per job. Half of the GB/s goes one way.
pub(super) fn table(scenario: &Scenario, groups: &[Group<'_>]) -> Table {
    let mut header = Group::header();
    header.extend([
        "mean_preemption_gb_per_s",
        "max_preemption_gb_per_s",
        "mean_migration_gb_per_s",
        "max_migration_gb_per_s",
        "mean_preemptions_per_hour",
        "max_preemptions_per_hour",
        "mean_migrations_per_hour",
        "max_migrations_per_hour",
        "mean_preemptions_per_job",
        "max_preemptions_per_job",
        "mean_migrations_per_job",
        "max_migrations_per_job",
    ]);
    let line = |group: &Group<'_>| {
        let mut cells = group.cells();
        for unit in [CostUnit::GigabytesPerSecond, CostUnit::PerHour, CostUnit::PerJob] {
            cells.extend(columns(costs(scenario, group, unit)).map(Cell::maybe));
        }
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}

/// Our costs beside published ones, of those groups that a published table is about: a line for each unit, GB/s both ways
/// and one way, as published figures do not say which they are.
pub(super) fn compared(scenario: &Scenario, groups: &[Group<'_>]) -> Table {
    let mut header = Group::header();
    header.extend([
        "unit",
        "mean_preemption",
        "published_mean_preemption",
        "ratio_mean_preemption",
        "max_preemption",
        "published_max_preemption",
        "ratio_max_preemption",
        "mean_migration",
        "published_mean_migration",
        "ratio_mean_migration",
        "max_migration",
        "published_max_migration",
        "ratio_max_migration",
    ]);
    let units = [
        ("GB/s, both ways", CostUnit::GigabytesPerSecond, 1.0),
        ("GB/s, one way", CostUnit::GigabytesPerSecond, 0.5),
        ("per hour", CostUnit::PerHour, 1.0),
        ("per job", CostUnit::PerJob, 1.0),
    ];
    let mut lines = Vec::new();
    let mut notes = Vec::new();
    for (name, unit, part) in units {
        let mut means = Vec::new();
        for group in groups {
            let Some(theirs) = published(scenario, group, unit) else { continue };
            let ours = costs(scenario, group, unit);
            let mut cells = group.cells();
            cells.push(Cell::Text(name.to_owned()));
            for (ours, theirs) in columns(ours).into_iter().zip(columns(Some(theirs))) {
                let ours = ours.map(|value| value * part);
                let ratio = ours.zip(theirs.filter(|theirs| *theirs > 0.0));
                cells.extend([ours, theirs, ratio.map(|(ours, theirs)| ours / theirs)].map(Cell::maybe));
            }
            means.extend(ours.map(|ours| {
                let pair = |mean: fn(&Costs) -> f64| (part * mean(&ours), mean(&theirs));
                [pair(|costs| costs.preemption.0), pair(|costs| costs.migration.0)]
            }));
            lines.push(cells);
        }
        notes.extend(["preemption", "migration"].iter().zip(0..).filter_map(|(kind, place)| {
            let pairs: Vec<(f64, f64)> = means.iter().map(|pairs| pairs[place]).collect();
            Some(format!("{name}, mean {kind}: {}", agreement(&pairs)?))
        }));
    }
    Table::new(header, lines).with_notes(notes)
}

/// A published figure below this has too few digits to be compared: it is rounded to hundredths.
const LEAST: f64 = 0.05;

fn agreement(pairs: &[(f64, f64)]) -> Option<String> {
    let correlation = rank_correlation(pairs)?;
    let comparable = pairs.iter().filter(|(_, theirs)| *theirs >= LEAST);
    let near = comparable.clone().filter(|(ours, theirs)| (1.0 / 1.5..=1.5).contains(&(ours / theirs)));
    Some(format!(
        "rank correlation with the published table {correlation:.3} over {} policies; {} of {} means of {LEAST} and more within a factor of 1.5",
        pairs.len(),
        near.count(),
        comparable.count(),
    ))
}

fn columns(costs: Option<Costs>) -> [Option<f64>; 4] {
    let of = |figure: fn(Costs) -> f64| costs.map(figure);
    [
        of(|costs| costs.preemption.0),
        of(|costs| costs.preemption.1),
        of(|costs| costs.migration.0),
        of(|costs| costs.migration.1),
    ]
}

fn published(scenario: &Scenario, group: &Group<'_>, unit: CostUnit) -> Option<Costs> {
    let workload = workload(scenario, group)?;
    let table = workload.published.iter().find(|table| {
        table.least_load().is_some_and(|least| group.scope.is_from(least))
            && group.is_simulated_as_published()
    })?;
    table.costs(unit).find(|(policy, _)| *policy == group.label.policy).map(|(_, costs)| costs)
}

fn workload<'a>(scenario: &'a Scenario, group: &Group<'_>) -> Option<&'a Workload> {
    scenario.workloads.iter().find(|workload| workload.name == group.scope.workload)
}

/// Our costs; GB/s count what is written and what is read again. Nothing if all simulations failed.
fn costs(scenario: &Scenario, group: &Group<'_>, unit: CostUnit) -> Option<Costs> {
    let node_memory_gb = workload(scenario, group)?.node_memory_gb;
    let per = |figures: &Figures| match unit {
        CostUnit::GigabytesPerSecond => figures.seconds_per_memory(node_memory_gb),
        CostUnit::PerHour => figures.makespan_s.as_secs_f64() / 3600.0,
        CostUnit::PerJob => (figures.counted + figures.trimmed) as f64,
    };
    let amounts = |figures: &Figures| match unit {
        CostUnit::GigabytesPerSecond => (figures.paused_memory_nodes, figures.migrated_memory_nodes),
        CostUnit::PerHour | CostUnit::PerJob => (figures.pauses as f64, figures.migrations as f64),
    };
    let preemption = Statistics::of(&group.values(|figures| amounts(figures).0 / per(figures)))?;
    let migration = Statistics::of(&group.values(|figures| amounts(figures).1 / per(figures)))?;
    Some(Costs { preemption: (preemption.mean, preemption.max), migration: (migration.mean, migration.max) })
}
