//! The lower bounds of the instances.

use super::groups::{LeastLoads, scopes};
use super::statistics::Statistics;
use super::table::{Cell, Table};
use crate::row::Row;
use crate::scenario::Scenario;
use crate::setting::settings;

/// The rows of one setting: the bound depends on none.
fn one_each<'a>(scenario: &Scenario, rows: &'a [Row]) -> impl Iterator<Item = &'a Row> {
    let first = settings(scenario)[0].label();
    rows.iter().filter(move |row| row.cell.label() == first)
}

/// A line for each instance and tau.
pub(super) fn table(scenario: &Scenario, rows: &[Row]) -> Table {
    let line = |row: &Row| {
        let cell = &row.cell;
        vec![
            Cell::Text(cell.workload.clone()),
            Cell::Text(cell.instance.clone()),
            Cell::maybe(cell.load),
            Cell::Count(cell.jobs),
            Cell::Span(cell.tau_s),
            Cell::Number(cell.bound),
        ]
    };
    let header = vec!["workload", "instance", "load", "jobs", "tau_s", "bound"];
    Table::new(header, one_each(scenario, rows).map(line).collect())
}

/// A line for each workload (and load) and tau.
pub(super) fn summary(scenario: &Scenario, rows: &[Row]) -> Table {
    let mut lines = Vec::new();
    for scope in scopes(rows.iter(), LeastLoads::of(scenario)) {
        for &tau in &scenario.simulation.taus {
            let of_tau = |row: &&Row| scope.has(row) && row.cell.tau_s == tau;
            let instances: Vec<&Row> = one_each(scenario, rows).filter(of_tau).collect();
            let bounds: Vec<f64> = instances.iter().map(|row| row.cell.bound).collect();
            let figures = Statistics::of(&bounds);
            lines.push(vec![
                Cell::Text(scope.workload.to_owned()),
                scope.load().map_or(Cell::Nothing, Cell::Text),
                Cell::Span(tau),
                Cell::Count(instances.len()),
                Cell::Count(instances.iter().map(|row| row.cell.jobs).sum()),
                Cell::maybe(figures.map(|figures| figures.mean)),
                Cell::maybe(figures.and_then(|figures| figures.deviation)),
                Cell::maybe(figures.map(|figures| figures.max)),
            ]);
        }
    }
    let header =
        vec!["workload", "load", "tau_s", "instances", "jobs", "mean_bound", "sd_bound", "max_bound"];
    Table::new(header, lines)
}
