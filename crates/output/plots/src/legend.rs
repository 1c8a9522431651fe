//! The legend: below the data, in as many columns as fit.

use crate::axes::{EDGE, LABEL, WIDTH, shortened};
use crate::font;
use crate::picture::{Anchor, Picture, Point};

/// The width of the sample before each name.
pub(crate) const SAMPLE: f64 = 28.0;
const LINE: f64 = LABEL + 5.0;
const BETWEEN: f64 = 16.0;

/// The names of a legend, laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Legend {
    names: Vec<String>,
    columns: usize,
    column_width: f64,
}

impl Legend {
    pub(crate) fn new(names: &[String]) -> Legend {
        let room = WIDTH - 2.0 * EDGE;
        let before = SAMPLE + 6.0;
        let names: Vec<String> = names.iter().map(|name| shortened(name, LABEL, room - before)).collect();
        let widest = names.iter().map(|name| font::width(name, LABEL)).fold(0.0, f64::max);
        let column_width = before + widest + BETWEEN;
        let columns = (((room + BETWEEN) / column_width) as usize).clamp(1, names.len().max(1));
        Legend { names, columns, column_width }
    }

    fn rows(&self) -> usize {
        self.names.len().div_ceil(self.columns)
    }

    pub(crate) fn height(&self) -> f64 {
        self.rows() as f64 * LINE
    }

    /// Draws the names below `top`, column after column, each with a sample around the point that `sample` is given.
    pub(crate) fn draw(
        &self,
        picture: &mut Picture,
        top: f64,
        mut sample: impl FnMut(&mut Picture, usize, Point),
    ) {
        for (index, name) in self.names.iter().enumerate() {
            let (column, row) = (index / self.rows(), index % self.rows());
            let left = EDGE + column as f64 * self.column_width;
            let middle = top + (row as f64 + 0.5) * LINE;
            sample(picture, index, (left + SAMPLE / 2.0, middle));
            let base = middle + LABEL * font::CAPITAL / 2.0;
            picture.text((left + SAMPLE + 6.0, base), Anchor::Start, LABEL, name.clone());
        }
    }
}
