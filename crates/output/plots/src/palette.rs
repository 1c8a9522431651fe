//! Colours, dashes and markers that colour-blind readers can distinguish too (Okabe and Ito's palette).

use crate::colour::Colour;
use crate::picture::{Picture, Point, Stroke};

/// The palette without its yellow, which is too pale for a line on white.
const COLOURS: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0x00, 0x00, 0x00),
];

/// For areas: yellow instead of black.
const FILLS: [Colour; 7] = [
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0xf0, 0xe4, 0x42),
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
];

/// When all colours are used up they come again with the next of these.
const DASHES: [Option<(f64, f64)>; 3] = [None, Some((7.0, 3.5)), Some((2.5, 2.5))];

const MARKERS: usize = 5;

/// How the line with this number looks.
pub(crate) fn stroke(number: usize) -> Stroke {
    let dash = DASHES[number / COLOURS.len() % DASHES.len()];
    Stroke { colour: COLOURS[number % COLOURS.len()], width: 1.8, dash }
}

/// The colour of the area with this number.
pub(crate) fn fill(number: u64) -> Colour {
    FILLS[(number % FILLS.len() as u64) as usize]
}

/// Marks a point of the line with this number.
pub(crate) fn mark(picture: &mut Picture, number: usize, (x, y): Point) {
    let colour = stroke(number).colour;
    let polygon = |corners: &[(f64, f64)]| corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    match number % MARKERS {
        0 => picture.disc((x, y), 3.6, colour),
        1 => picture.rectangle((x - 3.2, y - 3.2), (6.4, 6.4), colour),
        2 => picture.polygon(polygon(&[(0.0, -4.6), (4.3, 3.1), (-4.3, 3.1)]), colour),
        3 => picture.polygon(polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]), colour),
        _ => picture.polygon(polygon(&[(0.0, 4.6), (4.3, -3.1), (-4.3, -3.1)]), colour),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7 colours with 5 markers, which have no common divisor, and 3 dashes.
    #[test]
    fn twenty_one_lines_differ_without_their_markers() {
        for a in 0..21 {
            assert!((0..a).all(|b| stroke(a) != stroke(b)), "{a}");
        }
    }
}
