//! Table 4.6 of the dissertation: VP_CPSUM with one parameter fixed, at two slacks.

use crate::Table;
use crate::offline::published::TABLE_4_6;
use crate::offline::study::Study;
use crate::tables::Cell;
use dfrsim_offline::instances::{DissertationScenario, InstanceSet};

pub(super) fn table(study: &Study<'_>) -> Table {
    let header = vec![
        "parameter",
        "value",
        "slack",
        "instances",
        "dfb",
        "paper_dfb",
        "p90_dfb",
        "paper_p90_dfb",
        "relative_dfb",
        "paper_relative_dfb",
        "difference",
        "p90_relative_dfb",
        "paper_p90_relative_dfb",
    ];
    let (Some(part), Some(at)) = (study.of_set(InstanceSet::Dissertation), study.place("VP_CPSUM")) else {
        return Table::new(header, Vec::new());
    };
    let mut lines = Vec::new();
    for ([parameter, value], [slack, dfb, relative, p90, p90_relative]) in TABLE_4_6.lines() {
        let wanted: f64 = value.parse().unwrap_or(f64::NAN);
        let of_value = study.with(&part, |of| of.slack == slack && parameter_of(of, &parameter) == wanted);
        let distances = of_value.distances(at);
        let own = distances.relative.mean();
        lines.push(vec![
            Cell::Text(parameter),
            Cell::Formatted(value),
            Cell::Number(slack),
            Cell::Count(distances.absolute.len()),
            Cell::maybe(distances.absolute.mean()),
            Cell::Number(dfb),
            Cell::maybe(distances.absolute.percentile(90)),
            Cell::Number(p90),
            Cell::maybe(own),
            Cell::Number(relative),
            Cell::maybe(own.map(|own| own - relative)),
            Cell::maybe(distances.relative.percentile(90)),
            Cell::Number(p90_relative),
        ]);
    }
    Table::new(header, lines)
}

fn parameter_of(scenario: &DissertationScenario, name: &str) -> f64 {
    match name {
        "D" => scenario.dimensions.into(),
        "J" => scenario.jobs.into(),
        "rho" => scenario.rho,
        _ => scenario.sigma,
    }
}
