//! Our values beside published ones.

use super::rows::Rows;
use super::{Drawn, MAX_ROWS, Sheet, axis, from_zero, is_shown};
use crate::legend::{Legend, SAMPLE};
use crate::palette;
use crate::table::Csv;
use dfrsim_lab::Axis;

/// A row for each name with a marker for our value and one for the published one.
pub(super) fn draw(
    sheet: &mut Sheet,
    value: &Axis,
    name: &str,
    lines: &[(String, f64, f64)],
) -> Option<Drawn> {
    const ROW: f64 = 22.0;
    let mut csv = Csv::new([name, "here", "published"]);
    lines.iter().for_each(|(name, ours, published)| csv.line([name, ours, published]));
    let mut shown: Vec<(&str, [f64; 2])> =
        lines.iter().map(|(name, ours, published)| (name.as_str(), [*ours, *published])).collect();
    shown.retain(|(_, values)| values.iter().all(|&each| is_shown(value, each)));
    sheet.left_out(lines.len() - shown.len(), "rows");
    let all = shown.len();
    shown.truncate(MAX_ROWS);
    sheet.first(shown.len(), all, "rows");
    let values: Vec<f64> = shown.iter().flat_map(|(_, values)| *values).collect();
    let x = axis(value, from_zero(value, &values).into_iter(), 8, 0.0)?;
    let legend = Legend::new(&["here".to_owned(), "published".to_owned()]);
    let mut rows = Rows::new(sheet, shown.iter().map(|(name, _)| *name), &x, ROW, legend.height() + 6.0);
    for (row, (_, values)) in shown.iter().enumerate() {
        let middle = rows.begin(row);
        // Ours is drawn last, on top of the published one.
        for (number, &each) in values.iter().enumerate().rev() {
            let place = (rows.area.x(&x.scale, each), middle);
            palette::mark(&mut rows.picture, number, place);
        }
    }
    let below = rows.below() + 2.0;
    legend.draw(&mut rows.picture, below, |picture, number, (x, y)| {
        palette::mark(picture, number, (x + SAMPLE / 4.0, y));
    });
    Some((rows.picture, csv))
}
