//! The font of all pictures: DejaVu Sans, of which `font/` holds the Latin part and its licence.
//!
//! SVG names the font and does not hold it. Where it is not installed a browser takes Verdana, which has the same widths.

use crate::colour::INK;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontStyle, TextStyle, register_font};
use std::sync::Once;

/// The families, in the order in which a browser looks for them.
const FAMILY: &str = "DejaVu Sans, Verdana, Geneva, sans-serif";
/// The height of capitals and figures, in font sizes.
pub(crate) const CAPITAL: f64 = 0.73;
/// What plotters calls the size of a font, in the font size that it writes into SVG.
pub(crate) const SVG_LINE: f64 = 1.24;
/// And in the font size of the letters that it draws itself: the height of the font's lines.
pub(crate) const LINE: f64 = 2384.0 / 2048.0;

/// The font at a size as plotters has it.
pub(crate) fn sized(size: f64) -> FontDesc<'static> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let bytes = include_bytes!("../font/DejaVuSans-Latin.ttf");
        assert!(register_font(FAMILY, FontStyle::Normal, bytes).is_ok(), "the font of this crate is a font");
    });
    FontDesc::new(FAMILY.into(), size, FontStyle::Normal)
}

/// A text in the colour of axes, of which this point is given.
pub(crate) fn style(size: i32, side: HPos) -> TextStyle<'static> {
    sized(f64::from(size) * SVG_LINE).color(&INK).pos(Pos::new(side, VPos::Center))
}

/// The width of a text at a font size.
pub(crate) fn width(text: &str, size: i32) -> i32 {
    let box_of_text = sized(f64::from(size) * LINE).layout_box(text).expect("the font is registered");
    box_of_text.1.0
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
