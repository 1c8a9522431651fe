//! Tests the vector packing algorithms of the off-line problem against their definitions.

mod eject;
mod golden;
mod instances;
mod twin;
mod twins_agree;
