//! Names that no figure has.

use crate::scenario::nearest;
use std::fmt;

/// A name that no figure has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownFigure {
    name: String,
    known: &'static [&'static str],
}

impl UnknownFigure {
    pub(crate) fn new(name: &str, known: &'static [&'static str]) -> UnknownFigure {
        UnknownFigure { name: name.to_owned(), known }
    }
}

impl fmt::Display for UnknownFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no figure `{}`; ", self.name)?;
        match nearest(&self.name, self.known.iter().copied()) {
            Some(name) => write!(f, "did you mean `{name}`?"),
            None => write!(f, "there are: {}", self.known.join(", ")),
        }
    }
}
