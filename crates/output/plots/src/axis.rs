//! Axes with their titles, and the sizes that all pictures share.

use crate::font;
use crate::picture::PIXEL;
use crate::scale::Scale;

/// The width of every picture.
pub(crate) const WIDTH: i32 = 600 * PIXEL;
/// The size of titles of pictures and axes.
pub(crate) const TITLE: i32 = 140;
/// The size of labels at ticks and in legends.
pub(crate) const LABEL: i32 = 130;
/// The size of remarks.
pub(crate) const REMARK: i32 = 115;
/// Between the picture's edge and what is next to it.
pub(crate) const EDGE: i32 = 100;
/// Of a tick; its label is as far from it again.
pub(crate) const TICK: i32 = 35;

/// An axis and what it shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// With its unit in brackets; may be empty.
    pub(crate) title: String,
    pub(crate) scale: Scale,
    /// Whether lines behind the data cross it at its ticks.
    pub(crate) has_grid: bool,
}

impl Axis {
    pub(crate) fn new(title: impl Into<String>, scale: Scale) -> Axis {
        Axis { title: title.into(), scale, has_grid: true }
    }
    /// An axis of rows, without lines between them.
    pub(crate) fn rows(title: &str, rows: usize, labels: impl IntoIterator<Item = (f64, String)>) -> Axis {
        Axis { has_grid: false, ..Axis::new(title, Scale::rows(rows, labels)) }
    }

    /// The room for title and labels to the left of the data.
    pub(crate) fn left(&self) -> i32 {
        let widest = self.scale.labels().map(|(_, label)| font::width(label, LABEL)).max().unwrap_or(0);
        let title = if self.title.is_empty() { 0 } else { TITLE + 2 * TICK };
        title + widest + 2 * TICK
    }
    /// The room to the right of the data, into which half of the last label may reach.
    pub(crate) fn right(&self) -> i32 {
        self.scale.labels().last().map_or(0, |(_, label)| font::width(label, LABEL) / 2)
    }
}

/// The text, or its two ends around an ellipsis if it is wider than the room for it: names differ at their ends.
pub(crate) fn shortened(text: &str, size: i32, room: i32) -> String {
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
