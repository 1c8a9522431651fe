//! The usual figures, averaged over the instances.

use super::groups::Group;
use super::statistics::mean;
use super::table::{Cell, Table};
use crate::row::Figures;

/// A figure of a simulation.
type Figure = (&'static str, fn(&Figures) -> f64);

/// Each a mean over the instances; those of stretch, wait and turnaround are means of the figure that an instance has.
const FIGURES: [Figure; 13] = [
    ("utilisation", |figures| figures.utilisation),
    ("mean_wait_s", |figures| figures.mean_wait_s),
    ("p95_wait_s", |figures| figures.p95_wait_s),
    ("mean_turnaround_s", |figures| figures.mean_turnaround_s),
    ("mean_bounded_stretch", |figures| figures.mean_bounded_stretch),
    ("max_bounded_stretch", |figures| figures.max_bounded_stretch),
    ("mean_stretch", |figures| figures.mean_stretch),
    ("max_stretch", |figures| figures.max_stretch),
    ("makespan_s", |figures| figures.makespan_s.as_secs_f64()),
    ("killed", |figures| figures.killed as f64),
    ("rejected", |figures| figures.rejected as f64),
    ("pauses", |figures| figures.pauses as f64),
    ("migrations", |figures| figures.migrations as f64),
];

/// For each group the means of the figures. Failed simulations are counted and left out.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    let header = Group::header().into_iter().chain(FIGURES.map(|(name, _)| name)).collect();
    let line = |group: &Group<'_>| {
        let mut cells = group.cells();
        cells.extend(FIGURES.map(|(_, figure)| {
            let values = group.values(figure);
            Cell::maybe((!values.is_empty()).then(|| mean(&values)))
        }));
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}
