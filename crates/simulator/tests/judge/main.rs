//! Tests the reference implementation in the audit against the engine, for each policy under each
//! condition: simulated records are accepted, and changed ones are rejected.

mod broken;
mod conditions;
mod cross;
mod lists;
mod names;
mod planted;
mod simulated;
mod slurm;
mod wrong;
