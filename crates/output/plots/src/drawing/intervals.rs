//! Confidence intervals around a reference.

use super::{Captions, Drawn, axis, is_shown, middle};
use crate::colour::INK;
use crate::palette;
use crate::picture::CANNOT_FAIL;
use crate::table::Csv;
use dfrsim_lab::{Axis, Better, IntervalLine};
use plotters::element::ErrorBar;
use plotters::series::LineSeries;
use plotters::style::{Color as _, ShapeStyle};

/// Draws a row for each name; the colours distinguish better, worse, and intervals that include the
/// reference.
pub(super) fn draw(
    sheet: &mut Captions,
    (value, reference, better): (&Axis, f64, Better),
    name: &str,
    lines: &[IntervalLine],
) -> Option<Drawn> {
    let ends = |(_, value, interval): &IntervalLine| interval.unwrap_or((*value, *value));
    let mut csv = Csv::new([name, "value", "interval_low", "interval_high"]);
    for line in lines {
        let (low, high) = ends(line);
        csv.line([&line.0, &line.1, &low, &high]);
    }
    let shown = sheet.first_rows(lines, |line| {
        let (low, high) = ends(line);
        [line.1, low, high].iter().all(|&each| is_shown(value, each))
    });
    if shown.is_empty() {
        return None;
    }
    let values = shown.iter().flat_map(|line| {
        let (low, high) = ends(line);
        [low, high, line.1]
    });
    let x = axis(value, values.chain([reference]), 8, 0.02)?;
    let frame = sheet.rows(x, shown.iter().map(|line| line.0.as_str()), 220);
    let bar = |(row, line): (usize, &&IntervalLine)| {
        let (low, high) = ends(line);
        let is_open = low <= reference && high >= reference;
        let is_better = (low > reference) == (better == Better::More);
        let colour = if is_open { INK } else { palette::colour(usize::from(!is_better)) };
        let style = ShapeStyle { stroke_width: 20, ..colour.filled() };
        ErrorBar::new_horizontal(middle(row), low, line.1, high, style, 80)
    };
    let picture = frame.draw(
        &mut |_, chart| {
            let ends = [(reference, 0.0), (reference, shown.len() as f64)];
            chart.draw_series(LineSeries::new(ends, INK.stroke_width(12))).expect(CANNOT_FAIL);
            chart.draw_series(shown.iter().enumerate().map(bar)).expect(CANNOT_FAIL);
        },
        &mut |_, _, _| {},
    );
    Some((picture, csv))
}
