//! Colours of figures in dark pages.

use crate::colour::{BOX_STRENGTH, FINE_GRID, GRID, INK, WHITE, mix, mix_with_white};
use crate::palette::{COLOUR_COUNT, colour};
use plotters::style::RGBColor;

/// Background of dark pages, which is that of `page.css`.
const PAPER: RGBColor = RGBColor(0x16, 0x19, 0x1d);
/// Colour of text and axes, and of the black line of the palette.
const LIGHT: RGBColor = RGBColor(0xe6, 0xe9, 0xee);
const DARK_GRID: RGBColor = RGBColor(0x45, 0x4c, 0x57);
const DARK_FINE_GRID: RGBColor = RGBColor(0x26, 0x2b, 0x32);
/// Least strength of the colours of lines before the dark background; the rest is white.
const STRENGTH: f64 = 0.8;

/// Returns style rules that replace the colours of shapes in a dark colour scheme.
pub(crate) fn style() -> String {
    let mut pairs = vec![(INK, LIGHT), (GRID, DARK_GRID), (FINE_GRID, DARK_FINE_GRID), (WHITE, PAPER)];
    for number in 0..COLOUR_COUNT {
        let own = colour(number);
        let light = if own == RGBColor(0, 0, 0) { LIGHT } else { mix_with_white(own, STRENGTH) };
        pairs.push((own, light));
        pairs.push((mix_with_white(own, BOX_STRENGTH), mix(light, PAPER, BOX_STRENGTH)));
    }
    let rule = |(from, to): &(RGBColor, RGBColor)| {
        let (from, to) = (hexadecimal(*from), hexadecimal(*to));
        format!("[fill=\"{from}\"]{{fill:{to}}}[stroke=\"{from}\"]{{stroke:{to}}}")
    };
    let rules: String = pairs.iter().map(rule).collect();
    format!("@media screen and (prefers-color-scheme:dark){{{rules}}}")
}

/// Formats a colour as the SVG backend does.
fn hexadecimal(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::style;
    use crate::picture::Picture;
    use crate::size::FigureSize;
    use plotters::style::text_anchor::HPos;

    /// Checks that the rules name colours as the SVG has them: background, text and grid.
    #[test]
    fn colours_of_the_picture_are_replaced() {
        let text = crate::font::style(100, HPos::Left);
        let picture = Picture::draw(300, 200, FigureSize::default(), |area| {
            area.draw_text("A", &text, (10, 100)).unwrap();
        });
        let svg = picture.svg_for_page();
        for colour in ["#FFFFFF", "#222222"] {
            assert!(svg.contains(&format!("fill=\"{colour}\"")), "{svg}");
            assert!(style().contains(&format!("[fill=\"{colour}\"]")), "{}", style());
        }
        assert_eq!(svg.replacen(&format!("\n<style>{}</style>", style()), "", 1), picture.svg());
    }
}
