//! Optima, bounds and what is made of linear programs against slow, obvious twins and against figures derived by hand.

mod arbitrary;
mod average;
mod bounds;
mod by_hand;
mod chekuri;
mod exact;
mod heuristics;
mod instances;
mod nodes_off;
mod programs;
