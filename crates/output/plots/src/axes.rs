//! What surrounds the data: title, axes, grid.

use crate::colour::Colour;
use crate::font;
use crate::picture::{Anchor, Picture, Point, Stroke, Text};
use crate::scale::{Scale, Tick};

/// The width of every picture.
pub(crate) const WIDTH: f64 = 600.0;
/// The size of titles of pictures and axes.
pub(crate) const TITLE: f64 = 14.0;
/// The size of labels at ticks and in legends.
pub(crate) const LABEL: f64 = 13.0;
/// The size of remarks.
pub(crate) const REMARK: f64 = 11.5;
/// Between the picture's edge and what is next to it.
pub(crate) const EDGE: f64 = 10.0;
/// Below an area, for the labels and the title of its x axis.
pub(crate) const X_AXIS: f64 = 44.0;
/// Between an area and its labels.
const GAP: f64 = 7.0;

/// An axis and what it shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// With its unit in brackets; may be empty.
    pub(crate) title: String,
    pub(crate) scale: Scale,
}

impl Axis {
    pub(crate) fn new(title: impl Into<String>, scale: Scale) -> Axis {
        Axis { title: title.into(), scale }
    }
}

/// The rectangle of a picture in which data is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn x(&self, scale: &Scale, value: f64) -> f64 {
        self.left + scale.place(value) * (self.right - self.left)
    }
    /// Of a scale that rises upwards.
    pub(crate) fn y(&self, scale: &Scale, value: f64) -> f64 {
        self.bottom - scale.place(value) * (self.bottom - self.top)
    }
    pub(crate) fn outline(&self, picture: &mut Picture) {
        let Area { left, top, right, bottom } = *self;
        let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        picture.line(corners, Stroke::solid(Colour::INK, 1.0));
    }
}

/// The room that the labels and the title of a y axis take to the left of an area.
pub(crate) fn left_of(axis: &Axis) -> f64 {
    let labels = axis.scale.ticks().iter().filter_map(|tick| tick.label.as_deref());
    let widest = labels.map(|label| font::width(label, LABEL)).fold(0.0, f64::max);
    EDGE + if axis.title.is_empty() { 0.0 } else { TITLE + GAP } + widest + GAP
}

/// The room to the right of an area, into which half of the x axis's last label may reach.
pub(crate) fn right_of(axis: &Axis) -> f64 {
    let last = axis.scale.ticks().iter().rev().find_map(|tick| tick.label.as_deref());
    EDGE + font::width(last.unwrap_or_default(), LABEL) / 2.0
}

/// The height of title and remarks.
pub(crate) fn header_height(remarks: &[String]) -> f64 {
    EDGE + TITLE + remarks.len() as f64 * (REMARK + 4.0) + 10.0
}

/// Writes title and remarks at the top.
pub(crate) fn header(picture: &mut Picture, title: &str, remarks: &[String]) {
    let room = WIDTH - 2.0 * EDGE;
    let mut base = EDGE + TITLE * 0.8;
    picture.text((EDGE, base), Anchor::Start, TITLE, shortened(title, TITLE, room));
    for remark in remarks {
        base += REMARK + 4.0;
        picture.text((EDGE, base), Anchor::Start, REMARK, shortened(remark, REMARK, room));
    }
}

/// The text, or its two ends around an ellipsis if it is wider than the room for it: names differ at their ends.
pub(crate) fn shortened(text: &str, size: f64, room: f64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let (mut begin, mut end) = (characters.len(), 0);
    let mut shown = text.to_owned();
    while font::width(&shown, size) > room && begin + end > 0 {
        let kept = if begin == characters.len() { begin - 1 } else { begin + end - 1 };
        (begin, end) = (kept.div_ceil(2), kept / 2);
        let (first, last) = (&characters[..begin], &characters[characters.len() - end..]);
        shown = first.iter().chain(&['…']).chain(last).collect();
    }
    shown
}

/// Draws the lines of the grid that cross an x axis.
pub(crate) fn x_grid(picture: &mut Picture, area: &Area, scale: &Scale) {
    for tick in scale.ticks() {
        let x = area.x(scale, tick.value);
        picture.line(vec![(x, area.top), (x, area.bottom)], grid(tick));
    }
}

/// Draws the lines of the grid that cross a y axis.
pub(crate) fn y_grid(picture: &mut Picture, area: &Area, scale: &Scale) {
    for tick in scale.ticks() {
        let y = area.y(scale, tick.value);
        picture.line(vec![(area.left, y), (area.right, y)], grid(tick));
    }
}

fn grid(tick: &Tick) -> Stroke {
    Stroke::solid(if tick.label.is_some() { Colour::GRID } else { Colour::FINE_GRID }, 1.0)
}

/// Writes labels and title below an area.
pub(crate) fn x_axis(picture: &mut Picture, area: &Area, axis: &Axis) {
    let base = area.bottom + GAP + LABEL * font::CAPITAL;
    let mut free_from = f64::NEG_INFINITY;
    for tick in axis.scale.ticks() {
        let x = area.x(&axis.scale, tick.value);
        picture.line(
            vec![(x, area.bottom), (x, area.bottom + tick_length(tick))],
            Stroke::solid(Colour::INK, 1.0),
        );
        let Some(label) = &tick.label else { continue };
        let half = font::width(label, LABEL) / 2.0;
        // A label that would touch the one before is left out; its tick stays.
        if x - half >= free_from {
            picture.text((x, base), Anchor::Middle, LABEL, label.clone());
            free_from = x + half + LABEL * 0.6;
        }
    }
    let middle = f64::midpoint(area.left, area.right);
    picture.text((middle, area.bottom + X_AXIS - 8.0), Anchor::Middle, TITLE, axis.title.clone());
}

/// Writes labels and title to the left of an area.
pub(crate) fn y_axis(picture: &mut Picture, area: &Area, axis: &Axis) {
    for tick in axis.scale.ticks() {
        let y = area.y(&axis.scale, tick.value);
        picture
            .line(vec![(area.left - tick_length(tick), y), (area.left, y)], Stroke::solid(Colour::INK, 1.0));
        if let Some(label) = &tick.label {
            row_label(picture, (area.left, y), label);
        }
    }
    y_title(picture, area, &axis.title);
}

/// Writes a label to the left of a point on the left edge of an area.
pub(crate) fn row_label(picture: &mut Picture, (left, y): Point, label: &str) {
    picture.text((left - GAP, y + LABEL * font::CAPITAL / 2.0), Anchor::End, LABEL, label);
}

/// Writes the title of a y axis, reading from below.
pub(crate) fn y_title(picture: &mut Picture, area: &Area, title: &str) {
    let at = (EDGE + TITLE * 0.8, f64::midpoint(area.top, area.bottom));
    let text = title.to_owned();
    picture.write(Text { at, anchor: Anchor::Middle, size: TITLE, colour: Colour::INK, turned: true, text });
}

fn tick_length(tick: &Tick) -> f64 {
    if tick.label.is_some() { 4.0 } else { 2.5 }
}
