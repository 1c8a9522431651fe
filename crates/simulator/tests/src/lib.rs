//! Helpers shared by several test packages.

pub mod planted;
