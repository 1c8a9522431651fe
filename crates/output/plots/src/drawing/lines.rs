//! Line charts.

use super::{Drawn, MAX_SHOWN, Sheet, axis, from_zero, is_shown};
use crate::chart::{Chart, Line, LineKind, ONE_PANEL, Panel};
use crate::table::Csv;
use dfrsim_lab::{Axis, Join, Series};

pub(super) fn draw(
    sheet: &mut Sheet,
    (x, y): (&Axis, &Axis),
    name: &str,
    series: &[Series],
) -> Option<Drawn> {
    let mut csv = Csv::new([name, &x.label, &y.label]);
    for Series { name, points, .. } in series {
        for (across, up) in points {
            csv.line([name, across, up]);
        }
    }
    let mut hidden = 0;
    let line = |(number, series): (usize, &Series)| {
        let mut points = series.points.clone();
        points.retain(|&(across, up)| is_shown(x, across) && is_shown(y, up));
        hidden += series.points.len() - points.len();
        let kind = match series.join {
            Join::Straight => LineKind::Straight,
            Join::None => LineKind::Points,
            Join::Steps => LineKind::Steps,
        };
        Line { number, points, kind }
    };
    let shown = series.len().min(MAX_SHOWN);
    let lines: Vec<Line> = series[..shown].iter().enumerate().map(line).collect();
    sheet.left_out(hidden, "points");
    sheet.first(shown, series.len(), "series");
    let (across, up): (Vec<f64>, Vec<f64>) = lines.iter().flat_map(|line| &line.points).copied().unzip();
    let chart = Chart {
        title: sheet.title.clone(),
        remarks: sheet.remarks.clone(),
        x: axis(x, across.into_iter(), 8, 0.02)?,
        panels: vec![Panel { y: axis(y, from_zero(y, &up).into_iter(), 8, 0.0)?, height: ONE_PANEL, lines }],
        names: series[..shown].iter().map(|series| series.name.clone()).collect(),
    };
    Some((chart.picture(), csv))
}
