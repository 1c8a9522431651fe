//! A picture as a list of shapes: what is drawn, apart from how it becomes SVG or PNG.

use crate::colour::Colour;

/// A picture: shapes on a white ground, in pixels from its upper left corner. A picture as wide as a column of a paper
/// (8.5 cm) has 600 of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

/// What can be drawn. Later shapes cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rectangle { corner: Point, size: Point, fill: Colour },
    Line { points: Vec<Point>, stroke: Stroke },
    Polygon { points: Vec<Point>, fill: Colour },
    Disc { centre: Point, radius: f64, fill: Colour },
    Text(Text),
}

/// x to the right and y down, in pixels.
pub(crate) type Point = (f64, f64);

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    /// Lengths of the dashes and of the gaps between them; `None` for a solid line.
    pub(crate) dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(crate) const fn solid(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dash: None }
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// Where its base line begins, is halved, or ends.
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    /// The size of the font.
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    /// Whether it reads from below.
    pub(crate) turned: bool,
    pub(crate) text: String,
}

/// Which point of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Picture {
    /// An empty picture of this size in pixels, rounded up to whole ones.
    pub(crate) fn new(width: f64, height: f64) -> Picture {
        Picture { width: width.ceil(), height: height.ceil(), shapes: Vec::new() }
    }
    /// Width and height in pixels.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(crate) fn rectangle(&mut self, corner: Point, size: Point, fill: Colour) {
        self.shapes.push(Shape::Rectangle { corner, size, fill });
    }
    pub(crate) fn line(&mut self, points: Vec<Point>, stroke: Stroke) {
        self.shapes.push(Shape::Line { points, stroke });
    }
    pub(crate) fn polygon(&mut self, points: Vec<Point>, fill: Colour) {
        self.shapes.push(Shape::Polygon { points, fill });
    }
    pub(crate) fn disc(&mut self, centre: Point, radius: f64, fill: Colour) {
        self.shapes.push(Shape::Disc { centre, radius, fill });
    }
    /// A line of text that does not read from below, in the colour of axes.
    pub(crate) fn text(&mut self, at: Point, anchor: Anchor, size: f64, text: impl Into<String>) {
        let text = Text { at, anchor, size, colour: Colour::INK, turned: false, text: text.into() };
        self.write(text);
    }
    pub(crate) fn write(&mut self, mut text: Text) {
        // Names from files: control characters and these two are not allowed in XML.
        let is_illegal =
            |character: char| character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}');
        if text.text.contains(is_illegal) {
            text.text = text.text.replace(is_illegal, "\u{fffd}");
        }
        self.shapes.push(Shape::Text(text));
    }
}
