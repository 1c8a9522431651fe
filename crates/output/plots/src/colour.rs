//! Colours of all pictures.

use plotters::style::RGBColor;

/// Colour of text and axes.
pub(crate) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Colour of grid lines.
pub(crate) const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Colour of the grid lines between the labelled ones.
pub(crate) const FINE_GRID: RGBColor = RGBColor(0xf0, 0xf0, 0xf0);
/// Colour of nodes that are down or go down.
pub(crate) const DOWN: RGBColor = RGBColor(0x99, 0x99, 0x99);
/// Colour of counts of moves.
pub(crate) const MOVES: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
/// Colour of everything without a category.
pub(crate) const OTHERS: RGBColor = RGBColor(0x5f, 0x5f, 0x5f);
pub(crate) const WHITE: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// Strength of the colour of boxes and bars, which are mixed with the background.
pub(crate) const BOX_STRENGTH: f64 = 0.55;

/// Mixes a colour with white: strength 1 is the colour, 0 is white.
pub(crate) fn mix_with_white(colour: RGBColor, strength: f64) -> RGBColor {
    mix(colour, WHITE, strength)
}

/// Mixes a colour with a background: strength 1 is the colour, 0 is the background.
pub(crate) fn mix(colour: RGBColor, background: RGBColor, strength: f64) -> RGBColor {
    let part = |own: u8, under: u8| {
        let (own, under) = (f64::from(own), f64::from(under));
        (under - (under - own) * strength.clamp(0.0, 1.0)).round() as u8
    };
    let (RGBColor(red, green, blue), under) = (colour, background);
    RGBColor(part(red, under.0), part(green, under.1), part(blue, under.2))
}

/// Returns whether black text is more legible on the colour than white text (relative luminance of
/// sRGB, without gamma).
pub(crate) fn is_light(RGBColor(red, green, blue): RGBColor) -> bool {
    0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue) > 120.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paling_ends_in_white() {
        assert_eq!(mix_with_white(RGBColor(0, 100, 200), 0.0), WHITE);
        assert_eq!(mix_with_white(RGBColor(0, 100, 200), 1.0), RGBColor(0, 100, 200));
        assert_eq!(mix_with_white(RGBColor(0, 100, 200), 0.5), RGBColor(128, 178, 228));
    }
}
