//! Line charts: panels one above the other with a common x axis, and a legend below.

use crate::axes::{self, Area, Axis, EDGE, WIDTH, X_AXIS};
use crate::legend::{Legend, SAMPLE};
use crate::palette;
use crate::picture::{Picture, Point};

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// Lines of smaller text below the title.
    pub(crate) remarks: Vec<String>,
    pub(crate) x: Axis,
    pub(crate) panels: Vec<Panel>,
    /// The label of each number of a line, in their order; no legend if there are none.
    pub(crate) names: Vec<String>,
}

/// Lines with a common y axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub(crate) y: Axis,
    pub(crate) height: f64,
    pub(crate) lines: Vec<Line>,
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// What it looks like, and its place among the names.
    pub(crate) number: usize,
    pub(crate) points: Vec<Point>,
    pub(crate) kind: LineKind,
}

/// How a line goes from point to point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Straight, with a marker at each point.
    Straight,
    /// Markers alone.
    Points,
    /// Level until the next point, without markers.
    Steps,
}

/// The height of the only panel of a picture.
pub(crate) const ONE_PANEL: f64 = 310.0;
const BETWEEN_PANELS: f64 = 18.0;

impl Chart {
    pub(crate) fn picture(&self) -> Picture {
        let legend = Legend::new(&self.names);
        let top = axes::header_height(&self.remarks);
        let panels: f64 = self.panels.iter().map(|panel| panel.height).sum();
        let between = BETWEEN_PANELS * self.panels.len().saturating_sub(1) as f64;
        let bottom = top + panels + between;
        let height =
            bottom + X_AXIS + if self.names.is_empty() { 0.0 } else { legend.height() + 6.0 } + EDGE / 2.0;
        let mut picture = Picture::new(WIDTH, height);
        axes::header(&mut picture, &self.title, &self.remarks);

        let left = self.panels.iter().map(|panel| axes::left_of(&panel.y)).fold(0.0, f64::max);
        let right = WIDTH - axes::right_of(&self.x);
        let mut from = top;
        for (index, panel) in self.panels.iter().enumerate() {
            let area = Area { left, top: from, right, bottom: from + panel.height };
            panel.draw(&mut picture, &area, &self.x);
            if index + 1 == self.panels.len() {
                axes::x_axis(&mut picture, &area, &self.x);
            }
            from = area.bottom + BETWEEN_PANELS;
        }
        let marked = |number: usize| {
            let mut lines = self.panels.iter().flat_map(|panel| &panel.lines);
            lines.any(|line| line.number == number && line.kind != LineKind::Steps)
        };
        let joined = |number: usize| {
            let mut lines = self.panels.iter().flat_map(|panel| &panel.lines);
            lines.any(|line| line.number == number && line.kind != LineKind::Points)
        };
        legend.draw(&mut picture, bottom + X_AXIS + 2.0, |picture, number, (x, y)| {
            let ends = vec![(x - SAMPLE / 2.0, y), (x + SAMPLE / 2.0, y)];
            if joined(number) {
                picture.line(ends, palette::stroke(number));
            }
            if marked(number) {
                palette::mark(picture, number, (x, y));
            }
        });
        picture
    }
}

impl Panel {
    fn draw(&self, picture: &mut Picture, area: &Area, x: &Axis) {
        axes::x_grid(picture, area, &x.scale);
        axes::y_grid(picture, area, &self.y.scale);
        area.outline(picture);
        axes::y_axis(picture, area, &self.y);
        // The first lines are the most important, so they are on top.
        for line in self.lines.iter().rev() {
            let place = |&(across, up): &Point| (area.x(&x.scale, across), area.y(&self.y.scale, up));
            let points: Vec<Point> = line.points.iter().map(place).collect();
            match line.kind {
                LineKind::Straight | LineKind::Points => {
                    if line.kind == LineKind::Straight {
                        picture.line(points.clone(), palette::stroke(line.number));
                    }
                    for point in points {
                        palette::mark(picture, line.number, point);
                    }
                }
                LineKind::Steps => picture.line(steps(&points), palette::stroke(line.number)),
            }
        }
    }
}

/// The corners of a line that is level from each point to the next.
fn steps(points: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = Vec::with_capacity(2 * points.len());
    for &(x, y) in points {
        if let Some(&(_, before)) = corners.last() {
            corners.push((x, before));
        }
        corners.push((x, y));
    }
    corners
}
