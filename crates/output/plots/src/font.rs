//! The font of all pictures: DejaVu Sans, of which `font/` holds the Latin part and its licence.
//!
//! SVG names the font and does not hold it. Where it is not installed a browser takes Verdana, which has the same widths.

use crate::colour::INK;
use ab_glyph::{Font as _, FontRef, Glyph, OutlinedGlyph, PxScale, ScaleFont as _, point};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, TextStyle};
use std::sync::LazyLock;

/// The families, in the order in which a browser looks for them.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";
/// The height of capitals and figures, in font sizes.
pub(crate) const CAPITAL: f64 = 0.73;
/// What backends call the size of a text, in font sizes: the height of a line.
pub(crate) const LINE: f64 = 1.24;

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    let bytes = include_bytes!("../font/DejaVuSans-Latin.ttf");
    FontRef::try_from_slice(bytes).expect("the font of this crate is a font")
});

/// The glyphs of a text on a base line from (0, 0), and its width in pixels.
fn glyphs(text: &str, pixels: f64) -> (Vec<Glyph>, f32) {
    // The font's scale is the height of its lines; a size in pixels is that of an em.
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

/// The width of a text at a font size.
pub(crate) fn width(text: &str, size: i32) -> i32 {
    glyphs(text, f64::from(size)).1.ceil() as i32
}

/// A text in the colour of axes, half of whose height and this side of which are at its place.
pub(crate) fn style(size: i32, side: HPos) -> TextStyle<'static> {
    let font = FontDesc::new(FontFamily::Name(FAMILY), f64::from(size) * LINE, FontStyle::Normal);
    font.color(&INK).pos(Pos::new(side, VPos::Center))
}

/// The outlines of the letters of a text on a base line from (0, 0).
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
