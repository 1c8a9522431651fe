//! Texts in files and on the command line.

pub(crate) mod csv;
pub(crate) mod percent;
