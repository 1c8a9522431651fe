//! The yields of a given mapping.
