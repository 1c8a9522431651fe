//! The font of all pictures: DejaVu Sans, of which `font/` holds the Latin part and its licence.
//!
//! SVG names the font and does not hold it. Where it is not installed a browser takes Verdana, which has the same widths.

use crate::picture::{Anchor, Text};
use ab_glyph::{Font as _, FontRef, Glyph, PxScale, ScaleFont as _, point};
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, FontFamily, FontTransform};
use std::convert::Infallible;
use std::sync::LazyLock;

/// The families, in the order in which a browser looks for them.
const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";
/// The height of capitals and figures, in font sizes.
pub(crate) const CAPITAL: f64 = 0.73;

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

/// The width of a text at a size in pixels, in pixels.
pub(crate) fn width(text: &str, pixels: f64) -> f64 {
    f64::from(glyphs(text, pixels).1)
}

/// A text as backends draw it. Its top, at which they place it, is [`Letters::ASCENT`] above its base line.
pub(crate) struct Letters<'a> {
    pub(crate) text: &'a Text,
    /// The font size in pixels of the backend.
    pub(crate) size: f64,
}

impl Letters<'_> {
    /// From the top of a text to its base line, in font sizes, as the SVG backend has it.
    pub(crate) const ASCENT: f64 = 0.76;
}

impl BackendTextStyle for Letters<'_> {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        self.text.colour.into()
    }
    fn size(&self) -> f64 {
        // The SVG backend takes this for the height of a line, and divides.
        const LINE: f64 = 1.24;
        self.size * LINE
    }
    fn transform(&self) -> FontTransform {
        if self.text.turned { FontTransform::Rotate270 } else { FontTransform::None }
    }
    fn anchor(&self) -> Pos {
        let side = match self.text.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        Pos::new(side, VPos::Top)
    }
    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FAMILY)
    }
    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (width(text, self.size).round() as i32, self.size.round() as i32)))
    }

    fn draw<E, DrawPixel: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        text: &str,
        (left, top): BackendCoord,
        mut draw_pixel: DrawPixel,
    ) -> Result<Result<(), E>, Infallible> {
        let base = top + (self.size * Self::ASCENT).round() as i32;
        for outlined in glyphs(text, self.size).0.into_iter().filter_map(|glyph| FONT.outline_glyph(glyph)) {
            let corner = outlined.px_bounds().min;
            let (left, top) = (left + corner.x as i32, base + corner.y as i32);
            let mut drawn = Ok(());
            outlined.draw(|x, y, coverage| {
                if drawn.is_ok() {
                    let colour = BackendColor { alpha: f64::from(coverage), ..self.color() };
                    drawn = draw_pixel(left + x as i32, top + y as i32, colour);
                }
            });
            if drawn.is_err() {
                return Ok(drawn);
            }
        }
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    /// The advances of `0` and `i` are 1303 and 569 of the 2048 units of an em.
    #[test]
    fn widths_are_those_of_the_font() {
        assert!((width("0000", 20.48) - 4.0 * 13.03).abs() < 1e-3);
        assert!((width("i", 20.48) - 5.69).abs() < 1e-3);
    }
}
