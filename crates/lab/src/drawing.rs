//! Figures as data: what is to be drawn, without how.

use crate::column::Better;

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The name of its files, without an extension: lower-case letters, digits and hyphens; unique within the results.
    pub stem: String,
    /// Its subject, in one line.
    pub title: String,
    /// What a reader must know to understand it, or what it leaves out; a line each.
    pub remarks: Vec<String>,
    /// The contents.
    pub chart: Chart,
}

impl Drawing {
    /// A figure without remarks.
    pub fn new(stem: impl Into<String>, title: impl Into<String>, chart: Chart) -> Drawing {
        Drawing { stem: stem.into(), title: title.into(), remarks: Vec::new(), chart }
    }
    /// With one more remark.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Drawing {
        self.remarks.push(remark.into());
        self
    }
}

/// The contents of a drawing. Values that an axis cannot show (zero on a logarithmic one) are left out, with a remark.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Points of several series.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
        /// What a series is: `policy`.
        name: String,
        /// The series, in the order of the legend; only the first ones are drawn if there are too many.
        series: Vec<Series>,
    },
    /// A box plot for each sample, one below the other.
    Boxes(Samples),
    /// The part of each sample that does not exceed a value.
    Distribution(Samples),
    /// Our values beside published ones, a line each.
    Beside {
        /// The axis of the values.
        value: Axis,
        /// What a line is: `algorithm`.
        name: String,
        /// The lines: name, our value, published value.
        lines: Vec<(String, f64, f64)>,
    },
    /// Values with confidence intervals, a line each, around a reference.
    Intervals {
        /// The axis of the values.
        value: Axis,
        /// What a line is.
        name: String,
        /// The value that makes no difference.
        reference: f64,
        /// Which values are better.
        better: Better,
        /// The lines.
        lines: Vec<IntervalLine>,
    },
}

/// A name, its value and the interval of that, from its lower to its upper end.
pub type IntervalLine = (String, f64, Option<(f64, f64)>);

/// Samples side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The axis of the values.
    pub value: Axis,
    /// What a sample is: `policy`.
    pub name: String,
    /// The samples: name and values.
    pub samples: Vec<(String, Vec<f64>)>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its subject, with its unit.
    pub label: String,
    /// How values are placed.
    pub scale: Scale,
}

/// How values are placed on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from 0 if that is near.
    Linear,
    /// By their logarithms; values must be positive.
    Logarithmic,
    /// Evenly, or by their logarithms if all are positive and the largest is more than ten times the smallest.
    Automatic,
}

/// Points under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points: horizontal, vertical; in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub join: Join,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// By straight lines, with a marker at each point.
    #[default]
    Straight,
    /// Not at all: markers alone.
    None,
    /// By steps, level until the next point, without markers.
    Steps,
}

impl Chart {
    /// Points of several series; `name` is what a series is.
    pub fn lines(x: Axis, y: Axis, name: impl Into<String>, series: Vec<Series>) -> Chart {
        Chart::Lines { x, y, name: name.into(), series }
    }
    /// Our values beside published ones; `name` is what a line is.
    pub fn beside(value: Axis, name: impl Into<String>, lines: Vec<(String, f64, f64)>) -> Chart {
        Chart::Beside { value, name: name.into(), lines }
    }
}

impl Axis {
    /// An axis with even steps.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }
    /// A logarithmic axis.
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Logarithmic }
    }
    /// An axis whose scale depends on the values.
    pub fn automatic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Automatic }
    }
}

/// The part of a stem that a name becomes: lower-case letters and digits, joined by hyphens.
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
