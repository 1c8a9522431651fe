//! Legend below the data, in as many columns as fit. The legend of plotters has one column and
//! covers data.

use crate::axis::{LABEL, MARGIN};
use crate::font;
use crate::labels::labels;
use crate::picture::{Area, CANNOT_FAIL};
use plotters::style::text_anchor::HPos;
use plotters_backend::BackendCoord;

/// Width of the sample before each name.
pub(crate) const SAMPLE_WIDTH: i32 = 280;
const NAME_OFFSET: i32 = SAMPLE_WIDTH + 60;
const LINE: i32 = LABEL + 50;
const COLUMN_GAP: i32 = 160;

/// A laid-out legend.
pub(crate) struct Legend {
    names: Vec<String>,
    rows: usize,
    column_width: i32,
}

impl Legend {
    /// Lays the names out in a picture of this width.
    pub(crate) fn new(names: &[String], width: i32) -> Legend {
        let room = width - 2 * MARGIN;
        let names = labels(names, LABEL, room - NAME_OFFSET);
        let widest = names.iter().map(|name| font::width(name, LABEL)).max().unwrap_or(0);
        let column_width = NAME_OFFSET + widest + COLUMN_GAP;
        let columns = ((room + COLUMN_GAP) / column_width).max(1) as usize;
        Legend { rows: names.len().div_ceil(columns), names, column_width }
    }

    /// Returns the height including the gap above; 0 without names.
    pub(crate) fn height(&self) -> i32 {
        if self.names.is_empty() { 0 } else { self.rows as i32 * LINE + 60 }
    }

    /// Draws the names below `top`, column by column, each with a sample around the point passed to
    /// `sample`.
    pub(crate) fn draw(
        &self,
        area: &Area<'_>,
        top: i32,
        sample: &mut dyn FnMut(&Area<'_>, usize, BackendCoord),
    ) {
        for (index, name) in self.names.iter().enumerate() {
            let (column, row) = ((index / self.rows) as i32, (index % self.rows) as i32);
            let (left, middle) = (MARGIN + column * self.column_width, top + row * LINE + LINE / 2);
            sample(area, index, (left + SAMPLE_WIDTH / 2, middle));
            let style = font::style(LABEL, HPos::Left);
            area.draw_text(name, &style, (left + NAME_OFFSET, middle)).expect(CANNOT_FAIL);
        }
    }
}
