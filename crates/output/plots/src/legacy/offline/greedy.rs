//! The 49 greedy algorithms by failures and distance (dissertation, figure 4.1).

use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::legacy::results::Drawn;
use crate::picture::Point;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_legacy::TabledResults;

/// A point for each algorithm: once with a marker a rule for nodes (a), once with one an order of jobs (b).
pub(super) fn draw(results: &TabledResults, drawn: &mut Drawn) {
    let Some(table) = results.table("figure_4_1") else {
        drawn
            .left_out
            .push("figure 4.1: there are no greedy algorithms on the dissertation's large set".into());
        return;
    };
    let points: Vec<(&str, Point)> = (table.lines())
        .filter_map(|line| Some((line.text("algorithm"), (line.number("fr")?, line.number("relative_dfb")?))))
        .collect();
    let ends = |part: fn(&Point) -> f64| range(points.iter().map(|(_, point)| part(point)));
    let Some((across, up)) = ends(|point| point.0).zip(ends(|point| point.1)) else { return };
    for (stem, title, letter) in [
        ("figure-4-1-a", "Greedy algorithms by node picking, P1 to P7", 'P'),
        ("figure-4-1-b", "Greedy algorithms by job sorting, S1 to S7", 'S'),
    ] {
        let mut csv = Csv::new(["algorithm", "fr", "relative_dfb"]);
        let mut lines = Vec::new();
        let names: Vec<String> = (1..=7).map(|number| format!("{letter}{number}")).collect();
        for (number, name) in names.iter().enumerate() {
            let own = points.iter().filter(|(algorithm, _)| algorithm.split('_').any(|part| part == name));
            let own: Vec<Point> = own
                .map(|(algorithm, point)| {
                    csv.line([algorithm, &point.0, &point.1]);
                    *point
                })
                .collect();
            lines.push(Line { number, points: own, course: Course::Points });
        }
        let chart = Chart {
            title: title.to_owned(),
            remarks: Vec::new(),
            x: Axis::new("failure rate (%)", Scale::linear(across.0, across.1, 8)),
            panels: vec![Panel {
                y: Axis::new("mean distance from LPBOUND (% of it)", Scale::linear(up.0, up.1, 8)),
                height: ONE_PANEL,
                lines,
            }],
            names,
        };
        let picture = chart.picture();
        drawn.add(Figure { stem: stem.to_owned(), picture, csv: csv.finish(), remarks: Vec::new() });
    }
}
