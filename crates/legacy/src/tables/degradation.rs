//! The table of the study: degradation from the bound.

use super::groups::Group;
use super::published;
use super::statistics::Statistics;
use super::table::{Cell, Table};
use crate::scenario::Scenario;

/// For each group mean, sample standard deviation and maximum of the degradation, and the mean of the bound; where a table
/// was published, its mean and the ratio of ours to it. Failed simulations are counted and left out of the figures.
pub(super) fn table(scenario: &Scenario, groups: &[Group<'_>]) -> Table {
    let compared = scenario.workloads.iter().any(|workload| !workload.published.is_empty());
    let mut header = Group::header();
    header.extend(["mean_degradation", "sd_degradation", "max_degradation", "mean_bound"]);
    if compared {
        header.extend(["published_mean", "ratio"]);
    }
    let line = |group: &Group<'_>| {
        let degradation = Statistics::of(&group.values(|figures| figures.degradation));
        let bounds: Vec<f64> = group.rows.iter().map(|row| row.cell.bound).collect();
        let mut cells = group.cells();
        cells.push(Cell::maybe(degradation.map(|figures| figures.mean)));
        cells.push(Cell::maybe(degradation.and_then(|figures| figures.deviation)));
        cells.push(Cell::maybe(degradation.map(|figures| figures.max)));
        cells.push(Cell::maybe(Statistics::of(&bounds).map(|figures| figures.mean)));
        if compared {
            let published = published::mean(scenario, group);
            cells.push(Cell::maybe(published));
            cells.push(Cell::maybe(published.zip(degradation).map(|(theirs, ours)| ours.mean / theirs)));
        }
        cells
    };
    Table::new(header, groups.iter().map(line).collect())
}
