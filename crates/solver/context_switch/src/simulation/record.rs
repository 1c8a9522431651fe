//! Recorded data of a simulation.

use super::machine::Machine;
use crate::configuration::Configuration;
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_state::VmState;

/// A context switch that took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Start time.
    pub begin: SimTime,
    /// Duration, from the start of the plan to the end of its last action.
    pub duration: SimSpan,
    /// Cost of the plan, in MB.
    pub cost: u64,
    /// Number of pools of the plan; this and the following numbers are as planned.
    pub pools: u64,
    /// Number of VMs to run.
    pub runs: u64,
    /// Number of VMs to stop.
    pub stops: u64,
    /// Number of migrations, including those to a pivot.
    pub migrations: u64,
    /// Number of suspends, to a disk or in memory.
    pub suspends: u64,
    /// Number of resumes on the node of the suspend.
    pub local_resumes: u64,
    /// Number of resumes on another node.
    pub remote_resumes: u64,
    /// Number of failed attempts at actions.
    pub failed: u64,
    /// True if the rest of the plan was aborted because an action failed for good.
    pub was_aborted: bool,
}

/// An interval in which a vjob had one state, or in which its VMs had different states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateInterval {
    /// Vjob to which the interval belongs.
    pub vjob: VjobId,
    /// State of all VMs; `None` while they differ.
    pub state: Option<VmState>,
    /// Start of the interval.
    pub from: SimTime,
    /// End of the interval.
    pub to: SimTime,
}

/// Usage and demand of VMs from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Start time.
    pub at: SimTime,
    /// Memory of the VMs that run or doze, in MB.
    pub memory: i64,
    /// CPU demand of the running VMs, in processing units.
    pub demanded: i64,
    /// CPU rate of the running VMs after slowdowns by context switches, in processing units.
    pub used: f64,
}

/// Results of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Time at which the last vjob was terminated or the horizon was reached.
    pub end: SimTime,
    /// True if all vjobs were terminated.
    pub is_complete: bool,
    /// Context switches in chronological order.
    pub switches: Vec<Switch>,
    /// States of vjobs over time, sorted by start.
    pub state_intervals: Vec<StateInterval>,
    /// Loads over time, one entry per change.
    pub loads: Vec<Load>,
    /// Final configuration.
    pub configuration: Configuration,
}

/// Recorder of switches, states and loads.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    switches: Vec<Switch>,
    stays: Vec<StateInterval>,
    loads: Vec<Load>,
    /// Current state of each vjob and its start.
    states: Vec<(Option<VmState>, SimTime)>,
    before: Configuration,
}

impl Recorder {
    pub(super) fn new(configuration: &Configuration) -> Recorder {
        let before = configuration.clone();
        Recorder { switches: Vec::new(), stays: Vec::new(), loads: Vec::new(), states: Vec::new(), before }
    }

    pub(super) fn switch(&mut self, switch: Switch) {
        self.switches.push(switch);
    }

    /// Records the state of the machine after an event.
    pub(super) fn observe(&mut self, now: SimTime, machine: &Machine) {
        let load = load(now, machine);
        if self.loads.last().is_none_or(|last| Load { at: now, ..*last } != load) {
            // Only the last of several loads at one time counts.
            if self.loads.last().is_some_and(|last| last.at == now) {
                self.loads.pop();
            }
            self.loads.push(load);
        }
        if self.states.is_empty() || *machine.configuration() != self.before {
            self.before = machine.configuration().clone();
            self.states(now, machine);
        }
    }

    fn states(&mut self, now: SimTime, machine: &Machine) {
        let cluster = machine.observed();
        let state = |vjob: VjobId| {
            let mut states = cluster.vms_of(vjob).iter().map(|vm| machine.configuration().place(*vm).state());
            let first = states.next();
            first.filter(|first| states.all(|state| state == *first))
        };
        if self.states.is_empty() {
            self.states = cluster.vjob_ids().map(|vjob| (state(vjob), now)).collect();
        }
        for vjob in cluster.vjob_ids() {
            let (before, since) = self.states[vjob.index()];
            let after = state(vjob);
            if before != after {
                if since < now {
                    self.stays.push(StateInterval { vjob, state: before, from: since, to: now });
                }
                self.states[vjob.index()] = (after, now);
            }
        }
    }

    pub(super) fn finish(mut self, end: SimTime, machine: &Machine) -> Run {
        for (vjob, (state, since)) in machine.observed().vjob_ids().zip(self.states) {
            if since < end {
                self.stays.push(StateInterval { vjob, state, from: since, to: end });
            }
        }
        self.stays.sort_by_key(|stay| (stay.from, stay.vjob));
        Run {
            end,
            is_complete: machine.is_over(),
            switches: self.switches,
            state_intervals: self.stays,
            loads: self.loads,
            configuration: machine.configuration().clone(),
        }
    }
}

fn load(at: SimTime, machine: &Machine) -> Load {
    let mut load = Load { at, memory: 0, demanded: 0, used: machine.total_rate() };
    for (index, vm) in machine.observed().vms().iter().enumerate() {
        let taken = machine.configuration().place(VmId(index as u32)).usage(vm);
        load.memory += taken.memory;
        load.demanded += taken.cpu;
    }
    load
}
