//! Figures as data: what is to be drawn, without how.

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The name of its files, without an extension: lower-case letters, digits and hyphens.
    pub stem: String,
    /// What it shows, in one line.
    pub title: String,
    /// Where a published figure shows the same; may be empty.
    pub source: String,
    /// What is drawn.
    pub chart: Chart,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Points of several series, joined by lines.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
        /// The series, in the order of the legend.
        series: Vec<Series>,
    },
    /// Points of several series that are not joined.
    Points {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
        /// The series, in the order of the legend.
        series: Vec<Series>,
    },
    /// A box plot of a sample for each name, with its mean; one below the other.
    Boxes {
        /// The axis of the values.
        value: Axis,
        /// The samples: name and values.
        samples: Vec<(String, Vec<f64>)>,
    },
    /// The part of each sample that does not exceed a value.
    Distribution {
        /// The axis of the values.
        value: Axis,
        /// The samples: name and values.
        samples: Vec<(String, Vec<f64>)>,
    },
    /// Our values beside published ones, a line each, by group.
    Beside {
        /// The axis of the values.
        value: Axis,
        /// The lines: group, name, our value, published value.
        lines: Vec<(String, String, Option<f64>, Option<f64>)>,
    },
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// How values are placed.
    pub scale: Scale,
}

/// How values are placed on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithms; values must be positive.
    Logarithmic,
}

/// Points under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is horizontally.
    pub x: f64,
    /// Where it is vertically.
    pub y: f64,
    /// The confidence interval of `y`.
    pub interval: Option<(f64, f64)>,
}

impl Axis {
    /// An axis with even steps.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }
    /// A logarithmic axis.
    #[must_use]
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), scale: Scale::Logarithmic }
    }
}
