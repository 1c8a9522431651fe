//! The legend: below the data, in as many columns as fit. That of plotters has one column, on the data.

use crate::axis::{EDGE, LABEL, WIDTH, shortened};
use crate::font;
use crate::picture::{Area, NO_FAILURE};
use plotters::style::text_anchor::HPos;
use plotters_backend::BackendCoord;

/// The width of the sample before each name.
pub(crate) const SAMPLE: i32 = 280;
const BEFORE: i32 = SAMPLE + 60;
const LINE: i32 = LABEL + 50;
const BETWEEN: i32 = 160;

/// The names of a legend, laid out.
pub(crate) struct Legend {
    names: Vec<String>,
    rows: usize,
    column_width: i32,
}

impl Legend {
    pub(crate) fn new(names: &[String]) -> Legend {
        let room = WIDTH - 2 * EDGE;
        let names: Vec<String> = names.iter().map(|name| shortened(name, LABEL, room - BEFORE)).collect();
        let widest = names.iter().map(|name| font::width(name, LABEL)).max().unwrap_or(0);
        let column_width = BEFORE + widest + BETWEEN;
        let columns = ((room + BETWEEN) / column_width).max(1) as usize;
        Legend { rows: names.len().div_ceil(columns), names, column_width }
    }

    /// With the gap above it; 0 without names.
    pub(crate) fn height(&self) -> i32 {
        if self.names.is_empty() { 0 } else { self.rows as i32 * LINE + 60 }
    }

    /// Draws the names below `top`, column after column, each with a sample around the point that `sample` is given.
    pub(crate) fn draw(
        &self,
        area: &Area<'_>,
        top: i32,
        sample: &mut dyn FnMut(&Area<'_>, usize, BackendCoord),
    ) {
        for (index, name) in self.names.iter().enumerate() {
            let (column, row) = ((index / self.rows) as i32, (index % self.rows) as i32);
            let (left, middle) = (EDGE + column * self.column_width, top + row * LINE + LINE / 2);
            sample(area, index, (left + SAMPLE / 2, middle));
            let style = font::style(LABEL, HPos::Left);
            area.draw_text(name, &style, (left + BEFORE, middle)).expect(NO_FAILURE);
        }
    }
}
