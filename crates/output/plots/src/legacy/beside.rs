//! Our figures beside published ones, row by row.

use crate::axes::{self, Area, Axis, EDGE, LABEL, WIDTH, X_AXIS};
use crate::figure::Figure;
use crate::font;
use crate::legend::{Legend, SAMPLE};
use crate::palette;
use crate::picture::Picture;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;

/// A row for each name with a marker for our figure and one for the published one.
pub(crate) struct Rows {
    pub(crate) stem: String,
    pub(crate) title: String,
    /// What names stand for: the header of the data.
    pub(crate) of: &'static str,
    /// What figures are.
    pub(crate) value: &'static str,
    /// Rows whose figures are not positive are left out then.
    pub(crate) is_logarithmic: bool,
    /// Ours, then the published one.
    pub(crate) rows: Vec<(String, [f64; 2])>,
}

impl Rows {
    /// Nothing if there are no rows.
    pub(crate) fn figure(mut self) -> Option<Figure> {
        const ROW: f64 = 22.0;
        if self.is_logarithmic {
            self.rows.retain(|(_, figures)| figures.iter().all(|&figure| figure > 0.0));
        }
        let Rows { stem, title, of, value, is_logarithmic, rows } = self;
        let (low, high) = range(rows.iter().flat_map(|(_, figures)| *figures))?;
        let scale = if is_logarithmic { Scale::logarithmic(low, high) } else { Scale::linear(0.0, high, 8) };
        let x = Axis::new(value, scale);
        let legend = Legend::new(&["here".to_owned(), "published".to_owned()]);
        let mut csv = Csv::new([of, "here", "published"]);

        let widest = rows.iter().map(|(name, _)| font::width(name, LABEL)).fold(0.0, f64::max);
        let top = axes::header_height(&[]);
        let bottom = top + rows.len() as f64 * ROW + 8.0;
        let area = Area { left: EDGE + widest + 8.0, top, right: WIDTH - axes::right_of(&x), bottom };
        let mut picture = Picture::new(WIDTH, bottom + X_AXIS + legend.height() + 6.0 + EDGE / 2.0);
        axes::header(&mut picture, &title, &[]);
        axes::x_grid(&mut picture, &area, &x.scale);
        area.outline(&mut picture);
        axes::x_axis(&mut picture, &area, &x);
        for (row, (name, figures)) in rows.iter().enumerate() {
            let middle = top + 4.0 + (row as f64 + 0.5) * ROW;
            axes::row_label(&mut picture, (area.left, middle), name);
            // Ours is drawn last: it is the one to look at.
            for (number, &figure) in figures.iter().enumerate().rev() {
                palette::mark(&mut picture, number, (area.x(&x.scale, figure), middle));
            }
            csv.line([name, &figures[0], &figures[1]]);
        }
        legend.draw(&mut picture, bottom + X_AXIS + 2.0, |picture, number, (x, y)| {
            palette::mark(picture, number, (x + SAMPLE / 4.0, y));
        });
        Some(Figure { stem, picture, csv: csv.finish(), remarks: Vec::new() })
    }
}
