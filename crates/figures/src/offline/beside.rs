//! Our figures beside published ones, algorithm by algorithm.

use crate::axes::{self, Area, Axis, EDGE, LABEL, WIDTH, X_AXIS};
use crate::figure::Figure;
use crate::font;
use crate::legend::{Legend, SAMPLE};
use crate::palette;
use crate::picture::Picture;
use crate::results::Drawn;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_lab::TabledResults;

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

/// A row for each algorithm with a marker for our figure and one for the published one.
fn figure(results: &TabledResults, beside: &Beside) -> Option<Figure> {
    const ROW: f64 = 22.0;
    let table = results.table(beside.table)?;
    let row = |line: dfrsim_lab::TableLine<'_>| {
        let figures = [line.number(beside.column)?, line.number(beside.published)?];
        let can_be_drawn = !beside.is_logarithmic || figures.iter().all(|&figure| figure > 0.0);
        can_be_drawn.then(|| (line.text("algorithm").to_owned(), figures))
    };
    let rows: Vec<(String, [f64; 2])> = table.lines().filter_map(row).collect();
    let (low, high) = range(rows.iter().flat_map(|(_, figures)| *figures))?;
    let scale =
        if beside.is_logarithmic { Scale::logarithmic(low, high) } else { Scale::linear(0.0, high, 8) };
    let x = Axis::new(beside.value, scale);
    let legend = Legend::new(&["here".to_owned(), "published".to_owned()]);
    let mut csv = Csv::new(["algorithm", "here", "published"]);

    let widest = rows.iter().map(|(name, _)| font::width(name, LABEL)).fold(0.0, f64::max);
    let top = axes::header_height(&[]);
    let bottom = top + rows.len() as f64 * ROW + 8.0;
    let area = Area { left: EDGE + widest + 8.0, top, right: WIDTH - axes::right_of(&x), bottom };
    let mut picture = Picture::new(WIDTH, bottom + X_AXIS + legend.height() + 6.0 + EDGE / 2.0);
    axes::header(&mut picture, beside.title, &[]);
    axes::x_grid(&mut picture, &area, &x.scale);
    area.outline(&mut picture);
    axes::x_axis(&mut picture, &area, &x);
    for (row, (name, figures)) in rows.iter().enumerate() {
        let middle = top + 4.0 + (row as f64 + 0.5) * ROW;
        axes::row_label(&mut picture, (area.left, middle), name);
        // Ours is drawn last: it is the one to look at.
        for (number, &figure) in figures.iter().enumerate().rev() {
            palette::mark(&mut picture, number, (area.x(&x.scale, figure), middle));
        }
        csv.line([name, &figures[0], &figures[1]]);
    }
    legend.draw(&mut picture, bottom + X_AXIS + 2.0, |picture, number, (x, y)| {
        palette::mark(picture, number, (x + SAMPLE / 4.0, y));
    });
    Some(Figure { stem: beside.stem.to_owned(), picture, csv: csv.finish(), remarks: Vec::new() })
}
