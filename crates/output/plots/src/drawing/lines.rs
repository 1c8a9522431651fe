//! Line charts of series.

use super::{Captions, Drawn, MAX_SHOWN, axis, is_shown, with_zero};
use crate::chart::ONE_PANEL;
use crate::line::{self, Line};
use crate::table::Csv;
use dfrsim_lab::{Axis, Series};

pub(super) fn draw(
    sheet: &mut Captions,
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
    let line = |series: &Series| {
        let mut points = series.points.clone();
        points.retain(|&(across, up)| is_shown(x, across) && is_shown(y, up));
        hidden += series.points.len() - points.len();
        Line { panel: 0, name: series.name.clone(), points, join: series.join }
    };
    let shown = series.len().min(MAX_SHOWN);
    let lines: Vec<Line> = series[..shown].iter().map(line).collect();
    sheet.note_left_out(hidden, "points");
    sheet.note_truncation(shown, series.len(), "series");
    let (across, up): (Vec<f64>, Vec<f64>) = lines.iter().flat_map(|line| &line.points).copied().unzip();
    let x = axis(x, across.into_iter(), 8, 0.02)?;
    let y = axis(y, with_zero(y, &up).into_iter(), 8, 0.0)?;
    Some((line::draw(sheet.frame(x, vec![(y, ONE_PANEL)]), &lines), csv))
}
