//! Sizes of figures on paper.

use crate::axis::LABEL;

/// Units per pixel: lengths and coordinates are integers, in tenths of a pixel, wherever something
/// is drawn.
pub(crate) const PIXEL: i32 = 10;
/// Points (1/72 inch) in a centimetre.
const POINTS_PER_CM: f64 = 72.0 / 2.54;
/// Width of a column of a paper, in cm.
const COLUMN_CM: f64 = 8.5;
/// Width of a figure whose size is not chosen, in tenths of a pixel.
const USUAL_WIDTH: i32 = 600 * PIXEL;
/// Smallest and largest width of a figure, in pixels: a smaller one leaves no space for the data
/// next to the labels, and a larger one takes too much memory as PNG.
const WIDTHS: (f64, f64) = (280.0, 3_000.0);
/// Largest height of a figure, in pixels.
const MAX_HEIGHT: f64 = 6_000.0;

/// Size of a figure on paper and of its letters.
///
/// The layout of a figure is in pixels, and its letters always have the same number of them. A wider
/// figure and one with smaller letters both have more pixels, so that more fits into them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureSize {
    /// Width in tenths of a pixel.
    pub(crate) width: i32,
    /// Height in tenths of a pixel; `None` for the height that suits the content.
    pub(crate) height: Option<i32>,
    /// Points per pixel.
    pub(crate) points: f64,
    /// True if the user chose the size, so that pictures state their size on paper.
    pub(crate) is_chosen: bool,
}

impl Default for FigureSize {
    /// Returns the width of a paper's column with 600 pixels, and the height that suits the content.
    fn default() -> FigureSize {
        let points = COLUMN_CM * POINTS_PER_CM / f64::from(USUAL_WIDTH / PIXEL);
        FigureSize { width: USUAL_WIDTH, height: None, points, is_chosen: false }
    }
}

impl FigureSize {
    /// Returns the size of letters that is used if none is chosen, in points.
    pub fn usual_font_size() -> f64 {
        FigureSize::default().points * f64::from(LABEL) / f64::from(PIXEL)
    }

    /// Creates a size from the width and the height in cm and the size of the letters at axes and in
    /// legends in points; what is `None` is as usual.
    ///
    /// # Errors
    /// Returns a message of one line if so few or so many letters would fit into a line that the
    /// figure could not be drawn.
    pub fn new(
        width_cm: Option<f64>,
        height_cm: Option<f64>,
        font_pt: Option<f64>,
    ) -> Result<FigureSize, String> {
        if width_cm.is_none() && height_cm.is_none() && font_pt.is_none() {
            return Ok(FigureSize::default());
        }
        let width_cm = width_cm.unwrap_or(COLUMN_CM);
        let font_pt = font_pt.unwrap_or_else(FigureSize::usual_font_size);
        let points = font_pt * f64::from(PIXEL) / f64::from(LABEL);
        let pixels = |cm: f64| cm * POINTS_PER_CM / points;
        let cm = |pixels: f64| pixels * points / POINTS_PER_CM;
        let (least, most) = WIDTHS;
        if !(least..=most).contains(&pixels(width_cm)) {
            return Err(format!(
                "a figure with letters of {font_pt:.1} pt must be between {:.1} and {:.1} cm wide, found {width_cm} cm",
                cm(least),
                cm(most)
            ));
        }
        if let Some(height) = height_cm.filter(|&height| !(1.0..=MAX_HEIGHT).contains(&pixels(height))) {
            return Err(format!(
                "a figure with letters of {font_pt:.1} pt must be at most {:.1} cm high, found {height} cm",
                cm(MAX_HEIGHT)
            ));
        }
        let tenths = |cm: f64| (pixels(cm) * f64::from(PIXEL)).round() as i32;
        Ok(FigureSize { width: tenths(width_cm), height: height_cm.map(tenths), points, is_chosen: true })
    }

    /// Returns the height in cm of so many tenths of a pixel.
    pub(crate) fn centimetres(&self, tenths: i32) -> f64 {
        f64::from(tenths) / f64::from(PIXEL) * self.points / POINTS_PER_CM
    }
}

#[cfg(test)]
mod tests {
    use super::FigureSize;

    /// A width of 17 cm has twice as many pixels as one of 8.5 cm, and letters of twice the size
    /// halve them again.
    #[test]
    fn letters_and_width_determine_the_pixels() {
        assert_eq!(FigureSize::new(None, None, None).unwrap(), FigureSize::default());
        let wide = FigureSize::new(Some(17.0), None, None).unwrap();
        assert_eq!((wide.width, wide.height), (12_000, None));
        let font = 2.0 * FigureSize::usual_font_size();
        let large = FigureSize::new(Some(17.0), Some(8.5), Some(font)).unwrap();
        assert_eq!((large.width, large.height), (6_000, Some(3_000)));
        assert!((large.centimetres(3_000) - 8.5).abs() < 1e-3);
    }

    #[test]
    fn sizes_without_room_for_data_are_refused() {
        let narrow = FigureSize::new(Some(2.0), None, Some(10.0)).unwrap_err();
        assert_eq!(
            narrow,
            "a figure with letters of 10.0 pt must be between 7.6 and 81.4 cm wide, found 2 cm"
        );
        assert!(FigureSize::new(None, Some(500.0), None).unwrap_err().contains("at most"));
        assert!(FigureSize::new(Some(f64::NAN), None, None).is_err());
    }
}
