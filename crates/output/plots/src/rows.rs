//! Charts of rows over time: names at the left, bars, and a legend below.

use crate::axes::{self, Area, Axis, EDGE, REMARK, WIDTH, X_AXIS};
use crate::colour::Colour;
use crate::font;
use crate::legend::Legend;
use crate::picture::{Anchor, Picture, Point, Stroke, Text};
use crate::scale::Scale;
use dfrsim_model::SimTime;

/// A chart in the making: the picture with its title, and the area for the rows.
pub(crate) struct Rows {
    pub(crate) picture: Picture,
    pub(crate) area: Area,
    x: Axis,
    legend: Legend,
}

impl Rows {
    /// With room for these labels of rows, and for a legend with these names.
    pub(crate) fn new<'l>(
        title: &str,
        (from, to): (SimTime, SimTime),
        height: f64,
        labels: impl Iterator<Item = &'l str>,
        names: &[String],
    ) -> Rows {
        let legend = Legend::new(names);
        let (scale, unit) = Scale::time(from, to);
        let x = Axis::new(format!("time [{unit}]"), scale);
        let widest = labels.map(|label| font::width(label, axes::LABEL)).fold(0.0, f64::max);
        let left = EDGE + axes::TITLE + 14.0 + widest;
        let top = axes::header_height(&[]);
        let area = Area { left, top, right: WIDTH - axes::right_of(&x), bottom: top + height };
        let below = if names.is_empty() { 0.0 } else { legend.height() + 6.0 };
        let mut picture = Picture::new(WIDTH, area.bottom + X_AXIS + below + EDGE / 2.0);
        axes::header(&mut picture, title, &[]);
        Rows { picture, area, x, legend }
    }

    /// Draws the lines of the grid that cross the axis of time.
    pub(crate) fn grid(&mut self) {
        axes::x_grid(&mut self.picture, &self.area, &self.x.scale);
    }
    /// Where a time is.
    pub(crate) fn place(&self, at: SimTime) -> f64 {
        self.area.x(&self.x.scale, at.as_secs_f64())
    }
    /// Draws a line between two rows.
    pub(crate) fn separate(&mut self, y: f64, colour: Colour) {
        self.picture.line(vec![(self.area.left, y), (self.area.right, y)], Stroke::solid(colour, 1.0));
    }

    /// Draws a bar from its upper left to its lower right corner.
    pub(crate) fn bar(&mut self, (left, top): Point, (right, bottom): Point, colour: Colour) {
        // White between bars that are large enough for it.
        let gap = |length: f64| if length > 3.0 { 0.6 } else { 0.0 };
        let (width, height) = (right - left, bottom - top);
        self.picture.rectangle((left, top), (width - gap(width), height - gap(height)), colour);
    }
    /// Writes the label of a bar where it and a margin have room.
    pub(crate) fn label(
        &mut self,
        (left, top): Point,
        (right, bottom): Point,
        bar: Colour,
        label: String,
        margin: f64,
    ) {
        let tall = REMARK * font::CAPITAL;
        if font::width(&label, REMARK) + margin <= right - left && tall + 3.0 <= bottom - top {
            self.picture.write(Text {
                at: (f64::midpoint(left, right), f64::midpoint(top, bottom) + tall / 2.0),
                anchor: Anchor::Middle,
                size: REMARK,
                colour: if bar.is_light() { Colour::INK } else { Colour::WHITE },
                turned: false,
                text: label,
            });
        }
    }

    /// The picture, with the title of the rows, the axis of time, and the legend, whose samples the caller draws.
    pub(crate) fn finish(mut self, of_rows: &str, sample: impl FnMut(&mut Picture, usize, Point)) -> Picture {
        axes::y_title(&mut self.picture, &self.area, of_rows);
        axes::x_axis(&mut self.picture, &self.area, &self.x);
        self.legend.draw(&mut self.picture, self.area.bottom + X_AXIS + 2.0, sample);
        self.picture
    }
}
