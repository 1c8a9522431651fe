//! Cluster-wide context switches of virtualised jobs: from where VMs are to where they should be, and how to choose that.
//!
//! A vjob is a set of VMs that share a state: they wait, run, sleep on a disk, doze in memory, or are terminated. Whether a
//! vjob runs is decided again and again, and a *context switch* takes all VMs from one configuration to the next, by runs,
//! stops, migrations, suspends and resumes, without ever asking more of a node than it has.
//!
//! * [`Cluster`]: nodes, vjobs, VMs and [`Constraint`]s; [`Configuration`]: the [`Place`] of every VM.
//! * [`plan()`]: a cheap [`Plan`] from one configuration to another, as pools of [`Action`]s that are feasible in parallel; what
//!   waits in a cycle goes by way of a pivot, or of a disk. [`plan_early`]: that of the text. [`Plan::cost`] is what one costs.
//! * [`select_running`]: the sample decision module, first come first served with first-fit decreasing.
//! * [`cheapest`]: the configuration with the same states whose plan costs least, with a bound for all plans to such ones.
//! * [`Durations`] and [`timetable`]: how long it takes. [`simulation`]: vjobs over time. [`workload`]: the experiments'.
//! * [`mod@file`]: all of it as JSON. `dfrsim_context_switch::check` checks plans without code of this crate.
//!
//! ```
//! use dfrsim_context_switch::*;
//! use dfrsim_model::{NodeId, Seed};
//!
//! // VM1 and VM2 are to change places, and neither node has room for both: N3 is their pivot.
//! let node = |name: &str| Node { name: name.to_owned(), capacity: Amount::new(2, 4_096) };
//! let vm = |name: &str, memory| Vm { name: name.to_owned(), vjob: VjobId(0), demand: Amount::new(1, memory) };
//! let vjob = Vjob { name: "job".to_owned(), priority: 0 };
//! let vms = vec![vm("VM1", 2_048), vm("VM2", 3_072)];
//! let cluster = Cluster::new(vec![node("N1"), node("N2"), node("N3")], vec![vjob], vms)?;
//! let [n1, n2] = [0, 1].map(|node| Place::Running(NodeId(node)));
//! let (current, wanted) = (Configuration::new(vec![n1, n2]), Configuration::new(vec![n2, n1]));
//! let detour = plan(&cluster, &current, &wanted)?;
//! assert_eq!(detour.pools().len(), 3);
//! assert_eq!(detour.cost(&cluster), 2_048 + (2_048 + 3_072) + (2_048 + 3_072 + 2_048));
//!
//! // If only the states matter, there is nothing to do.
//! let found = cheapest(&cluster, &current, &wanted, &Limits::default(), Seed::new(1))?;
//! assert!(found.cost == 0 && found.proven);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where the text leaves something open: VMs are asked by name; what a pool frees counts from the next; a cycle is broken at
//! its smallest VM, or, without a pivot, by the suspend of a whole vjob; both ends of a migration are occupied while it
//! lasts. A node that is overloaded at the beginning gets no VM until it has room.
//!
//! Source: F. Hermenier, A. Lebre and J.-M. Menaud, *Cluster-Wide Context Switch of Virtualized Jobs*, RR-6929, INRIA, 2009.
//! Large neighbourhood search is that of P. Shaw, *Using constraint programming and local search methods to solve vehicle
//! routing problems*, CP 1998; repairs are greedy here.

pub use dfrsim_input::Decimal;
pub use dfrsim_state::{ConstraintKind, VmState};

mod action;
mod amount;
mod assignment;
pub mod check;
mod cluster;
mod configuration;
mod constraints;
mod decision;
mod durations;
pub mod file;
mod inventory;
mod optimiser;
mod plan;
mod planner;
pub mod simulation;
mod timetable;
mod viability;
mod vjob;
mod waits;
pub mod workload;

pub use action::{Action, IllegalTransition, Kind};
pub use amount::Amount;
pub use cluster::{Aim, Cluster, Starts, first_come_first_served};
pub use configuration::{Configuration, Place};
pub use constraints::{Broken, Constraint, Constraints, OfNode, OfVm};
pub use decision::{SuspendTo, clear_disks, in_states, select_running};
pub use durations::{ByMemory, DurationOutOfRange, Durations, NotByMemory};
pub use inventory::{ClusterError, Inventory, Node, Resource};
pub use optimiser::{Limits, Optimised, Unsolved, cheapest};
pub use plan::Plan;
pub use planner::{PlanError, plan, plan_early};
pub use timetable::{NodeSwitch, Timed, Timetable, timetable};
pub use viability::{NotViable, OtherCluster};
pub use vjob::{Vjob, VjobId, Vm, VmId};
