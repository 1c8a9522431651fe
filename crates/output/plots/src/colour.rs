//! Colours.

/// An opaque colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Colour {
    /// Text and axes.
    pub(crate) const INK: Colour = Colour(0x22, 0x22, 0x22);
    /// The lines behind the data.
    pub(crate) const GRID: Colour = Colour(0xdd, 0xdd, 0xdd);
    /// Those between the labelled ones.
    pub(crate) const FINE_GRID: Colour = Colour(0xf0, 0xf0, 0xf0);
    pub(crate) const WHITE: Colour = Colour(0xff, 0xff, 0xff);

    /// The colour itself at a strength of 1, white at 0.
    pub(crate) fn paled(self, strength: f64) -> Colour {
        let mix = |part: u8| (255.0 - (255.0 - f64::from(part)) * strength.clamp(0.0, 1.0)).round() as u8;
        Colour(mix(self.0), mix(self.1), mix(self.2))
    }
    /// Whether black reads better on it than white (relative luminance of sRGB, without its gamma).
    pub(crate) fn is_light(self) -> bool {
        0.2126 * f64::from(self.0) + 0.7152 * f64::from(self.1) + 0.0722 * f64::from(self.2) > 120.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paling_ends_in_white() {
        assert_eq!(Colour(0, 100, 200).paled(0.0), Colour::WHITE);
        assert_eq!(Colour(0, 100, 200).paled(1.0), Colour(0, 100, 200));
        assert_eq!(Colour(0, 100, 200).paled(0.5), Colour(128, 178, 228));
    }
}
