//! CPU needs that are found while virtual machines run.
//!
//! Nodes share their CPU among virtual machines by weights, as Xen's credit scheduler does. The CPU
//! need of a machine is a step function of time that no policy can see. Policies see the actual use
//! of machines, estimate the needs from it, set the weights by their estimates, and may migrate
//! machines.
//!
//! * [`Needs`]: the CPU need of a machine, random or [recorded](recorded::parse).
//! * [`Workload`]: the nodes, and the machines with their needs and first nodes; [`Testbed`] makes
//!   those of the dissertation.
//! * [`sharing`]: the CPU that machines get from a node, by weights or by caps.
//! * [`Approach`]: the three policies. [`Settings`]: their phases, and options that the text leaves
//!   open.
//! * [`simulate`]: one policy on one workload, to an [`Outcome`]; an [`Observer`] sees every span of
//!   constant shares, and `dfrsim_paper_discovery::audit` checks them.
//!
//! Between two events all shares are constant, so yields are integrated exactly, not sampled.
//!
//! ```
//! use dfrsim_paper_discovery::engine::{Approach, Settings, Testbed, simulate};
//! use dfrsim_model::Seed;
//!
//! // Four nodes with three machines each for 12 hours, and two more that always need a whole node.
//! let workload = Testbed { hogs: 2, ..Testbed::default() }.workload(Seed::new(1)).unwrap();
//! let outcome = |approach| simulate(&workload, approach, &Settings::default(), &mut ());
//! let (xen, migration) = (outcome(Approach::Xen), outcome(Approach::DynamicMigration));
//! assert!(migration.minimum_average_yield > xen.minimum_average_yield);
//! assert!(migration.migrations > 0);
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 7; section 4.4.7 for
//! the average yield and 5.2 for MCB. Weighted max-min fair sharing is in Bertsekas and Gallager,
//! "Data Networks" (1992), chapter 6.

mod allocator;
mod approach;
mod controller;
mod estimates;
mod fluid;
mod needs;
mod outcome;
mod points;
pub mod recorded;
mod settings;
pub mod sharing;
mod simulation;
mod testbed;
mod workload;

pub use approach::Approach;
pub use needs::Needs;
pub use outcome::{Observer, Outcome};
pub use settings::{Lowering, Settings, SettingsError, Spare};
pub use simulation::simulate;
pub use testbed::Testbed;
pub use workload::{Vm, Workload, WorkloadError};
