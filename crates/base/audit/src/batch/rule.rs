//! The rules for a schedule of a batch policy.

use super::Placing;
use dfrsim_model::SimTime;
use dfrsim_model::priority::PreemptMode;

/// A rule of a batch policy as it was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchRule {
    /// A job keeps its nodes and its speed.
    #[error("`{record}` under a batch policy, where a job keeps its nodes and its speed to its end")]
    Change {
        /// The record.
        record: &'static str,
    },
    /// Jobs run at full speed.
    #[error("a yield of {0} units under a batch policy, where it is 1")]
    Slow(u32),
    /// Whole cores are counted.
    #[error("it is not known how many cores nodes have: expected `classes` with `cores`")]
    NoCores,
    /// A job has as many tasks on each node as the policy puts there: on the fastest nodes that suffice, by the rule for nodes.
    #[error(
        "it has {tasks} tasks on node {node}, where it should have {expected} on node {other}: the rule for nodes is {rule}"
    )]
    Misplaced {
        /// The first of its nodes that is not as expected.
        node: u32,
        /// Its tasks there.
        tasks: u32,
        /// The node that it should have in its place.
        other: u32,
        /// How many tasks it should have on that.
        expected: u32,
        /// The rule.
        rule: Placing,
    },
    /// A job that fits the cluster is not rejected.
    #[error("it is rejected, although its {tasks} tasks fit on {nodes} nodes")]
    Rejected {
        /// Its tasks.
        tasks: u64,
        /// The nodes of the cluster, or how many tasks they can have.
        nodes: u64,
    },
    /// A job that can never run, for the cluster or for its partition or quality of service, is rejected when it is submitted.
    #[error(
        "it is not rejected, although its {tasks} tasks are more than the {nodes} nodes that it may have"
    )]
    NotRejected {
        /// Its tasks.
        tasks: u64,
        /// The nodes that it may have, or how many tasks on them.
        nodes: u64,
    },
    /// A job starts where there is room for its tasks.
    #[error("it starts with {tasks} tasks, but there is room for {room}")]
    NoRoom {
        /// Its tasks.
        tasks: u64,
        /// For how many of them there is room that is not reserved, with no window before their end.
        room: u64,
    },
    /// Without backfilling, the order of the queue is that of the starts.
    #[error("it starts before job {head}, which is ahead of it in the queue")]
    OutOfTurn {
        /// The first job in the queue.
        head: u64,
    },
    /// Backfilling tries a limited number of jobs.
    #[error("it is backfilled, though it is behind the {most} jobs that backfilling tries")]
    TooDeep {
        /// How many.
        most: u32,
    },
    /// Backfilling leaves the head of the queue its room.
    #[error(
        "it starts and delays job {head}, the first in the queue, which can start at {shadow} s: it is expected to end at \
         {end} s, and leaves room for {left} of {of_head} tasks"
    )]
    DelaysHead {
        /// The first job in the queue.
        head: u64,
        /// When that one can start.
        shadow: SimTime,
        /// When the job at hand ends by its estimate.
        end: SimTime,
        /// For how many tasks of the first job there is room then.
        left: u64,
        /// The tasks of the first job.
        of_head: u64,
    },
    /// A job starts at its reservation.
    #[error("it starts before its reservation at {reserved} s")]
    BeforeReservation {
        /// When it may start.
        reserved: SimTime,
    },
    /// A job starts at its reservation.
    #[error("it does not start at its reservation")]
    ReservationMissed,
    /// The head of the queue starts as soon as it can.
    #[error(
        "it is the first in the queue and does not start, though there is room for {room} tasks, and it has {tasks}"
    )]
    HeadWaits {
        /// For how many tasks of it there is room.
        room: u64,
        /// Its tasks.
        tasks: u64,
    },
    /// Jobs that can be backfilled start.
    #[error(
        "it does not start, though there is room for {room} tasks, it has {tasks}, and it would not delay job {head}"
    )]
    NotBackfilled {
        /// For how many tasks of it there is room.
        room: u64,
        /// Its tasks.
        tasks: u64,
        /// The first job in the queue.
        head: u64,
    },
    /// Only jobs of classes that others name make room.
    #[error("it makes room, but its class is in no list of what others preempt")]
    NotPreemptable,
    /// What happens to a job that makes room is what its class says.
    #[error("it makes room by `{found}`, its class says `{expected}`")]
    OtherPreemption {
        /// What happened.
        found: PreemptMode,
        /// What the settings say.
        expected: PreemptMode,
    },
    /// A job runs for a time before it has to make room.
    #[error("it makes room after {ran} s, and may after {exempt} s")]
    Exempt {
        /// For how long it ran.
        ran: SimTime,
        /// The least.
        exempt: SimTime,
    },
    /// A job makes room for one that starts.
    #[error("it makes room, but no job starts for which it has to")]
    PreemptedForNone,
    /// The jobs make room whose turn it is.
    #[error("it is its turn to make room for job {by}, which starts, and it does not")]
    NotPreempted {
        /// The job that starts.
        by: u64,
    },
    /// A job preempts others if it can start then.
    #[error("it does not start, though job {first} and {others} others could make room for it")]
    CouldPreempt {
        /// The first that could.
        first: u64,
        /// How many others have to.
        others: usize,
    },
}
