//! Optima and bounds against slow, obvious twins and against figures derived by hand.

mod arbitrary;
mod bounds;
mod by_hand;
mod exact;
mod instances;
