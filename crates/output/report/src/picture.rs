//! Figures of the page.

/// A figure to be shown in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Caption of the figure, which is also its alternative text.
    pub title: String,
    /// The figure as an SVG document.
    pub svg: String,
}
