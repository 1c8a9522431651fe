//! Rows of Parquet. Only programs with the feature `parquet` read them.

use super::path::Path;
use super::rows::Rows;
use crate::log::Problem;

/// Refuses the table, as this program is built without the feature.
///
/// # Errors
///
/// The advice to build with the feature.
pub(super) fn read_rows(_: &[u8], _: &[&Path], _: &mut dyn Rows) -> Result<(), (u64, Problem)> {
    let reason = "this dfrsim is built without Parquet: build it with `--features parquet`, or write the table as comma-separated values";
    Err((1, Problem::Syntax { format: "a table that can be read", reason: reason.to_owned() }))
}
