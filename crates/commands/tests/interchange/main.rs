//! Files for other tools: by hand, and of simulated schedules.

mod golden;
mod simulated;
