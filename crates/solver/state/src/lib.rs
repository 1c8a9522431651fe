//! State of a cluster: nodes, VMs and their placement, constraints, reservations. The programs for
//! single problems read and write it, so that the result of one can be the input of the next.
//!
//! The state is one JSON file, or several files whose parts are combined:
//!
//! * JSON with `nodes`, `vms`, `vjobs`, `jobs`, `constraints` and `reservations`, all of them
//!   optional.
//! * CSV of nodes: `node`, a column for each resource, `state`, `label.NAME`, and
//!   `overcommit.RESOURCE`.
//! * CSV of VMs: `vm`, a column for each resource, and `vjob`, `priority`, `state`, `node`,
//!   `least_yield`, `pinned`, and `label.NAME`.
//! * XML of VMs, as printed by `virsh dumpxml`, in a file named like their host.
//! * CSV of reservations: `node`, `from`, `until` in seconds, and a column for each resource.
//!
//! Resources have arbitrary names. `cpu`, in any unit, is the resource that VMs can share; `memory`
//! is in MB. All amounts are numbers from 0 to 4,294,967,295 with at most six decimals.
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
pub mod import;
mod parts;
mod selector;
mod write;

pub use constraint::{Constraint, ConstraintKind};
pub use write::{csv_lines, json_lines};

use dfrsim_input::Decimal;
use dfrsim_input::Input;
use dfrsim_input::Located;
use dfrsim_input::Reader;
use dfrsim_model::{SimTime, Yield};
use parts::Parts;
use selector::{Labelled, Population};
use std::collections::BTreeMap;

/// Amounts of resources by name, in millionths of their units.
pub type Amounts = BTreeMap<String, u64>;

/// Resolution of [`Amounts`]: the number of parts per unit.
pub const UNITS: u64 = 1_000_000;

dfrsim_model::named! {
    /// States of a VM, by their names in files.
    #[derive(Default)]
    pub enum VmState as "state of a VM" {
        /// Not started yet.
        #[default]
        Waiting = "waiting",
        /// Running on a node.
        Running = "running",
        /// Suspended to the disk of a node.
        Sleeping = "sleeping",
        /// Suspended to the memory of a node.
        Dozing = "dozing",
        /// Ended.
        Terminated = "terminated",
    }
}

impl VmState {
    /// Returns whether a VM in this state has a node.
    #[must_use]
    pub const fn has_node(self) -> bool {
        matches!(self, VmState::Running | VmState::Sleeping | VmState::Dozing)
    }
}

/// A node of the cluster.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// Location of its description.
    pub at: Located<'a>,
    /// Unique name.
    pub name: String,
    /// Capacity of each resource.
    pub capacity: Amounts,
    /// Labels by name.
    pub labels: BTreeMap<String, String>,
    /// True if the node is switched on.
    pub is_on: bool,
    /// Ratio by which the requests of VMs may exceed the capacity, by resource.
    pub overcommit: BTreeMap<String, Decimal>,
}

/// A virtualised job: VMs that change state together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vjob {
    /// Unique name.
    pub name: String,
    /// Priority; vjobs of higher priority are served first.
    pub priority: i64,
}

/// A virtual machine.
#[derive(Clone, Debug)]
pub struct Vm<'a> {
    /// Location of its description.
    pub at: Located<'a>,
    /// Unique name.
    pub name: String,
    /// Index of its vjob.
    pub vjob: usize,
    /// Requested resources while it runs.
    pub needs: Amounts,
    /// Current state.
    pub state: VmState,
    /// Index of its node, if its state has one.
    pub node: Option<usize>,
    /// Minimum useful yield, as a fraction of its CPU need.
    pub least_yield: Yield,
    /// True if the VM must not be migrated.
    pub is_pinned: bool,
    /// Labels by name.
    pub labels: BTreeMap<String, String>,
}

/// A reservation of resources of a node for some time.
#[derive(Clone, Debug)]
pub struct Reserved<'a> {
    /// Location of its description.
    pub at: Located<'a>,
    /// Index of the node.
    pub node: usize,
    /// Start of the reservation.
    pub from: SimTime,
    /// End of the reservation, after its start.
    pub until: SimTime,
    /// Reserved resources.
    pub amounts: Amounts,
}

/// A cluster with its VMs, constraints and reservations.
#[derive(Clone, Debug, Default)]
pub struct State<'a> {
    /// Nodes in the order of their files.
    pub nodes: Vec<Node<'a>>,
    /// Vjobs in the order of their submission.
    pub vjobs: Vec<Vjob>,
    /// VMs in the order of their files.
    pub vms: Vec<Vm<'a>>,
    /// Constraints, to be read by [`State::read_constraints`].
    pub constraints: Vec<Located<'a>>,
    /// Further constraints, as JSON, which are written after those of the files.
    pub further_constraints: Vec<serde_json::Value>,
    /// Reservations of resources.
    pub reservations: Vec<Reserved<'a>>,
    /// Names of all resources: in the order of columns, then by name.
    pub resources: Vec<String>,
}

impl<'a> State<'a> {
    /// Reads a state from its files; `None` if one of them is invalid.
    pub fn read(reader: &mut Reader, files: impl IntoIterator<Item = &'a Input>) -> Option<State<'a>> {
        let mut parts = Parts::default();
        let read: Vec<_> = files.into_iter().map(|input| parts.add(reader, input)).collect();
        read.into_iter().collect::<Option<Vec<()>>>()?;
        parts.finish(reader)
    }

    /// Reads the constraints, whose selectors select VMs and nodes of the state; `None` if one of them is
    /// invalid.
    pub fn read_constraints(&self, reader: &mut Reader) -> Option<Vec<Constraint>> {
        let vms = self.vms.iter().map(|vm| (vm.name.as_str(), &vm.labels)).collect();
        let nodes = self.nodes.iter().map(|node| (node.name.as_str(), &node.labels)).collect();
        let (vms, nodes) = (Labelled { kind: "VM", all: vms }, Labelled { kind: "node", all: nodes });
        let of = Population { vms, nodes };
        reader.each(&self.constraints, |reader, at| Constraint::read_with(reader, at, Some(&of)))
    }

    /// Returns a copy of the state in which VMs have the given states and nodes.
    pub fn with_places(&self, place: impl Fn(usize) -> (VmState, Option<usize>)) -> State<'a> {
        let mut after = self.clone();
        for (number, vm) in after.vms.iter_mut().enumerate() {
            (vm.state, vm.node) = place(number);
        }
        after
    }
}

/// Checks that VMs and nodes have CPU and memory, that CPU has at most three decimals, and that all
/// other amounts are whole numbers, as the planner requires.
pub fn check_whole(reader: &mut Reader, state: &State<'_>) {
    let nodes = state.nodes.iter().map(|node| (&node.at, &node.capacity));
    for (at, amounts) in nodes.chain(state.vms.iter().map(|vm| (&vm.at, &vm.needs))) {
        for name in ["cpu", "memory"].into_iter().filter(|name| !amounts.contains_key(*name)) {
            reader.fault(at, format!("missing field `{name}`"));
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
