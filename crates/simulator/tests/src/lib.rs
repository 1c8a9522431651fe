//! Helpers that several test packages share.

pub mod planted;
