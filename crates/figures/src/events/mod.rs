//! Figures of events files.

mod fault;
mod gantt;
mod layout;
mod replay;
mod stretch;
mod thin;
mod timeline;

pub use fault::{EventsError, EventsFault};
pub use gantt::{Window, draw_gantt};
pub use stretch::{StretchForm, draw_stretch};
pub use timeline::draw_timeline;
