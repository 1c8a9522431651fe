//! Tests MCB against its definition.

mod golden;
mod invariants;
mod states;
mod twin;
mod twins_agree;
