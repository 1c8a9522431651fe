//! Rules of fractional policies and of `EQUIPARTITION`: allocations and yields.
//!
//! A slow, plain reference implementation recomputes every decision from the schedule so far. At
//! each time it knows the placement and the progress of each job and the events. It goes through the
//! parts of the policy in their order, on plain lists of nodes and of the free amounts of their
//! resources. The first job with another placement or yield in the record is a violation. The next
//! decision is based on what happened, so that one wrong decision is one violation and not a
//! thousand. Decisions without any record, at ticks and when jobs are retried, are checked too: the
//! first [`MAX_UNRECORDED_DECISIONS`](crate::MAX_UNRECORDED_DECISIONS) between two records, fewer if
//! many such intervals are long.
//!
//! Devices of nodes are recomputed, too: those that Greedy chooses by the rule of the platform, and
//! those of a mapping by MCB.
//!
//! All conditions are covered: unequal nodes, failures, windows, weights, and a site's priorities,
//! limits and preemption. Where the dissertation is ambiguous, the default interpretations apply.
//!
//! Rejections, starts, preemptions, migrations and resumptions, their nodes, and yields are
//! recomputed. The following results are not unique; they are checked by their properties:
//!
//! * `OPT=AVG`: no yield is below the common one (under `/stretch-per` that of the packing), and the
//!   weighted sum is maximal, except for the rounding of each yield to its unit;
//! * `/RELABEL`: identical nodes have together what MCB puts on them; the number of pinned tasks
//!   that stay is maximal, then the memory that stays;
//! * `/BUDGET`, if the mapping of MCB would move more: the budget is respected, no pinned job moves,
//!   and no job is left out that fits on its current nodes or, if it is on no node, anywhere. It is
//!   not checked which jobs stay and how large the minimum yield is.
//!
//! If classes preempt others, such a mapping after which some job did so is not checked, since the
//! previous placement of the preempted jobs is unknown. The [report](crate::Report::not_judged) has
//! the number of decisions that were not checked.
//!
//! Other yields are computed in floating point. A yield within 1/256 of a unit may be rounded either
//! way; yields by weights may differ by one more unit.
//!
//! Sources: the dissertation (Stillwell, 2010), sections 5.1.2 and 5.2.1 to 5.2.6; Bertsekas and
//! Gallager, "Data Networks", 1992, section 6.5.2, for yields by weight.

mod cap;
mod check;
mod decide;
mod mapping;
mod moves;
mod nodes;
mod pack;
mod pay;
mod policy;
mod shares;
mod weights;

pub(crate) use check::FractionalCheck;
pub use policy::FractionalPolicy;
