//! Colours, dashes and markers that colour-blind readers can distinguish too (Okabe and Ito's palette).

use crate::picture::{Area, NO_FAILURE};
use plotters::element::{Circle, Polygon, Rectangle, TriangleMarker};
use plotters::style::{Color as _, RGBColor, ShapeStyle};
use plotters_backend::BackendCoord;

/// The palette without its yellow, which is too pale for a line on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
];

/// For areas: yellow instead of black.
const FILLS: [RGBColor; 7] = [
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xf0, 0xe4, 0x42),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
];

/// When all colours are used up they come again with the next of these: the lengths of dashes and of the gaps between them.
const DASHES: [(i32, i32); 3] = [(i32::MAX, 0), (70, 35), (25, 25)];

const MARKERS: usize = 5;

/// The colour of the line with this number.
pub(crate) fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// The dashes of the line with this number; a solid line has one.
pub(crate) fn dash(number: usize) -> (i32, i32) {
    DASHES[number / COLOURS.len() % DASHES.len()]
}

/// How the line with this number is drawn between its points.
pub(crate) fn stroke(number: usize) -> ShapeStyle {
    colour(number).stroke_width(18)
}

/// The colour of the area with this number.
pub(crate) fn fill(number: u64) -> RGBColor {
    FILLS[(number % FILLS.len() as u64) as usize]
}

/// Marks a point of the line with this number.
pub(crate) fn mark(area: &Area<'_>, number: usize, (x, y): BackendCoord) {
    let style = colour(number).filled();
    match number % MARKERS {
        0 => area.draw(&Circle::new((x, y), 36, style)),
        1 => area.draw(&Rectangle::new([(x - 32, y - 32), (x + 32, y + 32)], style)),
        2 => area.draw(&TriangleMarker::new((x, y), 49, style)),
        3 => area.draw(&Polygon::new([(x, y - 48), (x + 48, y), (x, y + 48), (x - 48, y)], style)),
        // Upside down.
        _ => area.draw(&TriangleMarker::new((x, y), -49, style)),
    }
    .expect(NO_FAILURE);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7 colours with 5 markers, which have no common divisor, and 3 dashes.
    #[test]
    fn twenty_one_lines_differ_without_their_markers() {
        for a in 0..21 {
            assert!((0..a).all(|b| (colour(a), dash(a)) != (colour(b), dash(b))), "{a}");
        }
    }
}
