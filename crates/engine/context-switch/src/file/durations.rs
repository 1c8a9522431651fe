//! How long actions take.

use super::error::{FileError, alone, parse};
use crate::durations::Durations;

/// The durations that a text describes; those that it does not name are the defaults. `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or has other fields, or a number is out of its range.
pub fn durations_from_json(file: &str, text: &str) -> Result<Durations, FileError> {
    let durations: Durations = parse(file, text)?;
    durations.check().map_err(|error| alone(file, "", error))?;
    Ok(durations)
}
