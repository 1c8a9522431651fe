//! Charts as data, independent of any rendering.

use crate::column::Better;

/// A figure with its file name, title and remarks.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// File name without extension: lower-case letters, digits and hyphens; unique within the
    /// results.
    pub stem: String,
    /// Title, in one line.
    pub title: String,
    /// Notes for the reader, such as explanations or omitted data; one line each.
    pub remarks: Vec<String>,
    /// The chart itself.
    pub chart: Chart,
}

impl Drawing {
    /// Creates a figure without remarks.
    pub fn new(stem: impl Into<String>, title: impl Into<String>, chart: Chart) -> Drawing {
        Drawing { stem: stem.into(), title: title.into(), remarks: Vec::new(), chart }
    }
    /// Leaves the series, samples or lines with these names, in the order of the names, of which those
    /// that the chart lacks are skipped.
    #[must_use]
    pub fn with_series(mut self, names: &[String]) -> Drawing {
        match &mut self.chart {
            Chart::Lines { series, .. } => *series = chosen(names, series, |series| &series.name),
            Chart::Boxes(of) | Chart::Distribution(of) => {
                of.samples = chosen(names, &of.samples, |(name, _)| name);
            }
            Chart::PublishedComparison { lines, .. } => *lines = chosen(names, lines, |(name, ..)| name),
            Chart::Bars { bars, .. } => *bars = chosen(names, bars, |(name, ..)| name),
            Chart::Intervals { lines, .. } => *lines = chosen(names, lines, |(name, ..)| name),
        }
        self
    }
    /// Returns the names of the series, samples or lines.
    pub fn series(&self) -> Vec<&str> {
        match &self.chart {
            Chart::Lines { series, .. } => series.iter().map(|series| series.name.as_str()).collect(),
            Chart::Boxes(of) | Chart::Distribution(of) => {
                of.samples.iter().map(|(name, _)| name.as_str()).collect()
            }
            Chart::PublishedComparison { lines, .. } => {
                lines.iter().map(|(name, ..)| name.as_str()).collect()
            }
            Chart::Bars { bars: lines, .. } | Chart::Intervals { lines, .. } => {
                lines.iter().map(|(name, ..)| name.as_str()).collect()
            }
        }
    }
    /// Adds a remark.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Drawing {
        self.remarks.push(remark.into());
        self
    }
}

/// Returns the items with these names, in the order of the names.
fn chosen<T: Clone>(names: &[String], items: &[T], name: impl Fn(&T) -> &String) -> Vec<T> {
    names.iter().filter_map(|wanted| items.iter().find(|item| name(item) == wanted).cloned()).collect()
}

/// Contents of a figure. Values that an axis cannot show (zero on a logarithmic one) are left out,
/// and a remark says so.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Line chart of several series.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
        /// Meaning of a series, for the legend: `policy`.
        name: String,
        /// The series in the order of the legend; only the first ones are drawn if there are too
        /// many.
        series: Vec<Series>,
    },
    /// One box plot per sample, from top to bottom.
    Boxes(Samples),
    /// Empirical distribution function of each sample.
    Distribution(Samples),
    /// Our values next to published ones, one line per pair.
    PublishedComparison {
        /// The axis of the values.
        value: Axis,
        /// Meaning of a line: `algorithm`.
        name: String,
        /// The lines as (name, our value, published value).
        lines: Vec<(String, f64, f64)>,
    },
    /// Values with confidence intervals, one bar each.
    Bars {
        /// The axis of the values.
        value: Axis,
        /// Meaning of a bar: `policy`.
        name: String,
        /// The bars with their intervals, from top to bottom.
        bars: Vec<IntervalLine>,
    },
    /// Values with confidence intervals around a reference, one line each.
    Intervals {
        /// The axis of the values.
        value: Axis,
        /// Meaning of a line.
        name: String,
        /// Value that stands for no difference.
        reference: f64,
        /// Direction in which values improve.
        better: Better,
        /// Lines with their intervals, in drawing order.
        lines: Vec<IntervalLine>,
    },
}

/// A name, its value and the confidence interval as (lower end, upper end).
pub type IntervalLine = (String, f64, Option<(f64, f64)>);

/// Named samples that are shown side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The axis of the values.
    pub value: Axis,
    /// Meaning of a sample: `policy`.
    pub name: String,
    /// The samples as (name, values).
    pub samples: Vec<(String, Vec<f64>)>,
}

/// An axis with its label and scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity with its unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

/// Scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Linear, starting at 0 if 0 is near.
    Linear,
    /// Logarithmic; values must be positive.
    Logarithmic,
    /// Logarithmic if all values are positive and the largest is more than ten times the smallest;
    /// otherwise linear.
    Automatic,
}

/// A named sequence of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// The points as (x, y), in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// Confidence interval of each point as (lower end, upper end), in the order of the points; empty if
    /// the points have none.
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Style of the connecting line.
    pub join: Join,
}

/// Style of the line that joins the points of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Straight lines, with a marker at each point.
    #[default]
    Straight,
    /// Markers only.
    None,
    /// Steps that stay level until the next point, without markers.
    Steps,
}

impl Series {
    /// Creates a series without intervals, whose points are joined by straight lines.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, intervals: Vec::new(), join: Join::Straight }
    }
    /// Sets the style of the connecting line.
    #[must_use]
    pub fn joined(self, join: Join) -> Series {
        Series { join, ..self }
    }
}

impl Chart {
    /// Creates a line chart; `name` is the meaning of a series.
    pub fn lines(x: Axis, y: Axis, name: impl Into<String>, series: Vec<Series>) -> Chart {
        Chart::Lines { x, y, name: name.into(), series }
    }
    /// Creates a chart of our values next to published ones; `name` is the meaning of a line.
    pub fn published_comparison(
        value: Axis,
        name: impl Into<String>,
        lines: Vec<(String, f64, f64)>,
    ) -> Chart {
        Chart::PublishedComparison { value, name: name.into(), lines }
    }
}

impl Axis {
    /// Creates a linear axis.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }
    /// Creates a logarithmic axis.
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Logarithmic }
    }
    /// Creates an axis whose scale depends on the values.
    pub fn automatic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Automatic }
    }
}

/// Converts a name to a part of a file stem: lower-case letters, digits and dots, joined by hyphens.
pub fn stem(name: &str) -> String {
    let mut stem = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '.' {
            stem.push(letter.to_ascii_lowercase());
        } else if !stem.ends_with('-') {
            stem.push('-');
        }
    }
    stem.trim_matches('-').to_owned()
}
