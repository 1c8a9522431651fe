//! Cluster-wide context switches of virtualised jobs: the transition between two configurations of
//! VMs, and the choice of the target configuration.
//!
//! A vjob is a set of VMs that share a state: they wait, run, sleep on a disk, doze in memory, or
//! are terminated. A scheduler decides repeatedly which vjobs run. A *context switch* takes all VMs
//! from one configuration to the next, by runs, stops, migrations, suspends and resumes, without
//! ever exceeding the capacity of a node.
//!
//! * [`Cluster`]: nodes, vjobs, VMs and [`Constraint`]s; [`Configuration`]: the [`Place`] of every
//!   VM.
//! * [`plan()`]: a low-cost [`Plan`] from one configuration to another, as pools of [`Action`]s that
//!   are feasible in parallel; cycles are broken by a pivot node or a suspend to disk.
//!   [`plan_early`]: the planner of the paper. [`Plan::cost`]: the cost of a plan.
//! * [`select_running`]: the sample decision module, first come first served with first-fit
//!   decreasing.
//! * [`solve`]: the configuration with the same states whose plan costs least, with a lower bound on
//!   all plans to such configurations.
//! * [`keep_soft`]: the search with soft constraints, each of which has a weight in MB.
//! * [`Durations`] and [`timetable`]: durations of actions and plans. [`simulation`]: vjobs over
//!   time. [`workload`]: the workloads of the experiments.
//! * [`mod@file`]: all of it as JSON. `dfrsim_context_switch::check` checks plans without code of
//!   this crate.
//!
//! ```
//! use dfrsim_context_switch::*;
//! use dfrsim_model::{NodeId, Seed};
//!
//! // VM1 and VM2 swap nodes. Neither node has enough memory for both, so N3 is their pivot.
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
//! let found = solve(&cluster, &current, &wanted, &Limits::default(), Seed::new(1))?;
//! assert!(found.cost == 0 && found.proven);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The first configurations come from the search kernel of [`dfrsim_adaptation`], which also packs
//! and adapts, with the constraints as its [rules](PlacementRules). It knows nothing of pools, so
//! that the searches that evaluate whole plans, and prove them, follow here.
//!
//! The paper leaves the following open. VMs are considered in the order of their names. Resources
//! that a pool frees are available from the next pool on. A cycle is broken at its smallest VM or,
//! without a pivot, by the suspend of a whole vjob. Both ends of a migration are occupied while it
//! lasts. A node that is overloaded at the beginning receives no VM until it has free resources.
//!
//! Source: F. Hermenier, A. Lebre and J.-M. Menaud, *Cluster-Wide Context Switch of Virtualized
//! Jobs*, RR-6929, INRIA, 2009. Large neighbourhood search is that of P. Shaw, *Using constraint
//! programming and local search methods to solve vehicle routing problems*, CP 1998; repairs are
//! greedy here.

pub use dfrsim_input::Decimal;
pub use dfrsim_state::{ConstraintKind, VmState};

mod action;
mod amount;
mod assignment;
pub mod check;
mod cluster;
mod configuration;
mod constraints;
mod contention;
mod decision;
mod durations;
mod early;
pub mod file;
mod inventory;
mod ledger;
mod optimiser;
mod placement_rules;
mod plan;
mod planner;
mod pool_times;
pub mod simulation;
mod soft;
mod timed_action;
mod timetable;
mod viability;
mod vjob;
mod waits;
pub mod workload;

pub use action::{Action, IllegalTransition, Kind};
pub use amount::Amount;
pub use cluster::{Aim, Cluster, MoveLimits, Starts, first_come_first_served};
pub use configuration::{Configuration, Place};
pub use constraints::{Constraint, Constraints, NodeConstraints, Violation, VmConstraints};
pub use decision::{SuspendTo, clear_disks, in_states, keep_running, select_running};
pub use durations::{ByMemory, DurationOutOfRange, Durations, InvalidByMemory};
pub use inventory::{ClusterError, Inventory, Node, Resource};
pub use optimiser::{Limits, Optimised, Unsolved, contradiction, solve};
pub use placement_rules::PlacementRules;
pub use plan::Plan;
pub use planner::{PlanError, plan, plan_early};
pub use soft::{KeptSoft, keep_soft, penalty, violations};
pub use timed_action::TimedAction;
pub use timetable::{NodeSwitch, Timetable, timetable};
pub use viability::{NotViable, SizeMismatch};
pub use vjob::{Vjob, VjobId, Vm, VmId};
