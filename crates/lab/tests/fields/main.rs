//! Fields of scenarios: what is read, what is refused and where, and the way back.

#[path = "../../../fuzz/damage.rs"]
mod damage;
mod damaged;
mod documented;
mod example;
mod faults;
mod overrides;
mod round_trip;
