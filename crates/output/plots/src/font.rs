//! Font of all pictures: DejaVu Sans; `font/` contains its Latin part and its licence.
//!
//! SVG files name the font but do not embed it. If it is not installed, browsers use Verdana, which
//! has the same widths.

use crate::colour::INK;
use ab_glyph::{Font as _, FontRef, Glyph, OutlinedGlyph, PxScale, ScaleFont as _, point};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, TextStyle};
use std::sync::LazyLock;

/// Font families, in order of preference.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";
/// Height of capitals and digits, as a fraction of the font size.
pub(crate) const CAP_HEIGHT: f64 = 0.73;
/// Line height, as a multiple of the font size; plotters' backends call it the size of a text.
pub(crate) const LINE_HEIGHT: f64 = 1.24;

/// Font file, in TrueType.
pub(crate) const FILE: &[u8] = include_bytes!("../font/DejaVuSans-Latin.ttf");

static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(FILE).expect("the embedded font is valid"));

/// Returns the number of a character's glyph in the font file, and its width in thousandths of the
/// font size.
pub(crate) fn glyph(character: char) -> (u16, f32) {
    let id = FONT.glyph_id(character);
    (id.0, FONT.h_advance_unscaled(id) * 1_000.0 / FONT.units_per_em().unwrap_or(1_000.0))
}

/// Lays out a text on a baseline from (0, 0); returns its glyphs and its width in pixels.
fn glyphs(text: &str, pixels: f64) -> (Vec<Glyph>, f32) {
    // The scale of `ab_glyph` is the line height, while a size in pixels is the height of an em.
    let em = FONT.units_per_em().unwrap_or(1.0);
    let scale = PxScale::from(pixels as f32 * FONT.height_unscaled() / em);
    let font = FONT.as_scaled(scale);
    let mut x = 0.0;
    let place = |character| {
        let id = font.glyph_id(character);
        let glyph = id.with_scale_and_position(scale, point(x, 0.0));
        x += font.h_advance(id);
        glyph
    };
    (text.chars().map(place).collect(), x)
}

/// Returns the width of a text at a font size.
pub(crate) fn width(text: &str, size: i32) -> i32 {
    glyphs(text, f64::from(size)).1.ceil() as i32
}

/// Creates a text style in the colour of the axes, anchored at this side and vertically centred.
pub(crate) fn style(size: i32, side: HPos) -> TextStyle<'static> {
    let font = FontDesc::new(FontFamily::Name(FAMILY), f64::from(size) * LINE_HEIGHT, FontStyle::Normal);
    font.color(&INK).pos(Pos::new(side, VPos::Center))
}

/// Returns the outlines of the letters of a text on a baseline from (0, 0).
pub(crate) fn outlines(text: &str, pixels: f64) -> impl Iterator<Item = OutlinedGlyph> {
    glyphs(text, pixels).0.into_iter().filter_map(|glyph| FONT.outline_glyph(glyph))
}

#[cfg(test)]
mod tests {
    use super::width;

    /// The advances of `0` and `i` are 1303 and 569 of the 2048 units of an em.
    #[test]
    fn widths_are_those_of_the_font() {
        assert_eq!(width("0000", 2048), 4 * 1303);
        assert_eq!(width("i", 2048), 569);
    }
}
