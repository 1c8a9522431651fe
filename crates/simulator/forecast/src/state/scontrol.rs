//! Output of `scontrol show job`.

use super::Field;
use super::table::StateRow;

/// Reads blocks of `Name=value`, each of which begins with `JobId`.
pub(super) fn rows(text: &str) -> Vec<StateRow> {
    let mut rows = Vec::<StateRow>::new();
    for (place, line) in (1..).zip(text.lines()) {
        for word in line.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else { continue };
            if name == "JobId" {
                rows.push((place, Vec::new()));
            }
            if let (Ok(field), Some((_, row))) = (name.parse::<Field>(), rows.last_mut()) {
                let value = match field {
                    // `UserId=ann(1001)`.
                    Field::User => value.split('(').next().unwrap_or_default(),
                    _ => value,
                };
                if !row.iter().any(|(known, _)| *known == field) {
                    row.push((field, value.to_owned()));
                }
            }
        }
    }
    rows
}
