//! Policies against schedules derived by hand, slow twins, theorems, other simulators and the independent checker.

mod audited;
mod budget;
mod classes;
mod everywhere;
mod extensions;
mod formulas;
mod fractional;
mod fractional_sites;
mod golden;
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
mod support;
mod theorem_2;
mod theorems;
mod twin;
mod twins;
mod weights;
