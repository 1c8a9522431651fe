//! Figures with a row for each name, one below the other.

use super::Sheet;
use crate::axes::{self, Area, Axis, EDGE, LABEL, WIDTH, X_AXIS};
use crate::font;
use crate::picture::Picture;

/// A picture with names at the left and an axis at the bottom.
pub(super) struct Rows {
    pub(super) picture: Picture,
    pub(super) area: Area,
    names: Vec<String>,
    top: f64,
    height: f64,
}

impl Rows {
    /// An empty picture with rows of this height and more room below the axis.
    pub(super) fn new<'a>(
        sheet: &Sheet,
        names: impl Iterator<Item = &'a str>,
        x: &Axis,
        height: f64,
        below: f64,
    ) -> Rows {
        let room = WIDTH * 0.5;
        let names: Vec<String> = names.map(|name| axes::shortened(name, LABEL, room)).collect();
        let widest = names.iter().map(|name| font::width(name, LABEL)).fold(0.0, f64::max);
        let top = axes::header_height(&sheet.remarks);
        let bottom = top + names.len() as f64 * height + 8.0;
        let area = Area { left: EDGE + widest + 8.0, top, right: WIDTH - axes::right_of(x), bottom };
        let mut picture = Picture::new(WIDTH, bottom + X_AXIS + below + EDGE / 2.0);
        axes::header(&mut picture, &sheet.title, &sheet.remarks);
        axes::x_grid(&mut picture, &area, &x.scale);
        area.outline(&mut picture);
        axes::x_axis(&mut picture, &area, x);
        Rows { picture, area, names, top, height }
    }

    /// Writes the name of a row, and gives the level of its middle.
    pub(super) fn begin(&mut self, row: usize) -> f64 {
        let middle = self.top + 4.0 + (row as f64 + 0.5) * self.height;
        axes::row_label(&mut self.picture, (self.area.left, middle), &self.names[row]);
        middle
    }
    /// The level at which the room below the axis begins.
    pub(super) fn below(&self) -> f64 {
        self.area.bottom + X_AXIS
    }
}
