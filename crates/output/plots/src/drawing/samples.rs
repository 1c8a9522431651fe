//! Samples as box plots and as distribution functions.

use super::{Captions, Drawn, MAX_ROWS, MAX_SHOWN, axis, is_shown, middle};
use crate::axis::Axis;
use crate::chart::{Chart, ONE_PANEL};
use crate::colour::{BOX_STRENGTH, INK, mix_with_white};
use crate::line::{self, Line};
use crate::palette;
use crate::picture::CANNOT_FAIL;
use crate::scale::Scale;
use crate::statistics::{BoxPlot, distribution};
use crate::styles::Styles;
use crate::table::Csv;
use dfrsim_lab::{Axis as LabAxis, Join, Samples};
use plotters::element::{Circle, PathElement, Rectangle};
use plotters::style::Color as _;

/// A sample in ascending order: at least one value, all on the axis.
struct Sample<'a> {
    name: &'a str,
    sorted_values: Vec<f64>,
}

/// Selects the samples that have values on the axis; only the first `most` of them will be drawn.
fn on_axis<'a>(sheet: &mut Captions, samples: &'a Samples, most: usize) -> Vec<Sample<'a>> {
    let mut hidden = 0;
    let mut shown = Vec::new();
    for (name, values) in &samples.samples {
        let mut rising = values.clone();
        rising.retain(|&value| is_shown(&samples.value, value));
        hidden += values.len() - rising.len();
        rising.sort_by(f64::total_cmp);
        if !rising.is_empty() {
            shown.push(Sample { name, sorted_values: rising });
        }
    }
    sheet.note_left_out(hidden, "values");
    sheet.note_truncation(shown.len().min(most), shown.len(), "samples");
    shown
}

fn value_axis(value: &LabAxis, samples: &[Sample<'_>]) -> Option<Axis> {
    let ends = samples
        .iter()
        .flat_map(|sample| [sample.sorted_values[0], sample.sorted_values[sample.sorted_values.len() - 1]]);
    axis(value, ends, 8, 0.02)
}

/// Draws the empirical distribution function of each sample.
pub(super) fn distributions(sheet: &mut Captions, samples: &Samples, styles: &Styles) -> Option<Drawn> {
    let mut csv = Csv::new([samples.name.as_str(), "value", "part_no_larger"]);
    let mut lines = Vec::new();
    let all = on_axis(sheet, samples, MAX_SHOWN);
    let shown = &all[..all.len().min(MAX_SHOWN)];
    let numbers = styles.of(shown.iter().map(|sample| sample.name));
    for (number, sample) in all.iter().enumerate() {
        let steps = distribution(&sample.sorted_values);
        for (value, part) in &steps {
            csv.line([&sample.name, value, part]);
        }
        let points = std::iter::once((steps[0].0, 0.0)).chain(steps.iter().copied()).collect();
        if let Some(&style) = numbers.get(number) {
            let (name, intervals) = (sample.name.to_owned(), Vec::new());
            lines.push(Line { panel: 0, name, style, points, intervals, join: Join::Steps });
        }
    }
    let x = value_axis(&samples.value, shown)?;
    let y = Axis::new("fraction with at most this value", Scale::linear(0.0, 1.0, 5));
    Some((line::draw(sheet.frame(x, vec![(y, ONE_PANEL)]), &lines), csv))
}

/// Draws a box plot for each sample, from top to bottom.
pub(super) fn boxes(sheet: &mut Captions, samples: &Samples, styles: &Styles) -> Option<Drawn> {
    let header = ["count", "low_whisker", "quartile_1", "median", "quartile_3", "high_whisker", "outliers"];
    let [count, low, first, median, third, high, outliers] = header;
    let mut csv = Csv::new([samples.name.as_str(), count, low, first, median, third, high, outliers]);
    let all = on_axis(sheet, samples, MAX_ROWS);
    let shown = &all[..all.len().min(MAX_ROWS)];
    let x = value_axis(&samples.value, shown)?;
    let frame = sheet.rows(x, shown.iter().map(|sample| sample.name), 260);
    let plots: Vec<BoxPlot> = all.iter().filter_map(|sample| BoxPlot::of(&sample.sorted_values)).collect();
    for (sample, plot) in all.iter().zip(&plots) {
        let BoxPlot { count, quartiles: [first, median, third], whiskers: [low, high], outliers } = plot;
        let outliers: Vec<String> = outliers.iter().map(f64::to_string).collect();
        csv.line([&sample.name, count, low, first, median, third, high, &outliers.join(" ")]);
    }
    let numbers = styles.of(shown.iter().map(|sample| sample.name));
    let picture = frame.draw(
        &mut |_, chart| {
            let shown = plots.iter().zip(&numbers).enumerate();
            shown.for_each(|(row, (plot, &style))| draw(chart, plot, row, style));
        },
        &mut |_, _, _| {},
    );
    Some((picture, csv))
}

/// Draws one box. Plotters' own box plots define quartiles differently, and their whiskers need not
/// end at a value.
fn draw(chart: &mut Chart<'_>, plot: &BoxPlot, row: usize, style: usize) {
    let BoxPlot { quartiles: [first, median, third], whiskers, outliers, .. } = plot;
    let (top, bottom) = (middle(row) - 0.3, middle(row) + 0.3);
    let (colour, ink) = (palette::colour(style), INK.stroke_width(12));
    let across = |level: f64, from: f64, to: f64| PathElement::new([(from, level), (to, level)], ink);
    let down = |at: f64, reach: f64, width: u32| {
        PathElement::new([(at, middle(row) - reach), (at, middle(row) + reach)], INK.stroke_width(width))
    };
    let [low, high] = *whiskers;
    let lines = [
        across(middle(row), low, *first),
        across(middle(row), *third, high),
        down(low, 0.15, 12),
        down(high, 0.15, 12),
    ];
    chart.draw_series(lines).expect(CANNOT_FAIL);
    let corners = [(*first, top), (*third, bottom)];
    let boxes = [
        Rectangle::new(corners, mix_with_white(colour, BOX_STRENGTH).filled()),
        Rectangle::new(corners, ink),
    ];
    chart.draw_series(boxes).expect(CANNOT_FAIL);
    chart.draw_series([down(*median, 0.3, 24)]).expect(CANNOT_FAIL);
    // Overlapping outliers are drawn once.
    let mut places: Vec<_> =
        outliers.iter().map(|&value| chart.backend_coord(&(value, middle(row)))).collect();
    places.dedup_by_key(|(x, _)| *x / 5);
    let area = chart.plotting_area().use_screen_coord();
    for place in places {
        area.draw(&Circle::new(place, 22, colour.filled())).expect(CANNOT_FAIL);
    }
}
