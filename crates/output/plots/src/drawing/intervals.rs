//! Values with confidence intervals around a reference.

use super::rows::Rows;
use super::{Drawn, MAX_ROWS, Sheet, axis, is_shown};
use crate::colour::Colour;
use crate::palette;
use crate::picture::Stroke;
use crate::table::Csv;
use dfrsim_lab::{Axis, Better, IntervalLine};

/// A row for each name: one colour for better than the reference, another one for worse, ink where the interval includes it.
pub(super) fn draw(
    sheet: &mut Sheet,
    (value, reference, better): (&Axis, f64, Better),
    name: &str,
    lines: &[IntervalLine],
) -> Option<Drawn> {
    const ROW: f64 = 22.0;
    let ends = |(_, value, interval): &IntervalLine| interval.unwrap_or((*value, *value));
    let mut csv = Csv::new([name, "value", "interval_low", "interval_high"]);
    for line in lines {
        let (low, high) = ends(line);
        csv.line([&line.0, &line.1, &low, &high]);
    }
    let is_visible = |line: &&IntervalLine| {
        let (low, high) = ends(line);
        [line.1, low, high].iter().all(|&each| is_shown(value, each))
    };
    let mut shown: Vec<&IntervalLine> = lines.iter().filter(is_visible).collect();
    sheet.left_out(lines.len() - shown.len(), "rows");
    let all = shown.len();
    shown.truncate(MAX_ROWS);
    sheet.first(shown.len(), all, "rows");
    if shown.is_empty() {
        return None;
    }
    let values = shown.iter().flat_map(|line| {
        let (low, high) = ends(line);
        [low, high, line.1]
    });
    let x = axis(value, values.chain([reference]), 8, 0.02)?;
    let mut rows = Rows::new(sheet, shown.iter().map(|line| line.0.as_str()), &x, ROW, 0.0);
    let area = rows.area;
    let at = |value: f64| area.x(&x.scale, value);
    rows.picture
        .line(vec![(at(reference), area.top), (at(reference), area.bottom)], Stroke::solid(Colour::INK, 1.2));
    for (row, line) in shown.iter().enumerate() {
        let middle = rows.begin(row);
        let (low, high) = ends(line);
        let is_open = low <= reference && high >= reference;
        let is_better = (low > reference) == (better == Better::More);
        let colour = if is_open { Colour::INK } else { palette::stroke(usize::from(!is_better)).colour };
        let stroke = Stroke::solid(colour, 2.0);
        rows.picture.line(vec![(at(low), middle), (at(high), middle)], stroke);
        for end in [low, high] {
            rows.picture.line(vec![(at(end), middle - 4.0), (at(end), middle + 4.0)], stroke);
        }
        rows.picture.disc((at(line.1), middle), 4.0, colour);
    }
    Some((rows.picture, csv))
}
