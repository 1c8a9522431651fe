//! What pauses and migrations cost (dissertation, section 6.1 and tables B.4 to B.6).

use super::groups::Group;
use super::statistics::Statistics;
use super::table::{Cell, Table};
use crate::row::Figures;
use crate::scenario::Scenario;

/// Mean and maximum over the instances, preemption (pauses and resumes) and migration apart: GB/s, counting what is written
/// and what is read again; occurrences per hour; occurrences per job. Half of the GB/s goes one way.
pub(super) fn table(scenario: &Scenario, groups: &[Group<'_>]) -> Table {
    let mut header = Group::HEADER.to_vec();
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
        let workload = scenario.workloads.iter().find(|workload| workload.name == group.scope.workload);
        let node_memory_gb = workload.map_or(0.0, |workload| workload.node_memory_gb);
        let seconds = |figures: &Figures| figures.makespan_s.as_secs_f64();
        let jobs = |figures: &Figures| (figures.counted + figures.trimmed) as f64;
        let (pauses, migrations) =
            (|figures: &Figures| figures.pauses as f64, |figures: &Figures| figures.migrations as f64);
        let figures: [Vec<f64>; 6] = [
            group.values(|figures| figures.preemption_gb_per_s(node_memory_gb)),
            group.values(|figures| figures.migration_gb_per_s(node_memory_gb)),
            group.values(|figures| pauses(figures) * 3600.0 / seconds(figures)),
            group.values(|figures| migrations(figures) * 3600.0 / seconds(figures)),
            group.values(|figures| pauses(figures) / jobs(figures)),
            group.values(|figures| migrations(figures) / jobs(figures)),
        ];
        let mut cells = group.cells();
        for statistics in figures.iter().map(|values| Statistics::of(values)) {
            cells.push(Cell::maybe(statistics.map(|figures| figures.mean)));
            cells.push(Cell::maybe(statistics.map(|figures| figures.max)));
        }
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}
