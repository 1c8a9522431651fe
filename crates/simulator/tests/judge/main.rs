//! The reference of the audit against the engine, for each policy under each condition: what is simulated is found right, and what
//! is changed in it is found wrong.

mod broken;
mod conditions;
mod cross;
mod lists;
mod names;
mod planted;
mod simulated;
mod slurm;
