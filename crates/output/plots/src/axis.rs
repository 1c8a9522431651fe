//! Axes with their titles, and sizes shared by all pictures.

use crate::font;
use crate::picture::PIXEL;
use crate::scale::Scale;

/// Width of every picture.
pub(crate) const WIDTH: i32 = 600 * PIXEL;
/// Font size of the titles of pictures and axes.
pub(crate) const TITLE: i32 = 140;
/// Font size of tick labels and legends.
pub(crate) const LABEL: i32 = 130;
/// Font size of remarks.
pub(crate) const REMARK: i32 = 115;
/// Margin at the edges of a picture.
pub(crate) const MARGIN: i32 = 100;
/// Length of a tick, and distance between a tick and its label.
pub(crate) const TICK: i32 = 35;

/// An axis with its title and scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Title with the unit in brackets; may be empty.
    pub(crate) title: String,
    pub(crate) scale: Scale,
    /// True if grid lines are drawn behind the data at the ticks.
    pub(crate) has_grid: bool,
}

impl Axis {
    pub(crate) fn new(title: impl Into<String>, scale: Scale) -> Axis {
        Axis { title: title.into(), scale, has_grid: true }
    }
    /// Creates an axis of rows, without grid lines.
    pub(crate) fn rows(title: &str, rows: usize, labels: impl IntoIterator<Item = (f64, String)>) -> Axis {
        Axis { has_grid: false, ..Axis::new(title, Scale::rows(rows, labels)) }
    }

    /// Returns the width needed for title and labels to the left of the data.
    pub(crate) fn left(&self) -> i32 {
        let widest = self.scale.labels().map(|(_, label)| font::width(label, LABEL)).max().unwrap_or(0);
        let title = if self.title.is_empty() { 0 } else { TITLE + 2 * TICK };
        title + widest + 2 * TICK
    }
    /// Returns the width needed to the right of the data, into which half of the last label may
    /// extend.
    pub(crate) fn right(&self) -> i32 {
        self.scale.labels().last().map_or(0, |(_, label)| font::width(label, LABEL) / 2)
    }
}

/// Shortens a text that is wider than `room` to its two ends around an ellipsis, because names tend
/// to differ at their ends.
pub(crate) fn shorten(text: &str, size: i32, room: i32) -> String {
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
