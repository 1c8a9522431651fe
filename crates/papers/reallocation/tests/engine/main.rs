//! Tests several clusters under a meta-scheduler: schedules derived by hand, and a reference
//! implementation.

mod conditions;
mod golden;
mod planted;
mod properties;
mod support;
mod twin;
