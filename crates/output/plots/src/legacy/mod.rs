//! Figures of results of the previous laboratory. It goes with that crate.

mod beside;
mod grid;
mod mean;
mod offline;
mod results;
mod sample;

pub use offline::draw_tables;
pub use results::{Drawn, draw_comparison, draw_results};
