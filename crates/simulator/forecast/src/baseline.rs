//! Simpler predictions, with which forecasts are compared.

pub mod plan;
pub mod waits;
