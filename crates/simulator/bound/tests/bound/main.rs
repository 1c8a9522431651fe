//! Tests the bound against reference implementations, golden cases, the schedules that reach it, and
//! a real log.

mod clairvoyant;
mod classes;
mod extremes;
mod golden;
mod hpc2n;
mod instances;
mod linear_program;
mod plain_flow;
mod schedule;
mod subsets;
mod weeks;
