//! Measurements.

use dfrsim_model::SimTime;
use dfrsim_model::vm::VmState;

/// The figures of one simulation (dissertation, section 7.4). A machine's yield is the CPU it gets divided by its need,
/// 1 if it needs none; averages are over the time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The average of the minimum yield over all machines.
    pub average_minimum_yield: f64,
    /// The minimum over all machines of their average yield.
    pub minimum_average_yield: f64,
    /// The average yield of each machine.
    pub average_yields: Vec<f64>,
    /// The average CPU in use on a node.
    pub utilisation: f64,
    /// How many times a machine was migrated.
    pub migrations: u64,
    /// How many allocation phases migrated machines.
    pub remappings: u64,
}

/// Receives what happens in a simulation; `()` ignores it.
pub trait Observer {
    /// From one moment to the next the states of the machines, in the order of the workload; spans follow each
    /// other without gaps.
    fn span(&mut self, from: SimTime, to: SimTime, vms: &[VmState]);
}

impl Observer for () {
    fn span(&mut self, _: SimTime, _: SimTime, _: &[VmState]) {}
}
