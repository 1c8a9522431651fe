//! Pictures
mod axes;
mod chart;
mod figure;
mod font;
mod legend;
mod palette;
mod picture;
mod render;
mod results;
mod sample;
mod scale;
mod statistics;
mod table;

pub use figure::Figure;
pub use picture::Picture;
pub use results::{Drawn, draw_results};
