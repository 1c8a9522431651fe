//! Tests policies against schedules derived by hand, the reference implementation in the audit,
//! theorems, other simulators and the independent checker.

mod audited;
mod budget;
mod classes;
mod common;
mod derived;
mod device_faults;
mod devices;
mod everywhere;
mod formulas;
mod fractional_sites;
mod level_faults;
mod names;
mod one_node;
mod outages;
mod packed;
mod places;
mod preemption;
mod priorities;
mod priorities_of_nodes;
mod readings;
mod real_slurm;
mod reference_schedules;
mod registry;
mod sleep;
mod support;
mod theorem_2;
mod theorems;
mod twins;
mod weights;
