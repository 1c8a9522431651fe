//! Figures of results of the previous laboratory. It goes with that crate.

mod beside;
mod grid;
mod offline;
mod results;
mod sample;

pub use offline::draw_tables;
pub use results::{Drawn, draw_comparison, draw_results};

/// The arithmetic mean; nothing of no values.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
