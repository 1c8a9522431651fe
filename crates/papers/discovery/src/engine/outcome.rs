//! Measurements of a simulation.

use dfrsim_model::SimTime;
use dfrsim_model::vm::VmState;

/// Metrics of one simulation (dissertation, section 7.4). A machine's yield is its CPU divided by
/// its need, or 1 if it needs none. Averages are over time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Average over time of the minimum yield of all machines.
    pub average_minimum_yield: f64,
    /// Minimum over all machines of their average yields.
    pub minimum_average_yield: f64,
    /// Average yield of each machine.
    pub average_yields: Vec<f64>,
    /// Average fraction of a node's CPU that is in use.
    pub utilisation: f64,
    /// Number of migrations of machines.
    pub migrations: u64,
    /// Number of allocation phases that migrated machines.
    pub remappings: u64,
}

/// Observer of a simulation; `()` ignores all calls.
pub trait Observer {
    /// Called for each span of time with the constant states of the machines, in the order of the
    /// workload. Spans are contiguous.
    fn span(&mut self, from: SimTime, to: SimTime, vms: &[VmState]);
}

impl Observer for () {
    fn span(&mut self, _: SimTime, _: SimTime, _: &[VmState]) {}
}
