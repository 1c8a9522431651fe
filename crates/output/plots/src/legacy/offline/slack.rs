//! Distances by slack (dissertation, figures 4.2 and 4.3), with what the text says of them.

use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::legacy::results::Drawn;
use crate::picture::Point;
use crate::scale::Scale;
use crate::table::Csv;
use dfrsim_legacy::{ResultTable, TabledResults};

pub(super) fn draw(results: &TabledResults, drawn: &mut Drawn) {
    let all = |_: &str| true;
    if let Some(table) = results.table("figure_4_2") {
        let lines = [("mean", "mean"), ("75 %", "p75"), ("90 %", "p90"), ("99 %", "p99"), ("maximum", "max")];
        let mut series: Vec<Series> = lines.map(|(name, column)| of_column(&table, name, column, all)).into();
        series.push(Series { is_published: true, ..of_column(&table, "mean, published", "paper_mean", all) });
        let title = "VP_CPSUM below LPBOUND, by slack";
        drawn.figures.extend(figure("figure-4-2", title, &series));
    }
    if let Some(table) = results.table("figure_4_3") {
        let mut series = Vec::new();
        for line in ["OPT below LPBOUND", "VP_CPSUM below OPT"] {
            for (words, column) in [("mean", "mean"), ("90 %", "p90")] {
                let own = |other: &str| other == line;
                series.push(of_column(&table, &format!("{line}, {words}"), column, own));
                let published = format!("{line}, {words}, published");
                let published = of_column(&table, &published, &format!("paper_{column}"), own);
                series.push(Series { is_published: true, ..published });
            }
        }
        drawn.figures.extend(figure("figure-4-3", "VP_CPSUM, OPT and LPBOUND, by slack", &series));
    }
}

/// A line of a figure.
struct Series {
    name: String,
    points: Vec<Point>,
    is_published: bool,
}

/// A column against slack, of the lines of a kind.
fn of_column(table: &ResultTable, name: &str, column: &str, is_meant: impl Fn(&str) -> bool) -> Series {
    let lines = table.lines().filter(|line| is_meant(line.text("line")));
    let points = lines.filter_map(|line| Some((line.number("slack")?, line.number(column)?)));
    Series { name: name.to_owned(), points: points.collect(), is_published: false }
}

fn figure(stem: &str, title: &str, series: &[Series]) -> Option<Figure> {
    let series: Vec<&Series> = series.iter().filter(|series| !series.points.is_empty()).collect();
    let mut csv = Csv::new(["line", "slack", "percent"]);
    for series in &series {
        series.points.iter().for_each(|(slack, percent)| csv.line([&series.name, slack, percent]));
    }
    let lines = series.iter().enumerate().map(|(number, series)| Line {
        number,
        points: series.points.clone(),
        course: if series.is_published { Course::Points } else { Course::Straight },
    });
    let lines: Vec<Line> = lines.collect();
    let highest = lines.iter().flat_map(|line| &line.points).map(|point| point.1).reduce(f64::max)?;
    let chart = Chart {
        title: title.to_owned(),
        remarks: Vec::new(),
        x: Axis::new("slack", Scale::linear(0.08, 0.92, 8)),
        panels: vec![Panel {
            y: Axis::new("distance (%)", Scale::linear(0.0, highest, 8)),
            height: ONE_PANEL,
            lines,
        }],
        names: series.iter().map(|series| series.name.clone()).collect(),
    };
    Some(Figure { stem: stem.to_owned(), picture: chart.picture(), csv: csv.finish(), remarks: Vec::new() })
}
