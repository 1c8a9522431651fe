//! Pictures: plotters draws into a list of shapes, from which SVG and PNG are written.

use crate::font::{self, CAP_HEIGHT};
use crate::size::FigureSize;
pub(crate) use crate::size::PIXEL;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::convert::Infallible;

/// Message for drawing errors, which cannot occur: plotters draws into memory, with the embedded
/// font.
pub(crate) const CANNOT_FAIL: &str = "drawing into memory cannot fail";

/// A picture: shapes on a white background. Without a chosen size it is as wide as a column of a
/// paper (8.5 cm), with 600 pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width and height in pixels.
    size: (u32, u32),
    /// Size that was chosen for the figure.
    chosen: FigureSize,
    shapes: Vec<Shape>,
}

/// A shape. Later shapes cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle { from: BackendCoord, to: BackendCoord, fill: RGBColor },
    Line { points: Vec<BackendCoord>, colour: RGBColor, width: u32 },
    Polygon { points: Vec<BackendCoord>, fill: RGBColor },
    Disc { centre: BackendCoord, radius: u32, fill: RGBColor },
    Text(Text),
}

impl Shape {
    /// Returns the shape moved down by a length in tenths of a pixel.
    fn moved_down(mut self, down: i32) -> Shape {
        match &mut self {
            Shape::Rectangle { from, to, .. } => (from.1, to.1) = (from.1 + down, to.1 + down),
            Shape::Line { points, .. } | Shape::Polygon { points, .. } => {
                points.iter_mut().for_each(|point| point.1 += down);
            }
            Shape::Disc { centre, .. } => centre.1 += down,
            Shape::Text(text) => text.at.1 += down,
        }
        self
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// Point on the baseline: its beginning, middle or end, depending on `side`.
    pub(crate) at: BackendCoord,
    pub(crate) side: Side,
    /// Font size.
    pub(crate) size: f64,
    pub(crate) colour: RGBColor,
    /// True if the text is rotated and reads from bottom to top.
    pub(crate) is_rotated: bool,
    pub(crate) text: String,
}

/// Position of a text relative to its given point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Begin,
    Middle,
    End,
}

/// A rectangular area of a picture.
pub(crate) type Area<'p> = DrawingArea<&'p mut Picture, Shift>;

impl Picture {
    /// Creates a picture of this width and height, rounded up to whole pixels, and calls `draw` on
    /// it.
    pub(crate) fn draw(width: i32, height: i32, chosen: FigureSize, draw: impl FnOnce(&Area<'_>)) -> Picture {
        let pixels = |length: i32| length.unsigned_abs().div_ceil(PIXEL.unsigned_abs());
        let mut picture = Picture { size: (pixels(width), pixels(height)), chosen, shapes: Vec::new() };
        draw(&(&mut picture).into_drawing_area());
        picture
    }
    /// Puts pictures one below the other.
    pub(crate) fn stacked(pictures: impl IntoIterator<Item = Picture>) -> Picture {
        let mut stacked = Picture { size: (0, 0), chosen: FigureSize::default(), shapes: Vec::new() };
        for Picture { size: (width, height), chosen, shapes } in pictures {
            let above = stacked.chosen.height.unwrap_or(0);
            stacked.chosen = FigureSize { height: chosen.height.map(|own| above + own), ..chosen };
            let down = stacked.size.1 as i32 * PIXEL;
            stacked.shapes.extend(shapes.into_iter().map(|shape| shape.moved_down(down)));
            stacked.size = (stacked.size.0.max(width), stacked.size.1 + height);
        }
        stacked
    }
    /// Returns width and height in pixels.
    pub const fn size(&self) -> (u32, u32) {
        self.size
    }
    /// Returns the size that was chosen for the figure.
    pub(crate) const fn chosen(&self) -> &FigureSize {
        &self.chosen
    }
    /// Returns the height in cm if it is not the one that was chosen, because titles, axes and legend
    /// leave the data no room in that.
    pub fn other_height_cm(&self) -> Option<f64> {
        let height = self.size.1 as i32 * PIXEL;
        let is_other =
            self.chosen.height.is_some_and(|chosen| height.abs_diff(chosen) > PIXEL.unsigned_abs());
        is_other.then(|| self.chosen.centimetres(height))
    }
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}

type DrawResult = Result<(), DrawingErrorKind<Infallible>>;

fn colour(BackendColor { rgb: (red, green, blue), .. }: BackendColor) -> RGBColor {
    RGBColor(red, green, blue)
}

impl DrawingBackend for &mut Picture {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.size;
        (width * PIXEL.unsigned_abs(), height * PIXEL.unsigned_abs())
    }
    fn ensure_prepared(&mut self) -> DrawResult {
        Ok(())
    }
    fn present(&mut self) -> DrawResult {
        Ok(())
    }
    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> DrawResult {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }
    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> DrawResult {
        self.draw_path([from, to], style)
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        let points = path.into_iter().collect();
        self.shapes.push(Shape::Line { points, colour: colour(style.color()), width: style.stroke_width() });
        Ok(())
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        is_filled: bool,
    ) -> DrawResult {
        if !is_filled {
            return self.draw_path([from, (to.0, from.1), to, (from.0, to.1), from], style);
        }
        self.shapes.push(Shape::Rectangle { from, to, fill: colour(style.color()) });
        Ok(())
    }
    /// All circles of this crate are filled.
    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        _: bool,
    ) -> DrawResult {
        self.shapes.push(Shape::Disc { centre, radius, fill: colour(style.color()) });
        Ok(())
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> DrawResult {
        self.shapes.push(Shape::Polygon { points: path.into_iter().collect(), fill: colour(style.color()) });
        Ok(())
    }
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> DrawResult {
        if text.is_empty() {
            return Ok(());
        }
        let size = style.size() / font::LINE_HEIGHT;
        let down = match style.anchor().v_pos {
            VPos::Top => CAP_HEIGHT,
            VPos::Center => CAP_HEIGHT / 2.0,
            VPos::Bottom => 0.0,
        };
        let down = (down * size).round() as i32;
        let is_turned = !matches!(style.transform(), FontTransform::None);
        // Names come from files and may contain characters that XML does not allow: control
        // characters and these two.
        let is_illegal =
            |character: char| character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}');
        self.shapes.push(Shape::Text(Text {
            at: if is_turned { (x + down, y) } else { (x, y + down) },
            side: match style.anchor().h_pos {
                HPos::Left => Side::Begin,
                HPos::Center => Side::Middle,
                HPos::Right => Side::End,
            },
            size,
            colour: colour(style.color()),
            is_rotated: is_turned,
            text: text.replace(is_illegal, "\u{fffd}"),
        }));
        Ok(())
    }
}
