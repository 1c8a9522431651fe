//! Pictures
mod axes;
mod chart;
mod events;
mod figure;
mod font;
mod legend;
#[cfg(test)]
mod legible;
mod palette;
mod picture;
mod render;
mod results;
mod sample;
mod scale;
mod statistics;
mod table;

pub use events::{EventsError, EventsFault, StretchForm, Window, draw_gantt, draw_stretch, draw_timeline};
pub use figure::Figure;
pub use picture::Picture;
pub use results::{Drawn, draw_results};
