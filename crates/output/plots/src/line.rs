//! Line charts in one or more panels.

use crate::chart::Frame;
use crate::legend::SAMPLE_WIDTH;
use crate::palette;
use crate::picture::{CANNOT_FAIL, Picture};
use dfrsim_lab::Join;
use plotters::element::DashedPathElement;
use plotters::series::DashedLineSeries;

/// A line through points; its index among the lines selects its colour and marker.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Index of the panel.
    pub(crate) panel: usize,
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Style of the connecting line; steps have no markers.
    pub(crate) join: Join,
}

/// Draws lines in the panels of a frame, with a legend.
pub(crate) fn draw(mut frame: Frame, lines: &[Line]) -> Picture {
    frame.names = lines.iter().map(|line| line.name.clone()).collect();
    frame.draw(
        &mut |panel, chart| {
            // The first lines are the most important, so they are drawn last, on top.
            for (number, line) in lines.iter().enumerate().rev().filter(|(_, line)| line.panel == panel) {
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
        &mut |area, number, (x, y)| {
            if lines[number].join != Join::None {
                let (ends, (dash, gap)) =
                    ([(x - SAMPLE_WIDTH / 2, y), (x + SAMPLE_WIDTH / 2, y)], palette::dash(number));
                let path = DashedPathElement::new(ends, dash, gap, palette::stroke(number));
                area.draw(&path).expect(CANNOT_FAIL);
            }
            if lines[number].join != Join::Steps {
                palette::mark(area, number, (x, y));
            }
        },
    )
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
