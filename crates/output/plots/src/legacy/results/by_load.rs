//! Mean degradation by offered load (dissertation, figure 5.1).

use super::Drawn;
use super::groups::{Group, chosen};
use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;

/// Draws a group with several loads.
pub(super) fn draw(group: &Group<'_>, drawn: &mut Drawn) {
    let (series, choice) = chosen(group.series(false));
    let mut loads: Vec<f64> =
        series.iter().flat_map(|series| &series.runs).filter_map(|(row, _)| row.cell.load).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    if loads.len() < 2 {
        drawn.left_out.push(format!("degradation by load of {}: there are not several loads", group.title()));
        return;
    }
    let mut csv = Csv::new(["policy", "load", "instances", "mean_degradation"]);
    let mut lines = Vec::new();
    for (number, series) in series.iter().enumerate() {
        let mut points = Vec::new();
        for &load in &loads {
            let mean = series.mean_where(|row| row.cell.load == Some(load), |figures| figures.degradation);
            if let Some((instances, mean)) = mean {
                csv.line([&series.name, &load, &instances, &mean]);
                points.push((load, mean));
            }
        }
        lines.push(Line { number, points, course: Course::Straight });
    }
    let means = lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let Some((low, high)) = range(means) else { return };
    // A little room, so that no marker stands on the frame.
    let (first, last) = (loads[0], loads[loads.len() - 1]);
    let room = (last - first) / 50.0;
    let remarks = group.remarks().into_iter().chain(choice).collect::<Vec<_>>();
    let chart = Chart {
        title: format!("Degradation by load: {}", group.title()),
        remarks: remarks.clone(),
        x: Axis::new("offered load", Scale::linear(first - room, last + room, 8)),
        panels: vec![Panel {
            y: Axis::new("mean degradation from bound", Scale::logarithmic(low, high)),
            height: ONE_PANEL,
            lines,
        }],
        names: series.iter().map(|series| series.name.clone()).collect(),
    };
    let stem = group.stem("degradation-by-load");
    drawn.add(Figure { stem, picture: chart.picture(), csv: csv.finish(), remarks });
}
