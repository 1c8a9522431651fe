//! Pictures of the page.

/// A picture to be shown in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows; it stands below the picture and is read out in its place.
    pub title: String,
    /// The picture as an SVG document.
    pub svg: String,
}
