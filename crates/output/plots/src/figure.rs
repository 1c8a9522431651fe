//! A figure: a picture, the data behind it, and what is to be said of it.

use crate::Picture;

/// A picture with the data behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of its files, without their endings; letters, digits, `-`, `_` and `.` only.
    pub stem: String,
    /// What it looks like.
    pub picture: Picture,
    /// The data behind it, as comma-separated values with a header; numbers read back exactly.
    pub csv: String,
    /// What the picture does not show of the data, and why: a line each.
    pub remarks: Vec<String>,
}
