//! Line charts in one or more panels.

use crate::chart::{Chart, Frame};
use crate::legend::SAMPLE_WIDTH;
use crate::palette;
use crate::picture::{CANNOT_FAIL, Picture};
use dfrsim_lab::Join;
use plotters::element::{DashedPathElement, PathElement};
use plotters::series::DashedLineSeries;
use plotters::style::Color as _;

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Index of the panel.
    pub(crate) panel: usize,
    pub(crate) name: String,
    /// Number of the colour, dashes and marker.
    pub(crate) style: usize,
    pub(crate) points: Vec<(f64, f64)>,
    /// Lower and upper end of the interval around each point as (x, lower, upper); empty without
    /// intervals.
    pub(crate) intervals: Vec<(f64, f64, f64)>,
    /// Style of the connecting line; steps have no markers.
    pub(crate) join: Join,
}

/// Draws lines in the panels of a frame, with a legend.
pub(crate) fn draw(mut frame: Frame, lines: &[Line]) -> Picture {
    frame.names = lines.iter().map(|line| line.name.clone()).collect();
    frame.draw(
        &mut |panel, chart| {
            // The first lines are the most important, so they are drawn last, on top.
            for line in lines.iter().rev().filter(|line| line.panel == panel) {
                let number = line.style;
                line.intervals.iter().for_each(|interval| draw_interval(chart, interval, number));
                if line.join != Join::None {
                    let (dash, gap) = palette::dash(number);
                    let series = DashedLineSeries::new(line.corners(), dash, gap, palette::stroke(number));
                    chart.draw_series(series).expect(CANNOT_FAIL);
                }
                if line.join != Join::Steps {
                    let area = chart.plotting_area().use_screen_coord();
                    line.points
                        .iter()
                        .for_each(|point| palette::mark(&area, number, chart.backend_coord(point)));
                }
            }
        },
        &mut |area, place, (x, y)| {
            let number = lines[place].style;
            if lines[place].join != Join::None {
                let (ends, (dash, gap)) =
                    ([(x - SAMPLE_WIDTH / 2, y), (x + SAMPLE_WIDTH / 2, y)], palette::dash(number));
                let path = DashedPathElement::new(ends, dash, gap, palette::stroke(number));
                area.draw(&path).expect(CANNOT_FAIL);
            }
            if lines[place].join != Join::Steps {
                palette::mark(area, number, (x, y));
            }
        },
    )
}

/// Half of the width of the ends of an interval.
const CAP: i32 = 25;

/// Draws an interval as a vertical bar with ends, in the colour of its line.
fn draw_interval(chart: &Chart<'_>, &(x, low, high): &(f64, f64, f64), number: usize) {
    let area = chart.plotting_area().use_screen_coord();
    let style = palette::colour(number).stroke_width(10);
    let [(x, bottom), (_, top)] = [low, high].map(|end| chart.backend_coord(&(x, end)));
    let end = |y: i32| [(x - CAP, y), (x + CAP, y)];
    for ends in [[(x, bottom), (x, top)], end(bottom), end(top)] {
        area.draw(&PathElement::new(ends, style)).expect(CANNOT_FAIL);
    }
}

impl Line {
    fn corners(&self) -> Vec<(f64, f64)> {
        let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * self.points.len());
        for &(x, y) in &self.points {
            if let (Some(&(_, before)), Join::Steps) = (corners.last(), self.join) {
                corners.push((x, before));
            }
            corners.push((x, y));
        }
        corners
    }
}
