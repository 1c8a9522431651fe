//! Text rendering for plotters' backends.

use crate::font::{self, FAMILY, LINE_HEIGHT};
use crate::picture::{Side, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontFamily, FontTransform};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle};
use std::convert::Infallible;

/// A text in the embedded font: plotters' own fonts ignore the side bearings of letters. Backends
/// place the top of the text, which is [`Letters::ASCENT`] above its baseline.
pub(crate) struct Letters<'a> {
    pub(crate) text: &'a Text,
    /// Font size in pixels of the backend.
    pub(crate) size: f64,
}

impl Letters<'_> {
    /// Distance from the top of a text to its baseline in font sizes, as assumed by the SVG backend.
    pub(crate) const ASCENT: f64 = 0.76;
}

impl BackendTextStyle for Letters<'_> {
    type FontError = Infallible;

    fn color(&self) -> BackendColor {
        self.text.colour.to_backend_color()
    }
    fn size(&self) -> f64 {
        self.size * LINE_HEIGHT
    }
    fn transform(&self) -> FontTransform {
        if self.text.is_rotated { FontTransform::Rotate270 } else { FontTransform::None }
    }
    fn anchor(&self) -> Pos {
        let side = match self.text.side {
            Side::Begin => HPos::Left,
            Side::Middle => HPos::Center,
            Side::End => HPos::Right,
        };
        Pos::new(side, VPos::Top)
    }
    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name(FAMILY)
    }
    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (font::width(text, self.size.round() as i32), self.size.round() as i32)))
    }

    fn draw<E, DrawPixel: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        text: &str,
        (left, top): BackendCoord,
        mut draw_pixel: DrawPixel,
    ) -> Result<Result<(), E>, Infallible> {
        let base = top + (self.size * Self::ASCENT).round() as i32;
        for outlined in font::outlines(text, self.size) {
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
    use super::*;
    use crate::colour::INK;

    /// Checks that the dot of an `i` begins 193 units to the right of its position.
    #[test]
    fn letters_have_their_side_bearings() {
        let (at, side, size) = ((0, 0), Side::Begin, 2048.0);
        let text = Text { at, side, size, colour: INK, is_rotated: false, text: "i".to_owned() };
        let mut left = i32::MAX;
        let drawn = Letters { text: &text, size }.draw("i", (0, 0), |x, _, _| {
            left = left.min(x);
            Ok::<(), ()>(())
        });
        assert_eq!((drawn, left), (Ok(Ok(())), 193));
    }
}
