//! Pictures: by hand, of arbitrary events, and what is refused.

mod faults;
mod golden;
mod properties;
mod support;
