//! Colours, dashes and markers that colour-blind readers can also distinguish (palette of Okabe and
//! Ito).

use crate::picture::{Area, CANNOT_FAIL};
use plotters::element::{Circle, Polygon, Rectangle, TriangleMarker};
use plotters::style::{Color as _, RGBColor, ShapeStyle};
use plotters_backend::BackendCoord;

/// Colours of lines: the palette without yellow, which is too pale for a line on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
];

/// Colours of areas: yellow replaces black.
const FILLS: [RGBColor; 7] = [
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xf0, 0xe4, 0x42),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
];

/// Dash patterns (lengths of dashes and gaps); the next one is used each time all colours are used
/// up.
const DASHES: [(i32, i32); 3] = [(i32::MAX, 0), (70, 35), (25, 25)];

const MARKERS: usize = 5;

/// Number of colours of lines.
pub(crate) const COLOUR_COUNT: usize = COLOURS.len();
/// Number of styles that differ in colour, dashes or marker.
pub(crate) const STYLES: usize = COLOURS.len() * DASHES.len() * MARKERS;

/// Returns the colour of the line with this number.
pub(crate) fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// Returns the dash pattern of the line with this number; a solid line is a single dash.
pub(crate) fn dash(number: usize) -> (i32, i32) {
    DASHES[number / COLOURS.len() % DASHES.len()]
}

/// Returns the stroke of the line with this number.
pub(crate) fn stroke(number: usize) -> ShapeStyle {
    colour(number).stroke_width(18)
}

/// Returns the colour of the area with this number.
pub(crate) fn fill(number: u64) -> RGBColor {
    FILLS[(number % FILLS.len() as u64) as usize]
}

/// Draws a marker at a point of the line with this number.
pub(crate) fn mark(area: &Area<'_>, number: usize, (x, y): BackendCoord) {
    let style = colour(number).filled();
    match number % MARKERS {
        0 => area.draw(&Circle::new((x, y), 36, style)),
        1 => area.draw(&Rectangle::new([(x - 32, y - 32), (x + 32, y + 32)], style)),
        2 => area.draw(&TriangleMarker::new((x, y), 49, style)),
        3 => area.draw(&Polygon::new([(x, y - 48), (x + 48, y), (x, y + 48), (x - 48, y)], style)),
        // A negative size turns the triangle upside down.
        _ => area.draw(&TriangleMarker::new((x, y), -49, style)),
    }
    .expect(CANNOT_FAIL);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that 7 colours, 5 markers (7 and 5 are coprime) and 3 dash patterns distinguish the
    /// lines.
    #[test]
    fn twenty_one_lines_differ_without_their_markers() {
        for a in 0..21 {
            assert!((0..a).all(|b| (colour(a), dash(a)) != (colour(b), dash(b))), "{a}");
        }
    }
}
