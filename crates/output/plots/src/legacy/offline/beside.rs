//! Our figures beside published ones, algorithm by algorithm.

use crate::figure::Figure;
use crate::legacy::beside::Rows;
use crate::legacy::results::Drawn;
use dfrsim_legacy::TabledResults;

/// A column that has a published one.
struct Beside {
    stem: &'static str,
    table: &'static str,
    column: &'static str,
    published: &'static str,
    title: &'static str,
    value: &'static str,
    is_logarithmic: bool,
}

const ALL: [Beside; 4] = [
    Beside {
        stem: "table-4-4-distance",
        table: "table_4_4",
        column: "relative_dfb",
        published: "paper_relative_dfb",
        title: "Table 4.4: distance from LPBOUND",
        value: "mean distance (% of LPBOUND)",
        is_logarithmic: false,
    },
    Beside {
        stem: "table-4-4-failures",
        table: "table_4_4",
        column: "fr_of_bounded",
        published: "paper_fr",
        title: "Table 4.4: failures where LPBOUND exists",
        value: "failure rate (%)",
        is_logarithmic: false,
    },
    Beside {
        stem: "rr6692-table-1",
        table: "rr6692_table_1",
        column: "mean",
        published: "paper_mean",
        title: "RR-6692, table 1: small instances",
        value: "mean degradation from the best (%)",
        is_logarithmic: true,
    },
    Beside {
        stem: "rr6692-figure-7",
        table: "rr6692_figure_7",
        column: "mean",
        published: "paper_mean",
        title: "RR-6692, figure 7: large instances",
        value: "mean degradation from the best (%)",
        is_logarithmic: true,
    },
];

pub(super) fn draw(results: &TabledResults, drawn: &mut Drawn) {
    drawn.figures.extend(ALL.iter().filter_map(|beside| figure(results, beside)));
}

/// A row for each algorithm.
fn figure(results: &TabledResults, beside: &Beside) -> Option<Figure> {
    let table = results.table(beside.table)?;
    let row = |line: dfrsim_legacy::TableLine<'_>| {
        let figures = [line.number(beside.column)?, line.number(beside.published)?];
        Some((line.text("algorithm").to_owned(), figures))
    };
    Rows {
        stem: beside.stem.to_owned(),
        title: beside.title.to_owned(),
        of: "algorithm",
        value: beside.value,
        is_logarithmic: beside.is_logarithmic,
        rows: table.lines().filter_map(row).collect(),
    }
    .figure()
}
