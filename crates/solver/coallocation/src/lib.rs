//! Co-allocation: simultaneous reservation of parts of several resources of a grid for one job.
//!
//! A *simple* request states the amount that each resource must give. A *collective* one states a
//! smaller minimum for each and a total for all of them, so that it can start earlier and use
//! fragments of capacity. Resources are partially reserved, in advance.
//!
//! * [`Grid`]: resources with a [`Timetable`] each; reserves an allocation as a whole or not at all.
//! * [`Coallocator`]: the search in six phases, with [`Parameters`]; [`Solution`] or [`Rejection`].
//!   [`CandidateStarts`]: a cache for repeated searches; [`PhaseTimes`]: the time spent in each
//!   phase.
//! * [`SharedGrid`]: several co-allocators on one grid.
//! * [`planetlab`]: nodes, their usage and requests as in the experiments; [`Stream`]: a stream of
//!   requests.
//! * [`mod@file`]: all of it as files.
//! * [`optimum`]: the earliest start and the best utilisation by complete search.
//!
//! ```
//! use dfrsim_coallocation::{Coallocator, Grid, Parameters};
//! use dfrsim_model::coallocation::{Request, Resource};
//! use dfrsim_model::{Seed, SimSpan, SimTime};
//!
//! // Two nodes, of 3 and 5 GB. No two nodes have 4 GB each, but these have 8 GB together.
//! let node = |gigabytes: u64| Resource { capacity: [gigabytes * 1_000_000].into(), labels: [].into() };
//! let mut grid = Grid::new(vec![node(3), node(5)])?;
//! let mut request = Request {
//!     duration: SimSpan::from_secs(7_200),
//!     resources: 2,
//!     earliest: SimTime::ZERO,
//!     latest: SimTime::from_secs(3_600),
//!     minimum: [4_000_000].into(),
//!     total: [8_000_000].into(),
//!     step: [1].into(),
//!     labels: [].into(),
//! };
//! let mut coallocator = Coallocator::new(Parameters::default());
//! assert!(coallocator.search(&grid, &request, Seed::new(1)).is_err());
//! request.minimum = [2_000_000].into();
//! let solution = coallocator.search(&grid, &request, Seed::new(1))?;
//! assert_eq!((solution.allocation.start, solution.factor), (SimTime::ZERO, 1.0));
//! grid.reserve(&solution.allocation.reservations)?;
//! // A second request like this would have to wait for the end of the first, which is after its latest start.
//! assert!(coallocator.search(&grid, &request, Seed::new(1)).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Amounts are integers, in millionths of the unit of their property, and times are those of the
//! model, so admissibility is exact. Only utilisations are floating-point numbers. Intervals are
//! half-open.
//!
//! Source: M. Cankar, M. Artac, M. Sterk, U. Lotric and B. Slivnik, *Co-Allocation with Collective
//! Requests in Grid Systems*.

mod candidate_starts;
mod candidates;
pub mod check;
mod coallocator;
mod discovery;
mod division;
pub mod file;
mod grid;
mod improvement;
mod optimum;
mod parameters;
mod phase_times;
pub mod planetlab;
mod selection;
mod shared;
mod solution;
mod starts;
mod stream;
mod sufficiency;
mod timetable;
mod windows;

pub use candidate_starts::CandidateStarts;
pub(crate) use candidates::{Candidates, Choice};
pub use coallocator::Coallocator;
pub use grid::{Grid, GridError};
pub use optimum::{Optimum, optimum};
pub use parameters::Parameters;
pub use phase_times::PhaseTimes;
pub use shared::{NotReserved, SharedGrid};
pub use solution::{Rejection, Solution};
pub use stream::{Stream, StreamOutcome};
pub use timetable::Timetable;
