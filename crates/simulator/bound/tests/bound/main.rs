//! The bound against its twins, golden cases, the schedules that it promises, and a real log.

mod clairvoyant;
mod classes;
mod extremes;
mod golden;
mod hpc2n;
mod instances;
mod linear_program;
mod plain_flow;
mod schedule;
mod weeks;
