//! Why lines were left out.

use super::fault::Problem;
use super::field::Field;
use std::fmt;

/// How many broken lines there are for each reason, and where the first one is. Of several faults of a line the first one
/// is its reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrokenReasons {
    /// By field.
    fields: [u64; Field::COUNT],
    field_count: u64,
    too_long: u64,
    /// The number of the first one.
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
    /// Each reason that occurs, as messages name it, with the number of its lines.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let fields = Field::ALL.iter().map(|field| (field.name(), self.fields[field.number() - 1]));
        let others = [("number of fields", self.field_count), ("length", self.too_long)];
        fields.chain(others).filter(|(_, lines)| *lines > 0)
    }
}

impl fmt::Display for BrokenReasons {
    /// `2 by their run time, 1 by their number of fields; the first is line 17`; empty if none is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (reason, lines)) in self.all().enumerate() {
            write!(f, "{}{lines} by their {reason}", if place == 0 { "" } else { ", " })?;
        }
        self.first_line.map_or(Ok(()), |line| write!(f, "; the first is line {line}"))
    }
}
