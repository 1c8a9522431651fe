//! Durations of actions as JSON.

use crate::durations::Durations;
use dfrsim_input::{Faults, Input, Reader};

/// Reads durations from a JSON text; `file` names the text in messages. Missing fields have their
/// defaults.
///
/// # Errors
/// The text is not JSON, has unknown fields, or a number is out of its range.
pub fn durations_from_json(file: &str, text: &str) -> Result<Durations, Faults> {
    let input = Input::json(file, text)?;
    let mut reader = Reader::default();
    let durations: Option<Durations> = reader.parsed(&input.root());
    if let Some(Err(error)) = durations.as_ref().map(Durations::check) {
        reader.fault(&input.root(), error);
    }
    reader.finish(durations)
}
