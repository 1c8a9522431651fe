//! The costs of wrong needs.

use super::experiment::Row;
use super::scenario::Scenario;
use crate::Table;
use crate::comparison::{Bootstrap, Estimate};
use crate::tables::Cell;
use crate::tables::statistics::mean;
use dfrsim_cluster::NeedModel;

/// For each load, policy and kind of knowledge: mean figures over the traces, and geometric means, with 95 % intervals, of the
/// ratios to the same policy on the same trace with exact needs.
pub(super) fn costs(scenario: &Scenario, rows: &[Row]) -> Table {
    let header = vec![
        "load",
        "policy",
        "needs",
        "discovery_s",
        "traces",
        "max_stretch",
        "max_ratio",
        "low",
        "high",
        "mean_stretch",
        "mean_ratio",
        "low",
        "high",
        "utilisation",
    ];
    // Rows stand as the cells do: all traces of a load, policy and kind of knowledge behind each other.
    let is_alike = |a: &Row, b: &Row| {
        (a.load, &a.policy, &a.needs, a.discovery_s) == (b.load, &b.policy, &b.needs, b.discovery_s)
    };
    let exact_name = NeedModel::Exact.to_string();
    let lines = rows.chunk_by(is_alike).map(|own| {
        let first = &own[0];
        let exact: Vec<&Row> = rows
            .iter()
            .filter(|row| row.load == first.load && row.policy == first.policy && row.needs == exact_name)
            .collect();
        let average =
            |figure: fn(&Row) -> f64| Cell::Number(mean(&own.iter().map(figure).collect::<Vec<_>>()));
        let mut line = vec![
            Cell::maybe(first.load),
            Cell::Text(first.policy.clone()),
            Cell::Text(first.needs.clone()),
            first.discovery_s.map_or(Cell::Nothing, Cell::Span),
            Cell::Count(own.len()),
            average(|row| row.max_stretch),
        ];
        line.extend(ratio(scenario, own, &exact, |row| row.max_stretch));
        line.push(average(|row| row.mean_stretch));
        line.extend(ratio(scenario, own, &exact, |row| row.mean_stretch));
        line.push(average(|row| row.utilisation));
        line
    });
    Table::new(header, lines.collect())
}

/// The geometric mean of the ratios of a figure, trace by trace; nothing if there is nothing to compare with.
fn ratio(scenario: &Scenario, own: &[Row], exact: &[&Row], figure: fn(&Row) -> f64) -> [Cell; 3] {
    let logarithms: Vec<f64> = own
        .iter()
        .filter_map(|row| {
            let same = exact.iter().find(|other| other.trace == row.trace)?;
            Some((figure(row) / figure(same)).ln())
        })
        .collect();
    let estimate = Bootstrap::of_study(scenario.seed).mean(&logarithms);
    let Some(Estimate { value, interval }) = estimate else { return [const { Cell::Nothing }; 3] };
    let ends = interval.map_or([None; 2], |(low, high)| [Some(low.exp()), Some(high.exp())]);
    [Cell::Number(value.exp()), Cell::maybe(ends[0]), Cell::maybe(ends[1])]
}
