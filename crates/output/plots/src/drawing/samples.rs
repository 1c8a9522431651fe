//! Samples side by side, as box plots and as distribution functions.

use super::rows::Rows;
use super::{Drawn, MAX_ROWS, MAX_SHOWN, Sheet, axis, is_shown};
use crate::axes::Axis;
use crate::chart::{Chart, Line, LineKind, ONE_PANEL, Panel};
use crate::colour::Colour;
use crate::palette;
use crate::picture::{Picture, Stroke};
use crate::scale::Scale;
use crate::statistics::{BoxPlot, distribution};
use crate::table::Csv;
use dfrsim_lab::{Axis as LabAxis, Samples};

/// A sample whose values are in order: at least one, all on the axis.
struct Sample<'a> {
    name: &'a str,
    rising: Vec<f64>,
}

/// The samples that have values on the axis; the first `most` of them are drawn.
fn on_axis<'a>(sheet: &mut Sheet, samples: &'a Samples, most: usize) -> Vec<Sample<'a>> {
    let mut hidden = 0;
    let mut shown = Vec::new();
    for (name, values) in &samples.samples {
        let mut rising = values.clone();
        rising.retain(|&value| is_shown(&samples.value, value));
        hidden += values.len() - rising.len();
        rising.sort_by(f64::total_cmp);
        if !rising.is_empty() {
            shown.push(Sample { name, rising });
        }
    }
    sheet.left_out(hidden, "values");
    sheet.first(shown.len().min(most), shown.len(), "samples");
    shown
}

fn value_axis(value: &LabAxis, samples: &[Sample<'_>]) -> Option<Axis> {
    let ends = samples.iter().flat_map(|sample| [sample.rising[0], sample.rising[sample.rising.len() - 1]]);
    axis(value, ends, 8, 0.02)
}

/// The distribution function of each sample.
pub(super) fn distributions(sheet: &mut Sheet, samples: &Samples) -> Option<Drawn> {
    let mut csv = Csv::new([samples.name.as_str(), "value", "part_no_larger"]);
    let mut lines = Vec::new();
    let all = on_axis(sheet, samples, MAX_SHOWN);
    let shown = &all[..all.len().min(MAX_SHOWN)];
    for (number, sample) in all.iter().enumerate() {
        let steps = distribution(&sample.rising);
        for (value, part) in &steps {
            csv.line([&sample.name, value, part]);
        }
        let points = std::iter::once((steps[0].0, 0.0)).chain(steps.iter().copied()).collect();
        if number < shown.len() {
            lines.push(Line { number, points, kind: LineKind::Steps });
        }
    }
    let chart = Chart {
        title: sheet.title.clone(),
        remarks: sheet.remarks.clone(),
        x: value_axis(&samples.value, shown)?,
        panels: vec![Panel {
            y: Axis::new("part with no more", Scale::linear(0.0, 1.0, 5)),
            height: ONE_PANEL,
            lines,
        }],
        names: shown.iter().map(|sample| sample.name.to_owned()).collect(),
    };
    Some((chart.picture(), csv))
}

/// A box for each sample, one below the other.
pub(super) fn boxes(sheet: &mut Sheet, samples: &Samples) -> Option<Drawn> {
    const ROW: f64 = 26.0;
    let header = ["count", "low_whisker", "quartile_1", "median", "quartile_3", "high_whisker", "outliers"];
    let [count, low, first, median, third, high, outliers] = header;
    let mut csv = Csv::new([samples.name.as_str(), count, low, first, median, third, high, outliers]);
    let all = on_axis(sheet, samples, MAX_ROWS);
    let shown = &all[..all.len().min(MAX_ROWS)];
    let x = value_axis(&samples.value, shown)?;
    let mut rows = Rows::new(sheet, shown.iter().map(|sample| sample.name), &x, ROW, 0.0);
    for (row, sample) in all.iter().enumerate() {
        let Some(plot) = BoxPlot::of(&sample.rising) else { continue };
        if row < shown.len() {
            let (middle, area) = (rows.begin(row), rows.area);
            draw(&mut rows.picture, &plot, middle, ROW * 0.6, row, |value| area.x(&x.scale, value));
        }
        let BoxPlot { count, quartiles: [first, median, third], whiskers: [low, high], outliers } = &plot;
        let outliers: Vec<String> = outliers.iter().map(f64::to_string).collect();
        csv.line([&sample.name, count, low, first, median, third, high, &outliers.join(" ")]);
    }
    Some((rows.picture, csv))
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
