//! Tests the fields of scenarios: what is read, what is rejected and where, and writing.

#[path = "../../../fuzz/damage.rs"]
mod damage;
mod damaged;
mod documented;
mod example;
mod faults;
mod overrides;
mod round_trip;
