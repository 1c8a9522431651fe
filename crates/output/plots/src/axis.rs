//! Axes with their titles, and sizes shared by all pictures.

use crate::font;
use crate::scale::Scale;

/// Font size of the titles of pictures and axes.
pub(crate) const TITLE: i32 = 140;
/// Font size of tick labels and legends.
pub(crate) const LABEL: i32 = 130;
/// Font size of remarks.
pub(crate) const REMARK: i32 = 115;
/// Margin at the edges of a picture.
pub(crate) const MARGIN: i32 = 100;
/// Least height of a panel.
const LEAST_HEIGHT: i32 = 1_000;
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
    /// Returns whether the axis has rows with names, none of which may be left out.
    fn has_rows(&self) -> bool {
        !self.has_grid
    }
    /// Returns the least height at which the labels of a vertical axis do not overlap, after those of a
    /// numeric axis are thinned out.
    pub(crate) fn least_height(&self) -> i32 {
        let labels = if self.has_rows() { self.scale.labels().count() } else { 2 };
        (labels as i32 * (LABEL + 30)).max(LEAST_HEIGHT)
    }
    /// Fits a vertical axis to a height: labels of numbers that would overlap are left out, and a long
    /// title is shortened.
    #[must_use]
    pub(crate) fn fit_height(mut self, height: i32) -> Axis {
        if !self.has_rows() {
            self.scale = self.scale.without_overlaps_above(height, LABEL);
        }
        self.title = shorten(&self.title, TITLE, height);
        self
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

/// Breaks a text at blanks into lines that are no wider than `room`, as far as its words allow.
pub(crate) fn wrapped(text: &str, size: i32, room: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if font::width(&format!("{line} {word}"), size) <= room => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
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

#[cfg(test)]
mod tests {
    use super::wrapped;
    use crate::font;

    #[test]
    fn long_texts_are_broken_at_blanks() {
        let room = font::width("two words", 115);
        assert_eq!(wrapped("two words and three", 115, room), ["two words", "and three"]);
        assert_eq!(wrapped("", 115, room), [""]);
    }
}
