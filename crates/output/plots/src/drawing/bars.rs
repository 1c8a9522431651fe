//! Values as bars, with confidence intervals.

use super::{Captions, Drawn, axis, is_shown, middle};
use crate::colour::{BOX_STRENGTH, INK, mix_with_white};
use crate::palette;
use crate::picture::CANNOT_FAIL;
use crate::styles::Styles;
use crate::table::Csv;
use dfrsim_lab::{Axis, IntervalLine, Scale};
use plotters::element::{ErrorBar, Rectangle};
use plotters::style::{Color as _, ShapeStyle};

/// Draws a row for each name. On a linear axis the value is the length of a bar from 0; a logarithmic
/// axis has no 0, so the value is a point there.
pub(super) fn draw(
    sheet: &mut Captions,
    value: &Axis,
    name: &str,
    bars: &[IntervalLine],
    styles: &Styles,
) -> Option<Drawn> {
    let ends = |(_, value, interval): &IntervalLine| interval.unwrap_or((*value, *value));
    let mut csv = Csv::new([name, "value", "interval_low", "interval_high"]);
    for bar in bars {
        let (low, high) = ends(bar);
        csv.line([&bar.0, &bar.1, &low, &high]);
    }
    let shown = sheet.first_rows(bars, |bar| {
        let (low, high) = ends(bar);
        [bar.1, low, high].iter().all(|&each| is_shown(value, each))
    });
    let numbers = styles.of(shown.iter().map(|bar| bar.0.as_str()));
    let values = shown.iter().flat_map(|bar| {
        let (low, high) = ends(bar);
        [low, high, bar.1]
    });
    let values: Vec<f64> = values.collect();
    let has_zero = value.scale == Scale::Linear;
    let x = axis(value, values.into_iter().chain(has_zero.then_some(0.0)), 8, 0.02)?;
    let frame = sheet.rows(x, shown.iter().map(|bar| bar.0.as_str()), 220);
    let picture = frame.draw(
        &mut |_, chart| {
            for (row, (bar, &style)) in shown.iter().zip(&numbers).enumerate() {
                let (colour, (low, high)) = (palette::colour(style), ends(bar));
                if has_zero {
                    let corners = [(0.0, middle(row) - 0.32), (bar.1, middle(row) + 0.32)];
                    let fill = mix_with_white(colour, BOX_STRENGTH).filled();
                    chart.draw_series([Rectangle::new(corners, fill)]).expect(CANNOT_FAIL);
                }
                let ink = if has_zero { INK } else { colour };
                let style = ShapeStyle { stroke_width: 14, ..ink.filled() };
                let interval = ErrorBar::new_horizontal(middle(row), low, bar.1, high, style, 70);
                chart.draw_series([interval]).expect(CANNOT_FAIL);
            }
        },
        &mut |_, _, _| {},
    );
    Some((picture, csv))
}
