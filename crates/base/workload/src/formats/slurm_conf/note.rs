//! Notes on the files of a site.

use crate::log::Fate;
use std::fmt;

/// A statement about the files of a site: something was read otherwise than it is written, assumed,
/// or has an effect that its name does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Outcome. [`Fate::Noted`] means that the simulation follows the file.
    pub fate: Fate,
    /// Text, a sentence without its full stop.
    pub text: String,
}

impl Note {
    /// Creates a statement about something that is simulated as it is written.
    pub(super) fn noted(text: impl Into<String>) -> Note {
        Note { fate: Fate::Noted, text: text.into() }
    }
    /// Creates a statement about a value that the files lack.
    pub(super) fn guessed(text: impl Into<String>) -> Note {
        Note { fate: Fate::Guessed, text: text.into() }
    }
    /// Creates a statement about a value that was replaced.
    pub(super) fn changed(text: impl Into<String>) -> Note {
        Note { fate: Fate::Changed, text: text.into() }
    }
    /// Returns whether the simulation follows the files.
    pub(super) fn is_exact(&self) -> bool {
        self.fate == Fate::Noted
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
