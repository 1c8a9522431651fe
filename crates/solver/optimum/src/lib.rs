//! How good a packing can be: optima and bounds of the off-line problem, and the heuristics that start from its linear
//! program.
//!
//! An [`Instance`](dfrsim_model::offline::Instance) asks for the mapping of tasks to nodes with the largest minimum yield.
//!
//! * [`optimum`]: that mapping, proven, by a depth-first search in exact arithmetic; [`optimum_by_program`]: the same by the
//!   printed mixed integer program. Both end with an [`Outcome`]: [`Status`], best mapping, bound.
//! * [`adapted_optimum`]: the first for the adaptation problem, with a budget for moves.
//! * [`lp_bound`]: LPBOUND, the upper bound in closed form. [`mapping_yield`]: the minimum yield of a given mapping.
//! * [`relaxed`] and [`rounded`]: RRND and RRNDNZ. [`dive`]: FASTDIVING and SLOWDIVING. [`chekuri_pack`]: what VP_CHEKURI tries at a yield.
//! * [`max_average`]: the second phase, which shares what is left so that the average yield is largest; [`raise`]: the
//!   greedy ones of both texts, to compare.
//! * [`fewest_nodes`]: how many nodes are enough for a given yield.
//! * [`Program`], [`Solver`], [`Backend`]: linear programs, and the solvers by their names: `microlp`, and `highs` in builds
//!   with the feature of that name, which needs cmake, libclang and a C++ compiler.
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
//! # What is exact
//! Yields are multiples of 2^-20 and amounts integers, so [`optimum`], [`lp_bound`], [`mapping_yield`] and [`fewest_nodes`]
//! have no tolerance. A yield of a mapping is the largest at which, with unscaled yields rounded down as
//! [`OfflineJob::unscaled`](dfrsim_model::offline::OfflineJob::unscaled) has them, no capacity is exceeded; so no heuristic
//! that computes likewise can be above the optimum, nor the optimum above LPBOUND. Solvers of linear programs compute with
//! tolerances; what they find is taken as a mapping whose yield is then computed exactly, or not at all.
//!
//! # How long it takes
//! Of the sizes of the studies' small sets (4 nodes, 6 to 12 jobs, up to 6 resources) the search solves some 10,000 to
//! 25,000 instances a second, a thousand times as many as a solver of the mixed integer program; 4 nodes and 20 jobs, or 8
//! and 24, take a second or two or are out of reach. The relaxed program has two variables and a constraint for each task
//! and node: with microlp half a second at 64 nodes and 100 jobs, half a minute at 512 jobs, where
//! [`Relaxation::AtBound`] takes half a second.
//! `cargo bench -p dfrsim-optimum` measures all of these.
//!
//! An instance is taken as it is: each demand and each node must have `fixed + fluid` amounts, and a mapping must be one of
//! the instance at hand.
//!
//! # Sources
//! The dissertation that introduced DFRS (Stillwell, 2010), sections 4.1, 4.2.1, 4.2.3, 4.2.5, 4.4.7, 4.5 and 6.2; RR-6692
//! (Casanova, Schanzenbach, Stillwell and Vivien, "Resource allocation using virtual clusters", 2008), sections 2.5, 3.1, 3.2, 3.5 and 5.1; Chekuri and Khanna, "On
//! multidimensional packing problems" (2004).

mod amounts;
mod bound;
mod chekuri;
mod diving;
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
pub use chekuri::chekuri_pack;
pub use dfrsim_model::offline::Solved;
pub use diving::{Diving, dive};
pub use exact::{adapted_optimum, is_feasible, optimum};
pub use fewest_nodes::{FewestNodes, fewest_nodes, fewest_nodes_by};
pub use milp::{Model, Places, optimum_by_program};
pub use outcome::{Attempt, Limits, Outcome, Status};
pub use patterns::{PATTERN_ROUNDS, PATTERNS_UP_TO, pattern_bound};
pub use program::{Answer, Program, Relation, Variable};
pub use relaxation::{Relaxation, Split, relaxed};
pub use rounding::{Zeros, rounded};
pub use second_phase::{RaiseOrder, SecondPhase, average, max_average, raise, utilisation};
pub use solver::{Backend, Dive, Solver, SolverError};
