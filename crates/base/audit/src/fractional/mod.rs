//! The rules of fractional policies and of `EQUIPARTITION`: who runs where, and with which share.
//!
//! A slow, plain reference takes every decision again, from the schedule so far: at each moment it knows which job is where and what it has done, what
//! has happened, and goes through the parts of the policy in their order on plain lists of nodes and of what is free of each of their resources. The first
//! job that the record then has elsewhere, or with another yield, is a fault. It goes on from what happened, so that one wrong decision is one
//! fault and not a thousand. Decisions that are due without any record, at ticks and when jobs are tried again, are taken as well, the first
//! [`MOST_MOMENTS`] of a pause in the records.
//!
//! All conditions are known: nodes that differ, fail or have windows, weights, and a site's priorities, limits and preemption. The readings of what
//! the dissertation leaves open are the default ones.
//!
//! Computed again are who is rejected, starts, is paused, moves and resumes, on which nodes, and yields. Judged by what they
//! promise, as several answers are right, are
//!
//! * `OPT=AVG`: no yield is below the common one (under `/stretch-per` that of the packing), and the weighted sum is the largest, but for the rounding of
//!   each yield to its unit;
//! * `/RELABEL`: alike nodes have together what MCB puts on them, and the most memory stays where it is, after the most pinned tasks;
//! * `/BUDGET`, if the mapping of MCB would move more: the budget is kept, no pinned job moves, and no job is left out that has room where it is, or if it is
//!   on no node, anywhere. Which jobs stay, and how large the least yield is, is left open.
//!
//! Where classes preempt others, such a mapping after which some job did so is not judged: where the jobs were that left is not known. The
//! [report](crate::Report::not_judged) has the number of decisions that were not judged.
//!
//! Other yields are computed in floating point: one that is within 1/256 of a unit may be rounded either way; of yields by weights one unit more.
//!
//! Sources: the dissertation (Stillwell, 2010), sections 5.1.2 and 5.2.1 to 5.2.6; Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2, for yields by
//! weight.

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

/// How many decisions in a row without records in the file are checked.
pub const MOST_MOMENTS: u64 = 100_000;
