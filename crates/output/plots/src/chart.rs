//! Layout shared by all figures: title, remarks, axes and grid, drawn with plotters' charts, and a
//! legend below.

use crate::axis::{Axis, LABEL, MARGIN, REMARK, TICK, TITLE, shorten, wrapped};
use crate::colour::{FINE_GRID, GRID, INK, WHITE, is_light};
use crate::font::{self, style};
use crate::legend::Legend;
use crate::picture::{Area, CANNOT_FAIL, PIXEL, Picture};
use crate::scale::Scale;
use crate::size::FigureSize;
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::{Rectangle, Text};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color as _, RGBColor};
use plotters_backend::BackendCoord;

/// A plotters chart in which data are drawn.
pub(crate) type Chart<'p> = ChartContext<'p, &'p mut Picture, Cartesian2d<Scale, Scale>>;

/// Layout of a figure without its data: panels from top to bottom with a common x axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) title: String,
    /// Remarks in smaller text below the title.
    pub(crate) remarks: Vec<String>,
    pub(crate) x: Axis,
    /// The y axis and the height of each panel.
    pub(crate) panels: Vec<(Axis, i32)>,
    /// Entries of the legend; there is no legend if it is empty.
    pub(crate) names: Vec<String>,
    pub(crate) size: FigureSize,
}

/// Height of the panel of a figure with one panel.
pub(crate) const ONE_PANEL: i32 = 310 * PIXEL;
/// Height of the area for labels and title of the x axis, below the data.
const X_AXIS: i32 = 360;
const BETWEEN_PANELS: i32 = 180;
const BETWEEN_LINES: i32 = 40;

impl Frame {
    /// Draws the picture; `data` draws in each panel, and `sample` draws the samples of the legend.
    pub(crate) fn draw(
        mut self,
        data: &mut dyn FnMut(usize, &mut Chart<'_>),
        sample: &mut dyn FnMut(&Area<'_>, usize, BackendCoord),
    ) -> Picture {
        let room = self.size.width - 2 * MARGIN;
        self.remarks = self.remarks.iter().flat_map(|remark| wrapped(remark, REMARK, room)).collect();
        let legend = Legend::new(&self.names, self.size.width);
        let heights = self.heights(&legend);
        let panels: i32 = heights.iter().map(|height| height + BETWEEN_PANELS).sum();
        let header = self.header();
        let below = header + panels - BETWEEN_PANELS + X_AXIS + 80;
        let left = self.panels.iter().map(|(axis, _)| axis.left()).max().unwrap_or(0);
        let width = self.size.width - 2 * MARGIN - self.x.right();
        let x = self.x.scale.without_overlaps(width - left, LABEL);
        let x_title = shorten(&self.x.title, TITLE, width - left);
        Picture::draw(self.size.width, below + legend.height() + MARGIN / 2, self.size, |root| {
            let mut middle = MARGIN + TITLE / 2;
            let texts =
                std::iter::once((&self.title, TITLE)).chain(self.remarks.iter().map(|text| (text, REMARK)));
            for (text, size) in texts {
                let shown = shorten(text, size, room);
                root.draw_text(&shown, &style(size, HPos::Left), (MARGIN, middle)).expect(CANNOT_FAIL);
                middle += REMARK + BETWEEN_LINES;
            }
            let mut top = header;
            for (index, ((y, _), height)) in self.panels.iter().zip(heights).enumerate() {
                let y = y.clone().fit_height(height);
                let is_last = index + 1 == self.panels.len();
                let x_axis = if is_last { X_AXIS } else { 0 };
                let area = root.clone().shrink((MARGIN, top), (width, height + x_axis));
                let mut builder = ChartBuilder::on(&area);
                builder.y_label_area_size(left).x_label_area_size(x_axis);
                let mut chart = builder.build_cartesian_2d(x.clone(), y.scale.clone()).expect(CANNOT_FAIL);
                let mut mesh = chart.configure_mesh();
                if !self.x.has_grid {
                    mesh.disable_x_mesh();
                }
                if !y.has_grid {
                    mesh.disable_y_mesh();
                }
                mesh.bold_line_style(GRID.stroke_width(10)).light_line_style(FINE_GRID.stroke_width(10));
                mesh.axis_style(INK.stroke_width(10)).set_all_tick_mark_size(TICK);
                mesh.label_style(style(LABEL, HPos::Left)).axis_desc_style(style(TITLE, HPos::Left));
                mesh.x_desc(&x_title).y_desc(&y.title);
                mesh.draw().expect(CANNOT_FAIL);
                data(index, &mut chart);
                let (across, down) = chart.plotting_area().get_pixel_range();
                let corners = [(across.start, down.start), (across.end - 1, down.end - 1)];
                root.draw(&Rectangle::new(corners, INK.stroke_width(10))).expect(CANNOT_FAIL);
                top += height + BETWEEN_PANELS;
            }
            legend.draw(root, below, sample);
        })
    }

    /// Returns the height of title and remarks.
    fn header(&self) -> i32 {
        MARGIN + TITLE + self.remarks.len() as i32 * (REMARK + BETWEEN_LINES) + 100
    }

    /// Returns the height of each panel: its own, or its share of the remaining height of a
    /// picture with a given height, but at least the height of its labels.
    fn heights(&self, legend: &Legend) -> Vec<i32> {
        let own: Vec<i32> = self.panels.iter().map(|(_, height)| *height).collect();
        let Some(height) = self.size.height else { return own };
        let between = (own.len() as i32 - 1) * BETWEEN_PANELS;
        let rest = self.header() + between + X_AXIS + 80 + legend.height() + MARGIN / 2;
        let all: i64 = own.iter().map(|&own| i64::from(own)).sum();
        let part = |&(ref axis, own): &(Axis, i32)| {
            let part = i64::from((height - rest).max(0)) * i64::from(own) / all.max(1);
            (part as i32).max(axis.least_height())
        };
        self.panels.iter().map(part).collect()
    }
}

/// Draws a bar from its upper left to its lower right corner, with a white gap between large bars,
/// and writes its label if it fits together with the margin.
pub(crate) fn bar(
    area: &Area<'_>,
    [(left, top), (right, bottom)]: [BackendCoord; 2],
    colour: RGBColor,
    label: &str,
    margin: i32,
) {
    let gap = |length: i32| if length > 30 { 6 } else { 0 };
    let corner = (right - gap(right - left), bottom - gap(bottom - top));
    area.draw(&Rectangle::new([(left, top), corner], colour.filled())).expect(CANNOT_FAIL);
    let tall = (f64::from(REMARK) * font::CAP_HEIGHT) as i32;
    if font::width(label, REMARK) + margin <= right - left && tall + 30 <= bottom - top {
        let style = style(REMARK, HPos::Center);
        let style = if is_light(colour) { style } else { style.color(&WHITE) };
        let middle = (i32::midpoint(left, right), i32::midpoint(top, bottom));
        area.draw(&Text::new(label, middle, style)).expect(CANNOT_FAIL);
    }
}
