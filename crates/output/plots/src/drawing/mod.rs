//! Rendering of drawings, which are data, as pictures.

mod bars;
mod beside;
mod intervals;
mod lines;
mod samples;
#[cfg(test)]
mod tests;

use crate::axis::{Axis, LABEL};
use crate::chart::Frame;
use crate::figure::Figure;
use crate::labels::labels;
use crate::picture::{PIXEL, Picture};
use crate::scale::Scale;
use crate::size::FigureSize;
use crate::styles::Styles;
use crate::table::Csv;
use dfrsim_lab::{self as lab, Chart, Drawing, range};

/// Largest number of lines in a chart and of samples in a plot; more cannot be distinguished.
const MAX_SHOWN: usize = 12;
/// Largest number of rows in a figure with a row for each name.
const MAX_ROWS: usize = 40;

/// Appearance of figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Size on paper, and size of the letters.
    pub size: FigureSize,
    /// Styles of the series.
    pub styles: Styles,
}

/// Renders a drawing as a figure: the picture, and all of its values as CSV. Returns `None` if the
/// drawing has no values that its axes can show.
pub fn draw(drawing: &Drawing, appearance: &Appearance) -> Option<Figure> {
    let mut sheet =
        Captions { title: drawing.title.clone(), remarks: drawing.remarks.clone(), size: appearance.size };
    let styles = &appearance.styles;
    let (picture, csv) = match &drawing.chart {
        Chart::Lines { x, y, name, series } => lines::draw(&mut sheet, (x, y), name, series, styles)?,
        Chart::Boxes(samples) => samples::boxes(&mut sheet, samples, styles)?,
        Chart::Distribution(samples) => samples::distributions(&mut sheet, samples, styles)?,
        Chart::PublishedComparison { value, name, lines } => beside::draw(&mut sheet, value, name, lines)?,
        Chart::Bars { value, name, bars } => bars::draw(&mut sheet, value, name, bars, styles)?,
        Chart::Intervals { value, name, reference, better, lines } => {
            intervals::draw(&mut sheet, (value, *reference, *better), name, lines)?
        }
    };
    Some(Figure { stem: drawing.stem.clone(), picture, csv: csv.finish(), remarks: sheet.remarks })
}

/// Title and remarks above a picture, and its size.
struct Captions {
    title: String,
    remarks: Vec<String>,
    size: FigureSize,
}

impl Captions {
    fn frame(&self, x: Axis, panels: Vec<(Axis, i32)>) -> Frame {
        let (title, remarks) = (self.title.clone(), self.remarks.clone());
        Frame { title, remarks, x, panels, names: Vec::new(), size: self.size }
    }
    /// Creates a frame with a row of this height for each name.
    fn rows<'a>(&self, x: Axis, names: impl Iterator<Item = &'a str>, height: i32) -> Frame {
        let names: Vec<String> = names.map(str::to_owned).collect();
        let labels = labels(&names, LABEL, self.size.width / 2);
        let rows = labels.len();
        let y = Axis::rows("", rows, (0..).map(middle).zip(labels));
        self.frame(x, vec![(y, rows as i32 * height + 8 * PIXEL)])
    }
    /// Adds a remark about values that the axis cannot show.
    fn note_left_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.remarks.push(format!("Left out: {count} {what} that the axis cannot show."));
        }
    }
    /// Selects the first rows among those that the axis can show.
    fn first_rows<'a, T>(&mut self, rows: &'a [T], is_shown: impl Fn(&T) -> bool) -> Vec<&'a T> {
        let mut shown: Vec<&T> = rows.iter().filter(|row| is_shown(row)).collect();
        self.note_left_out(rows.len() - shown.len(), "rows");
        self.note_truncation(shown.len().min(MAX_ROWS), shown.len(), "rows");
        shown.truncate(MAX_ROWS);
        shown
    }
    /// Adds a remark if only the first items are shown.
    fn note_truncation(&mut self, shown: usize, all: usize, what: &str) {
        if shown < all {
            self.remarks
                .push(format!("The first {shown} of {all} {what}; the data behind the figure has all."));
        }
    }
}

/// Returns the level of the middle of a row.
fn middle(row: usize) -> f64 {
    row as f64 + 0.5
}

/// A picture with its data.
type Drawn = (Picture, Csv);

/// Returns whether an axis can show a value.
fn is_shown(axis: &lab::Axis, value: f64) -> bool {
    value.is_finite() && (value > 0.0 || axis.scale != lab::Scale::Logarithmic)
}

/// Creates an axis that covers all of these values; `None` if there are none. A linear axis has a
/// margin at both ends, which does not extend below 0 if no value is negative.
fn axis(axis: &lab::Axis, values: impl Iterator<Item = f64>, ticks: usize, room: f64) -> Option<Axis> {
    let (low, high) = range(values)?;
    let is_logarithmic = match axis.scale {
        lab::Scale::Linear => false,
        lab::Scale::Logarithmic => true,
        lab::Scale::Automatic => low > 0.0 && high > 10.0 * low,
    };
    let scale = if is_logarithmic {
        Scale::logarithmic(low, high)
    } else {
        let room = room * (high - low);
        let low = if low >= 0.0 { (low - room).max(0.0) } else { low - room };
        Scale::linear(low, high + room, ticks)
    };
    Some(Axis::new(axis.label.clone(), scale))
}

/// Adds 0 to the values if a linear axis begins near 0 anyway, so that lengths can be compared.
fn with_zero(axis: &lab::Axis, values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    let (low, high) = range(values.iter().copied()).unwrap_or_default();
    if axis.scale != lab::Scale::Logarithmic && low > 0.0 && low < high * 0.6 && high <= 10.0 * low
        || axis.scale == lab::Scale::Linear && low > 0.0 && low < high * 0.6
    {
        values.push(0.0);
    }
    values
}
