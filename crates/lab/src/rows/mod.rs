//! How the rows of a study are kept, in memory and in files.

mod long;
mod wide;

pub use long::Long;
pub use wide::{Cell as WideCell, Line, Wide};

use crate::column::RowType;

/// The file of a type of rows.
pub fn file_name(row_type: &RowType) -> String {
    if row_type.name.is_empty() { "rows.csv".to_owned() } else { format!("rows/{}.csv", row_type.name) }
}

/// The message about a line that cannot be read.
fn bad_line(file: &str, line: usize) -> String {
    format!("{file}: line {line}: is not a row of this study")
}
/// The message about a header that cannot be read.
fn bad_header(file: &str) -> String {
    format!("{file}: line 1: these are not the columns of this study's rows")
}
