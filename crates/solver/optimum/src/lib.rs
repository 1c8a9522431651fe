//! Optima and bounds of the off-line problem, and heuristics based on its linear program.
//!
//! An [`Instance`](dfrsim_model::offline::Instance) asks for the mapping of tasks to nodes with the
//! largest minimum yield.
//!
//! * [`optimum`]: that mapping with a proof, by depth-first search in exact arithmetic;
//!   [`optimum_by_program`]: the optimum by the published mixed integer program. Both return an
//!   [`Outcome`]: [`Status`], best mapping, bound.
//! * [`adapted_optimum`]: the optimum of the adaptation problem, with a budget for moves.
//! * [`lp_bound`]: LPBOUND, the upper bound in closed form. [`mapping_yield`]: the minimum yield of
//!   a given mapping.
//! * [`relaxed`] and [`rounded`]: RRND and RRNDNZ. [`Loads`], [`packing_program`]: building blocks
//!   of other algorithms on linear programs.
//! * [`max_average`]: the second phase, which distributes the remaining capacity to maximise the
//!   average yield; [`raise`]: the greedy algorithms of both texts, for comparison.
//! * [`fewest_nodes`]: the number of nodes that a given yield needs.
//! * [`Program`], [`Solver`], [`Backend`]: linear programs, and the solvers by name: `microlp`.
//!
//! ```
//! use dfrsim_model::Yield;
//! use dfrsim_model::offline::{Instance, OfflineJob};
//! use dfrsim_optimum::{Backend, Limits, Status, lp_bound, optimum, optimum_by_program};
//!
//! // RR-6692, section 2.3: three tasks that need 0.6 of a node, on two nodes. Two of them share one.
//! let job = OfflineJob { tasks: 1, demand: [0, 6].into(), least_yield: Yield::ZERO };
//! let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs: vec![job; 3] };
//! let exact = optimum(&instance, &Limits::default());
//! assert_eq!(exact.status, Status::Optimal);
//! assert_eq!(exact.best.unwrap().minimum_yield, Yield::from_ratio(10, 12));
//! assert_eq!(lp_bound(&instance), Some(Yield::ONE));
//!
//! let by_program = optimum_by_program(&instance, Backend::Microlp.solver(), &Limits::default()).unwrap();
//! assert_eq!(by_program.best.unwrap().minimum_yield, Yield::from_ratio(10, 12));
//! ```
//!
//! # Exactness
//! Yields are multiples of 2^-20 and amounts are integers, so [`optimum`], [`lp_bound`],
//! [`mapping_yield`] and [`fewest_nodes`] have no tolerance. The yield of a mapping is the largest
//! at which, with unscaled yields rounded down as by
//! [`OfflineJob::unscaled`](dfrsim_model::offline::OfflineJob::unscaled), no capacity is exceeded.
//! So no heuristic that uses this definition can exceed the optimum, nor the optimum LPBOUND.
//! Solvers of linear programs have tolerances; their solutions are converted to mappings, whose
//! yields are then computed exactly, or discarded.
//!
//! # Run times
//! For the small sets of the studies (4 nodes, 6 to 12 jobs, up to 6 resources), the search solves
//! some 10,000 to 25,000 instances per second, a thousand times as many as a solver of the mixed
//! integer program. Instances with 4 nodes and 20 jobs, or 8 nodes and 24 jobs, take a second or two
//! or are out of reach. The relaxed program has two variables and a constraint for each task and
//! node: with microlp it takes half a second for 64 nodes and 100 jobs, and half a minute for 512
//! jobs, where [`Relaxation::AtBound`] takes half a second. `cargo bench -p dfrsim-optimum` measures
//! all of these.
//!
//! Instances are not validated: each demand and each node must have `fixed + fluid` amounts, and a
//! mapping must belong to the given instance.
//!
//! # Sources
//! The dissertation that introduced DFRS (Stillwell, 2010), sections 4.1, 4.2.1, 4.2.3, 4.2.5,
//! 4.4.7, 4.5 and 6.2; RR-6692 (Casanova, Schanzenbach, Stillwell and Vivien, "Resource allocation
//! using virtual clusters", 2008), sections 2.5, 3.1, 3.2, 3.5 and 5.1.

mod amounts;
mod bound;
mod exact;
mod fewest_nodes;
mod loads;
mod milp;
mod outcome;
mod patterns;
mod program;
mod relaxation;
mod rounding;
mod second_phase;
mod solver;
mod tasks;

pub use amounts::mapping_yield;
pub use bound::lp_bound;
pub use dfrsim_model::offline::Solved;
pub use exact::{adapted_optimum, is_feasible, optimum};
pub use fewest_nodes::{FewestNodes, fewest_nodes, fewest_nodes_by};
pub use loads::Loads;
pub use milp::{Integrality, Model, optimum_by_program};
pub use outcome::{Attempt, Limits, Outcome, Status};
pub use patterns::{MAX_PATTERN_TASKS, PATTERN_ROUNDS, pattern_bound};
pub use program::{Answer, Program, Relation, Variable};
pub use relaxation::{Relaxation, Split, packing_program, relaxed};
pub use rounding::{ZERO, Zeros, rounded};
pub use second_phase::{RaiseOrder, SecondPhase, average, max_average, raise, utilisation};
pub use solver::{Backend, Dive, Solver, SolverError};
pub use tasks::{LARGEST_TABLE, jobs_of_tasks};
