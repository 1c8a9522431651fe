//! Layout of a study's rows, in memory and in files.

mod long;
mod wide;

pub use long::Long;
pub use wide::{Line, Wide, WideCell};

use crate::column::RowType;

/// Returns the file name of a row type.
pub fn file_name(row_type: &RowType) -> String {
    if row_type.name.is_empty() { "rows.csv".to_owned() } else { format!("rows/{}.csv", row_type.name) }
}

/// Formats the error about an invalid line.
fn bad_line(file: &str, line: usize) -> String {
    format!("{file}: line {line}: not a valid row of this study")
}
/// Formats the error about an invalid header.
fn bad_header(file: &str) -> String {
    format!("{file}: line 1: the header does not have the columns of this study's rows")
}
