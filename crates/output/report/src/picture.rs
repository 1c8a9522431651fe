//! Pictures of the page.

/// A picture to be shown in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows; written below the picture, and read out in its place.
    pub title: String,
    /// The picture as an SVG document.
    pub svg: String,
}
