//! Our values next to published ones.

use super::{Captions, Drawn, axis, is_shown, middle, with_zero};
use crate::palette;
use crate::table::Csv;
use dfrsim_lab::Axis;

/// Draws a row for each name, with a marker for our value and one for the published one.
pub(super) fn draw(
    sheet: &mut Captions,
    value: &Axis,
    name: &str,
    lines: &[(String, f64, f64)],
) -> Option<Drawn> {
    let mut csv = Csv::new([name, "here", "published"]);
    lines.iter().for_each(|(name, ours, published)| csv.line([name, ours, published]));
    let shown =
        sheet.first_rows(lines, |(_, ours, published)| is_shown(value, *ours) && is_shown(value, *published));
    let values: Vec<f64> = shown.iter().flat_map(|(_, ours, published)| [*ours, *published]).collect();
    let x = axis(value, with_zero(value, &values).into_iter(), 8, 0.0)?;
    let mut frame = sheet.rows(x, shown.iter().map(|(name, ..)| name.as_str()), 220);
    frame.names = vec!["here".to_owned(), "published".to_owned()];
    let picture = frame.draw(
        &mut |_, chart| {
            let area = chart.plotting_area().use_screen_coord();
            for (row, (_, ours, published)) in shown.iter().enumerate() {
                // Our value is drawn last, on top of the published one.
                for (number, each) in [(1, *published), (0, *ours)] {
                    palette::mark(&area, number, chart.backend_coord(&(each, middle(row))));
                }
            }
        },
        &mut palette::mark,
    );
    Some((picture, csv))
}
