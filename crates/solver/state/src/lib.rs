//! A cluster's state: nodes, VMs and where they are, constraints, reservations. The programs for single problems read and
//! write it, so that a result of one is the input of the next.
//!
//! It is one file of JSON or several files whose parts are put together:
//!
//! * JSON with `nodes`, `vms`, `vjobs`, `jobs`, `constraints` and `reservations`, each of which may be missing.
//! * CSV of nodes: `node`, a column for each resource, `state`, and `label.NAME`.
//! * CSV of VMs: `vm`, a column for each resource, and `vjob`, `priority`, `state`, `node`, `least_yield`, `pinned`.
//! * XML of VMs, as `virsh dumpxml` prints it, in a file named as their host.
//! * CSV of reservations: `node`, `from`, `until` in seconds, and a column for each resource.
//!
//! Resources have any names. `cpu`, in any unit, is the one that VMs can share; `memory` is in MB. Of each, amounts are numbers
//! from 0 to 4,294,967,295 with at most six decimals.
//!
//! ```
//! use dfrsim_input::{Input, Reader};
//! use dfrsim_state::State;
//!
//! let nodes = Input::csv("nodes.csv", "node,cpu,memory,gpu\nN1,8,4096,1\nN2,4,4096,\n");
//! let vms = Input::csv("vms.csv", "vm,cpu,memory,node\nweb,2,512,N1\nbatch,1.5,512,\n");
//! let mut reader = Reader::default();
//! let state = State::read(&mut reader, [&nodes, &vms]);
//! let state = reader.finish(state)?;
//! assert_eq!((state.vms[0].node, state.vms[1].node), (Some(0), None));
//! assert_eq!(state.resources, ["cpu", "memory", "gpu"]);
//! let again = Input::json("again.json", &state.to_json())?;
//! let mut reader = Reader::default();
//! let again = State::read(&mut reader, [&again]);
//! assert_eq!(reader.finish(again)?.to_json(), state.to_json());
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```

mod constraint;
mod parts;
mod write;

pub use constraint::{Constraint, ConstraintKind};
pub use write::{csv_lines, json_lines};

use dfrsim_input::Input;
use dfrsim_input::Located;
use dfrsim_input::Reader;
use dfrsim_model::{SimTime, Yield};
use parts::Parts;
use std::collections::BTreeMap;

/// Amounts of resources by name, in millionths of their units.
pub type Amounts = BTreeMap<String, u64>;

/// How many units of an [`Amounts`] make one.
pub const UNITS: u64 = 1_000_000;

dfrsim_model::named! {
    /// A state of a VM.
    #[derive(Default)]
    pub enum VmState as "state of a VM" {
        /// It was never run.
        #[default]
        Waiting = "waiting",
        /// It runs on a node.
        Running = "running",
        /// It was suspended to the disk of a node.
        Sleeping = "sleeping",
        /// It was suspended to the memory of a node.
        Dozing = "dozing",
        /// It has ended.
        Terminated = "terminated",
    }
}

impl VmState {
    /// Whether a VM in this state is on a node.
    #[must_use]
    pub const fn has_node(self) -> bool {
        matches!(self, VmState::Running | VmState::Sleeping | VmState::Dozing)
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Where it is described.
    pub at: Located<'a>,
    /// Its name, unlike those of all other nodes.
    pub name: String,
    /// Its capacities.
    pub has: Amounts,
    /// Its labels by name.
    pub labels: BTreeMap<String, String>,
    /// Whether it is on.
    pub is_on: bool,
}

/// VMs that share a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vjob {
    /// Its name, unlike those of all other vjobs.
    pub name: String,
    /// Vjobs with a higher one are served before others.
    pub priority: i64,
}

/// A virtual machine.
#[derive(Clone, Debug)]
pub struct Vm<'a> {
    /// Where it is described.
    pub at: Located<'a>,
    /// Its name, unlike those of all other VMs.
    pub name: String,
    /// The number of its vjob.
    pub vjob: usize,
    /// The amounts that it needs while it runs.
    pub needs: Amounts,
    /// Its state.
    pub state: VmState,
    /// The number of its node, if its state has one.
    pub node: Option<usize>,
    /// The least part of its CPU need with which it is of any use.
    pub least_yield: Yield,
    /// Whether it is never moved.
    pub is_pinned: bool,
}

/// A part of a node that is reserved.
#[derive(Clone, Debug)]
pub struct Reserved<'a> {
    /// Where it is described.
    pub at: Located<'a>,
    /// The number of the node.
    pub node: usize,
    /// The begin.
    pub from: SimTime,
    /// The end, after the begin.
    pub until: SimTime,
    /// The amounts.
    pub amounts: Amounts,
}

/// A cluster with what runs on it.
#[derive(Clone, Debug, Default)]
pub struct State<'a> {
    /// The nodes.
    pub nodes: Vec<Node<'a>>,
    /// The vjobs, in the order of their submission.
    pub vjobs: Vec<Vjob>,
    /// The VMs.
    pub vms: Vec<Vm<'a>>,
    /// The constraints, to be read by [`Constraint::read`].
    pub constraints: Vec<Located<'a>>,
    /// The reservations.
    pub reservations: Vec<Reserved<'a>>,
    /// The names of all resources: in the order of columns, then by name.
    pub resources: Vec<String>,
}

impl<'a> State<'a> {
    /// Reads a state from the parts that files have; `None` if something is wrong with one.
    pub fn read(reader: &mut Reader, files: impl IntoIterator<Item = &'a Input>) -> Option<State<'a>> {
        let mut parts = Parts::default();
        let read: Vec<_> = files.into_iter().map(|input| parts.add(reader, input)).collect();
        read.into_iter().collect::<Option<Vec<()>>>()?;
        parts.finish(reader)
    }

    /// Returns a state with VMs in other states, on other nodes.
    pub fn with_places(&self, place: impl Fn(usize) -> (VmState, Option<usize>)) -> State<'a> {
        let mut after = self.clone();
        for (number, vm) in after.vms.iter_mut().enumerate() {
            (vm.state, vm.node) = place(number);
        }
        after
    }
}

/// Checks that VMs and nodes have CPU and memory, of which all but CPU are whole numbers and CPU has at most three decimals, as
/// the planner wants it.
pub fn check_whole(reader: &mut Reader, state: &State<'_>) {
    let nodes = state.nodes.iter().map(|node| (&node.at, &node.has));
    for (at, amounts) in nodes.chain(state.vms.iter().map(|vm| (&vm.at, &vm.needs))) {
        for name in ["cpu", "memory"].into_iter().filter(|name| !amounts.contains_key(*name)) {
            reader.fault(at, format!("the field `{name}` is missing"));
        }
        for (name, amount) in amounts {
            let (parts, meant) = match name.as_str() {
                "cpu" => (UNITS / 1_000, "a number with at most three decimals"),
                _ => (UNITS, "an integer from 0 to 4294967295"),
            };
            if !amount.is_multiple_of(parts) {
                let number = *amount as f64 / UNITS as f64;
                reader.fault_below(at, name, format!("{number} is not {meant}"));
            }
        }
    }
}
