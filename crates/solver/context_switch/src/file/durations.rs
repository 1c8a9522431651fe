//! How long actions take.

use crate::durations::Durations;
use dfrsim_input::{Faults, Input, Reader};

/// Reads the durations of a text; those that it does not name are the defaults. `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or has other fields, or a number is out of its range.
pub fn durations_from_json(file: &str, text: &str) -> Result<Durations, Faults> {
    let input = Input::json(file, text)?;
    let mut reader = Reader::default();
    let durations: Option<Durations> = reader.parsed(&input.root());
    if let Some(Err(error)) = durations.as_ref().map(Durations::check) {
        reader.fault(&input.root(), error);
    }
    reader.finish(durations)
}
