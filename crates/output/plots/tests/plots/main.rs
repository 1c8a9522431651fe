//! Tests pictures: schedules by hand, arbitrary events, and rejected files.

mod faults;
mod golden;
mod properties;
mod support;
