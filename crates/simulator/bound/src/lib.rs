//! Lower bound on the maximum stretch of any scheduler, by maximum flow.
//!
//! A stretch S gives each job a deadline, its submission + S * max(run time, tau). If all jobs are
//! known in advance, memory is ignored and migration is free, a schedule that meets the deadlines
//! exists if and only if the work (tasks * need * run time) fits between submissions and deadlines,
//! at a rate of at most tasks * need for a job and of at most all nodes for all jobs together: a
//! maximum flow from jobs to the intervals between consecutive submissions and deadlines.
//! [`max_stretch_bound`] finds the smallest such S. The maximum bounded stretch of a policy divided
//! by S is its *degradation from bound*.
//!
//! * [`Bound`]: the bound with the jobs that prove it.
//! * [`max_stretch_bound_on`]: the bound where nodes differ: the largest of several bounds, for CPU
//!   and for each resource.
//! * [`max_stretch_bound_with_penalties`]: a bound that also includes memory and penalties.
//! * [`clairvoyant_stretch`]: the result of the best schedule found that knows all run times,
//!   respects memory and pays for migrations.
//! * [`max_stretch_bound_of_subsets`]: a larger bound without penalties, where small subsets of jobs do
//!   not fit into memory together.
//! * [`flow_solution`]: for one stretch, the work of each job in each interval; [`FlowSolution`].
//! * [`wrap_around`]: a schedule of all tasks on the nodes with exactly this work; [`Schedule`].
//!
//! ```
//! use dfrsim_bound::max_stretch_bound;
//! use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime};
//!
//! let job = |id| Job {
//!     id: JobId(id),
//!     submit: SimTime::ZERO,
//!     tasks: 2,
//!     cpu_need: Share::ONE,
//!     memory: Share::ZERO,
//!     run_time: SimSpan::from_secs(60),
//!     requested_time: None,
//!     user: None,
//!     origin: dfrsim_model::Origin::UNKNOWN,
//! };
//! // Either job alone fills both nodes, so one of them ends after two minutes at the earliest.
//! let bound = max_stretch_bound(&[job(1), job(2)], 2, SimSpan::from_secs(10));
//! assert_eq!(bound.value, 2.0);
//! assert_eq!(bound.critical, [0, 1]);
//! ```
//!
//! # Algorithm
//!
//! The search does not use bisection, but Newton's method from below: an infeasible stretch yields a
//! set of jobs whose work does not fit into their windows (a minimum cut), and the next stretch is
//! the smallest at which that set fits. When the flow succeeds, the last set proves the bound from
//! below and the flow from above. Each flow is kept small by `Core`, which removes the jobs that
//! surely fit; it is initialised by earliest deadline, and completed by Dinic's algorithm, which
//! stops as soon as one job proves that the stretch is infeasible.
//!
//! # Sources
//!
//! The dissertation that introduced DFRS (Stillwell, 2010), section 5.1.2, theorem 1 for the bound
//! and the schedule of its proof; McNaughton, "Scheduling with deadlines and loss functions" (1959),
//! for wrap-around scheduling; Dinic, "Algorithm for solution of a problem of maximum flow in
//! networks with power estimation" (1970). The search by cuts is the discrete Newton method of
//! parametric flow problems (Radzik, 1998).

mod amount;
mod bound;
mod clairvoyant;
mod classes;
mod core;
mod critical;
mod flow;
mod instance;
mod memory_packing;
mod penalties;
mod solution;
mod subsets;
mod wrap_around;

pub use bound::{Bound, max_stretch_bound};
pub use clairvoyant::clairvoyant_stretch;
pub use classes::max_stretch_bound_on;
pub use penalties::max_stretch_bound_with_penalties;
pub use solution::{FlowInterval, FlowSolution, flow_solution};
pub use subsets::{MAX_SUBSET, max_stretch_bound_of_subsets};
pub use wrap_around::{Piece, Schedule, wrap_around};
