//! The rules of fractional policies: who runs when not all can.
//!
//! A [`FractionalPolicy`] is followed with the period of its ticks and with the default readings of what the dissertation leaves
//! open; priorities are computed from the schedule itself, as flow time / (virtual time)^2. Checked are
//!
//! * when something is decided at all: a policy starts, pauses, moves and resumes jobs at arrivals, completions and ticks, each
//!   of them only as far as its name says;
//! * `*`: when a job completes, waiting and paused jobs come in the order of their priorities, and none is passed over whose
//!   memory is free;
//! * `Greedy`, `GreedyP`, `GreedyPM`: a job that arrives starts if there is room, or if room can be made; no job is paused or
//!   moved for it where jobs of lower priority make room, and none stays paused beside which it fits;
//! * `MCB` and ticks: no job runs while one of higher priority waits or is paused; ticks without records in the file
//!   are checked too, the first [`MOST_TICKS`] of a pause in the records;
//! * `EQUIPARTITION`: jobs start in the order of their submission where memory is free, all have the same yield, and
//!   none is paused or moved.
//!
//! Where nodes go down, room is that of nodes that are up. At moments at which some go down or come up, and a microsecond before a
//! window begins, jobs may change for that reason, and of these rules those of ticks are checked. A policy that pauses jobs leaves none
//! on a node at which a window begins that was announced before.
//!
//! Where jobs have [weights](dfrsim_model::priority::JobClass::weight), virtual time in priorities counts as (virtual time) / weight, and
//! yields are judged: a job that has less than its need has a full node on which no job has more for its weight. This is weighted max-min
//! fairness (Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2); two units are left for rounding.
//!
//! A file does not show more, and so left open are: which of the nodes with room a job gets; yields, but for those of
//! `EQUIPARTITION` and those by weight; how many jobs MCB finds room for; what `/BUDGET` leaves out; who gives way when several jobs arrive at one
//! moment, or one arrives when another completes, under `GreedyP` and `GreedyPM`. Jobs are placed task by task, so that a job
//! has room if and only if the free memory of the nodes, each by itself, takes all of its tasks.
//!
//! Sources: the dissertation (Stillwell, 2010), sections 5.1.2 and 5.2.1 to 5.2.5.

mod check;
mod memory;
mod name;
mod ranking;
mod rule;
mod shares;
mod weights;

pub(crate) use check::FractionalCheck;
pub use name::FractionalPolicy;
pub use rule::FractionalRule;

/// How many ticks in a row without records in the file are checked.
pub const MOST_TICKS: u64 = 10_000;
