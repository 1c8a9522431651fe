//! Samples side by side, as box plots and as distribution functions.

use crate::axes::{self, Area, Axis, EDGE, LABEL, WIDTH, X_AXIS};
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::colour::Colour;
use crate::font;
use crate::palette;
use crate::picture::{Picture, Stroke};
use crate::scale::Scale;
use crate::statistics::{BoxPlot, distribution, range};
use crate::table::Csv;

/// Values with a name: at least one, all above 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    name: String,
    rising: Vec<f64>,
}

impl Sample {
    /// The values that can stand on a logarithmic axis; nothing if there are none.
    pub(crate) fn new(name: String, values: &[f64]) -> Option<Sample> {
        let mut rising: Vec<f64> =
            values.iter().copied().filter(|&value| value.is_finite() && value > 0.0).collect();
        rising.sort_by(f64::total_cmp);
        (!rising.is_empty()).then_some(Sample { name, rising })
    }
}

/// A logarithmic axis for all values.
fn axis(title: &str, samples: &[Sample]) -> Axis {
    let ends = samples.iter().flat_map(|sample| [sample.rising[0], sample.rising[sample.rising.len() - 1]]);
    let (low, high) = range(ends).unwrap_or((1.0, 1.0));
    Axis::new(title, Scale::logarithmic(low, high))
}

/// The distribution function of each sample, and the steps of all.
pub(crate) fn distributions(
    title: String,
    remarks: Vec<String>,
    [value, part]: [&str; 2],
    samples: &[Sample],
) -> (Picture, String) {
    let mut csv = Csv::new(["policy", "value", "part_no_larger"]);
    let mut lines = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        let steps = distribution(&sample.rising);
        for (value, part) in &steps {
            csv.line([&sample.name, value, part]);
        }
        let points = std::iter::once((steps[0].0, 0.0)).chain(steps.iter().copied()).collect();
        lines.push(Line { number, points, course: Course::Steps });
    }
    let y = Axis::new(part, Scale::linear(0.0, 1.0, 5));
    let chart = Chart {
        title,
        remarks,
        x: axis(value, samples),
        panels: vec![Panel { y, height: ONE_PANEL, lines }],
        names: samples.iter().map(|sample| sample.name.clone()).collect(),
    };
    (chart.picture(), csv.finish())
}

/// A box for each sample, one below the other, and the figures of all.
pub(crate) fn boxes(title: &str, remarks: &[String], value: &str, samples: &[Sample]) -> (Picture, String) {
    const ROW: f64 = 26.0;
    let mut csv = Csv::new([
        "policy",
        "count",
        "low_whisker",
        "quartile_1",
        "median",
        "quartile_3",
        "high_whisker",
        "outliers",
    ]);
    let x = axis(value, samples);
    let room = WIDTH * 0.48;
    let names: Vec<String> =
        samples.iter().map(|sample| axes::shortened(&sample.name, LABEL, room)).collect();
    let widest = names.iter().map(|name| font::width(name, LABEL)).fold(0.0, f64::max);
    let top = axes::header_height(remarks);
    let bottom = top + samples.len() as f64 * ROW + 8.0;
    let area = Area { left: EDGE + widest + 8.0, top, right: WIDTH - axes::right_of(&x), bottom };
    let mut picture = Picture::new(WIDTH, bottom + X_AXIS + EDGE / 2.0);
    axes::header(&mut picture, title, remarks);
    axes::x_grid(&mut picture, &area, &x.scale);
    area.outline(&mut picture);
    axes::x_axis(&mut picture, &area, &x);
    for (row, (sample, name)) in samples.iter().zip(&names).enumerate() {
        let Some(plot) = BoxPlot::of(&sample.rising) else { continue };
        let middle = top + 4.0 + (row as f64 + 0.5) * ROW;
        axes::row_label(&mut picture, (area.left, middle), name);
        draw(&mut picture, &plot, middle, ROW * 0.6, row, |value| area.x(&x.scale, value));
        let BoxPlot { count, quartiles: [first, median, third], whiskers: [low, high], outliers } = &plot;
        let outliers: Vec<String> = outliers.iter().map(f64::to_string).collect();
        csv.line([&sample.name, count, low, first, median, third, high, &outliers.join(" ")]);
    }
    (picture, csv.finish())
}

/// Draws one box around a level.
fn draw(
    picture: &mut Picture,
    plot: &BoxPlot,
    middle: f64,
    height: f64,
    number: usize,
    x: impl Fn(f64) -> f64,
) {
    let (top, ink) = (middle - height / 2.0, Stroke::solid(Colour::INK, 1.2));
    let [first, median, third] = plot.quartiles.map(&x);
    let [low, high] = plot.whiskers.map(&x);
    let colour = palette::stroke(number).colour;
    for (box_end, whisker) in [(first, low), (third, high)] {
        picture.line(vec![(box_end, middle), (whisker, middle)], ink);
        picture.line(vec![(whisker, middle - height / 4.0), (whisker, middle + height / 4.0)], ink);
    }
    picture.rectangle((first, top), (third - first, height), colour.paled(0.55));
    let corners = [(first, top), (third, top), (third, top + height), (first, top + height), (first, top)];
    picture.line(corners.to_vec(), ink);
    picture.line(vec![(median, top), (median, top + height)], Stroke::solid(Colour::INK, 2.4));
    // Outliers that would cover each other are drawn once.
    let mut drawn = f64::NEG_INFINITY;
    for outlier in plot.outliers.iter().map(|&value| x(value)) {
        if outlier - drawn >= 0.5 {
            picture.disc((outlier, middle), 2.2, colour);
            drawn = outlier;
        }
    }
}
