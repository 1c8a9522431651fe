//! The recorded data of a simulation.

use super::machine::Machine;
use crate::configuration::Configuration;
use crate::vjob::{VjobId, VmId};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_state::VmState;

/// A context switch that took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// When it began.
    pub begin: SimTime,
    /// How long it took.
    pub duration: SimSpan,
    /// What its plan cost, in MB.
    pub cost: u64,
    /// How many pools the plan had; actions are counted as planned.
    pub pools: u64,
    /// How many VMs were to be run.
    pub runs: u64,
    /// Stopped.
    pub stops: u64,
    /// Migrated, to a pivot too.
    pub migrations: u64,
    /// Suspended, to a disk or in memory.
    pub suspends: u64,
    /// Resumed where they were suspended.
    pub local_resumes: u64,
    /// Resumed elsewhere.
    pub remote_resumes: u64,
    /// How many tries of actions failed.
    pub failed: u64,
    /// Whether the rest of the plan was dropped because an action failed for good.
    pub was_dropped: bool,
}

/// A time in which a vjob had one state: that of all its VMs, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateInterval {
    /// The vjob.
    pub vjob: VjobId,
    /// The state; `None` while its VMs are in several.
    pub state: Option<VmState>,
    /// From when on.
    pub from: SimTime,
    /// Its end.
    pub to: SimTime,
}

/// The use and the demand of VMs from some time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The moment.
    pub at: SimTime,
    /// Memory of the VMs that run or doze, in MB.
    pub memory: i64,
    /// What the VMs that run ask of the CPU.
    pub demanded: i64,
    /// The amount that they get of it, less what switches slow them down.
    pub used: f64,
}

/// A simulation that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// When the last vjob was terminated, or the horizon was reached.
    pub end: SimTime,
    /// Whether all vjobs were terminated.
    pub is_complete: bool,
    /// The switches in their order.
    pub switches: Vec<Switch>,
    /// The states of vjobs over time, by their begins.
    pub stays: Vec<StateInterval>,
    /// The loads over time.
    pub loads: Vec<Load>,
    /// Where every VM is at the end.
    pub configuration: Configuration,
}

/// Watches.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    switches: Vec<Switch>,
    stays: Vec<StateInterval>,
    loads: Vec<Load>,
    /// The state of each vjob, and since when.
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
    pub(super) fn watch(&mut self, now: SimTime, machine: &Machine) {
        let load = load(now, machine);
        if self.loads.last().is_none_or(|last| Load { at: now, ..*last } != load) {
            // Of several at one moment the last one counts.
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
            stays: self.stays,
            loads: self.loads,
            configuration: machine.configuration().clone(),
        }
    }
}

fn load(at: SimTime, machine: &Machine) -> Load {
    let mut load = Load { at, memory: 0, demanded: 0, used: machine.computing() };
    for (index, vm) in machine.observed().vms().iter().enumerate() {
        let taken = machine.configuration().place(VmId(index as u32)).taken(vm);
        load.memory += taken.memory;
        load.demanded += taken.cpu;
    }
    load
}
