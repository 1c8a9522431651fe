//! Counts of what a conversion left out, assumed or changed.

use std::fmt;

/// Counts by reason, in the order of their first mention.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    list: Vec<(String, usize, String)>,
}

impl Notes {
    /// Counts one item for a reason, which is a plural such as `templates, left out`.
    pub(super) fn count(&mut self, reason: &str, item: &str) {
        match self.list.iter_mut().find(|(known, ..)| known == reason) {
            Some((_, count, _)) => *count += 1,
            None => self.list.push((reason.to_owned(), 1, item.to_owned())),
        }
    }

    /// Returns the count of a reason.
    #[must_use]
    pub fn of(&self, reason: &str) -> usize {
        self.list.iter().find(|(known, ..)| known == reason).map_or(0, |(_, count, _)| *count)
    }

    /// Iterates over reasons, counts and first items.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize, &str)> {
        self.list.iter().map(|(reason, count, first)| (reason.as_str(), *count, first.as_str()))
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (reason, count, first) in self.iter() {
            writeln!(f, "{reason}: {count} (first `{first}`)")?;
        }
        Ok(())
    }
}
