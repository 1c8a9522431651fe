//! Reasons why lines were skipped.

use super::fault::Problem;
use super::field::Field;
use std::fmt;

/// Counts of invalid lines by reason, and the first such line. A line with several errors counts for
/// the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrokenReasons {
    /// Lines with an invalid field, by field.
    fields: [u64; Field::COUNT],
    field_count: u64,
    too_long: u64,
    /// Number of the first invalid line.
    first_line: Option<u64>,
}

impl BrokenReasons {
    pub(super) fn add(&mut self, line: u64, problem: &Problem) {
        self.first_line.get_or_insert(line);
        match problem {
            Problem::Field { field, .. } => self.fields[field.number() - 1] += 1,
            Problem::LineTooLong { .. } => self.too_long += 1,
            _ => self.field_count += 1,
        }
    }
    /// Iterates over the reasons that occur, as named in messages, with the numbers of lines.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let fields = Field::ALL.iter().map(|field| (field.name(), self.fields[field.number() - 1]));
        let others = [("number of fields", self.field_count), ("length", self.too_long)];
        fields.chain(others).filter(|(_, lines)| *lines > 0)
    }
}

impl fmt::Display for BrokenReasons {
    /// Formats the counts, such as `2 with an invalid run time, 1 with an invalid number of fields;
    /// first on line 17`; empty if there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (reason, lines)) in self.all().enumerate() {
            write!(f, "{}{lines} with an invalid {reason}", if place == 0 { "" } else { ", " })?;
        }
        self.first_line.map_or(Ok(()), |line| write!(f, "; first on line {line}"))
    }
}
