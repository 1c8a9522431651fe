//! Optima.
mod amounts;
mod bound;
mod exact;
mod mapping;
mod outcome;

pub use amounts::mapping_yield;
pub use bound::lp_bound;
pub use exact::{Kept, keeps, optimum};
pub use outcome::{Limits, Outcome, Placed, Status};
