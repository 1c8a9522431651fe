//! Figures: a picture, its data, and remarks.

use crate::Picture;

/// A picture with its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name of the files without extension; letters, digits, `-`, `_` and `.` only.
    pub stem: String,
    /// The picture itself.
    pub picture: Picture,
    /// Data of the picture as CSV with a header; numbers read back exactly.
    pub csv: String,
    /// Remarks about data that the picture does not show, with the reason; one line each.
    pub remarks: Vec<String>,
}
