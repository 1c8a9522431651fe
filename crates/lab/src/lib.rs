//! The frame of all studies: it knows scenarios, instances, variants and rows, and names no study.
//!
//! [`fields`] reads a scenario: each of its fields is declared once, with its TOML shape, default, range and
//! documentation.

pub mod fields;
