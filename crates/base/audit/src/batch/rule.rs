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
    /// Nodes are not shared.
    #[error("it shares node {node}; under a batch policy every task has a node of its own")]
    Shared {
        /// The node.
        node: u32,
    },
    /// A job gets the free nodes that the rule of the policy names.
    #[error("it starts on node {node}, where it should have node {expected}: the rule for nodes is {rule}")]
    OtherNode {
        /// The first of its nodes that is not the expected one.
        node: u32,
        /// The expected one.
        expected: u32,
        /// The rule.
        rule: Placing,
    },
    /// Whole cores are counted.
    #[error("it is not known how many cores nodes have: expected `classes` with `cores`")]
    NoCores,
    /// A job has as many tasks on each node as the rule of the policy puts there.
    #[error("it has {tasks} tasks on node {node}, where it should have {expected}")]
    OtherTasks {
        /// The first node with another number of tasks.
        node: u32,
        /// Its tasks there.
        tasks: u32,
        /// How many it should have.
        expected: u32,
    },
    /// A job starts when there is room for its tasks.
    #[error("it does not start, though there is room for {room} tasks, and it has {width}")]
    RoomUnused {
        /// How many tasks of it there is room for.
        room: u64,
        /// Its tasks.
        width: u32,
    },
    /// A job starts where there is room for its tasks.
    #[error("it starts with {width} tasks, but there is room for {room}")]
    NoRoomForTasks {
        /// How many tasks of it there is room for.
        room: u64,
        /// Its tasks.
        width: u32,
    },
    /// Backfilling leaves the head of the queue its room.
    #[error(
        "it starts and delays job {head}, the first in the queue, which can start at {shadow} s: it is expected to end at \
         {end} s, and leaves room for {left} of {of_head} tasks"
    )]
    CostsHeadItsRoom {
        /// The first job in the queue.
        head: u64,
        /// When that one can start.
        shadow: SimTime,
        /// When the job at hand ends by its estimate.
        end: SimTime,
        /// How many tasks of the first job there is room for then.
        left: u64,
        /// The tasks of the first job.
        of_head: u32,
    },
    /// A job that fits the cluster is not rejected.
    #[error("it is rejected, although its {width} tasks fit on {nodes} nodes")]
    Rejected {
        /// Its tasks.
        width: u32,
        /// The nodes of the cluster.
        nodes: u32,
    },
    /// A job that does not fit the cluster is rejected when it is submitted.
    #[error("it is not rejected, although its {width} tasks are more than the {nodes} nodes")]
    NotRejected {
        /// Its tasks.
        width: u32,
        /// The nodes of the cluster.
        nodes: u32,
    },
    /// A job starts on nodes that are free.
    #[error("it starts on {width} nodes, but only {free} are available to it")]
    NoRoom {
        /// Its nodes.
        width: u32,
        /// Those that are neither in use nor reserved.
        free: u32,
    },
    /// Without backfilling, the order of the queue is that of the starts.
    #[error("it starts before job {head}, which is ahead of it in the queue")]
    OutOfTurn {
        /// The first job in the queue.
        head: u64,
    },
    /// Backfilling does not delay the head of the queue.
    #[error(
        "it starts and delays job {head}, the first in the queue, which can start at {shadow} s: it is expected to end at \
         {end} s, and takes {width} nodes where {spare} are spare"
    )]
    DelaysHead {
        /// The first job in the queue.
        head: u64,
        /// When that one can start.
        shadow: SimTime,
        /// When the job at hand ends by its estimate.
        end: SimTime,
        /// Its nodes.
        width: u32,
        /// The nodes that the first job leaves free when it starts.
        spare: u32,
    },
    /// A job starts at its reservation.
    #[error("it starts before its reservation at {reserved} s")]
    BeforeReservation {
        /// When it may start.
        reserved: SimTime,
    },
    /// The head of the queue starts as soon as it can.
    #[error("it is the first in the queue and does not start, though {free} nodes are free for its {width}")]
    HeadWaits {
        /// The free nodes.
        free: u32,
        /// Its nodes.
        width: u32,
    },
    /// Jobs that can be backfilled start.
    #[error(
        "it does not start, though {free} nodes are free for its {width} and it would not delay job {head}"
    )]
    NotBackfilled {
        /// The free nodes.
        free: u32,
        /// Its nodes.
        width: u32,
        /// The first job in the queue.
        head: u64,
    },
    /// No job starts that a window would interrupt by what is known of its run time.
    #[error("it reaches into the window on node {node} at {from} s by its estimate")]
    IntoWindow {
        /// The node.
        node: u32,
        /// The begin of the window.
        from: SimTime,
    },
    /// A job that its partition or its quality of service does not admit is rejected when it is submitted.
    #[error(
        "it is not rejected, although it is too wide or too long for its partition or its quality of service"
    )]
    LimitIgnored,
    /// Backfilling tries a limited number of jobs.
    #[error("it is backfilled, though it is behind the {most} jobs that backfilling tries")]
    TooDeep {
        /// How many.
        most: u32,
    },
    /// A job starts on the fastest nodes that it can have.
    #[error(
        "it starts on nodes on which it is expected to end at {end} s; on others it would end at {expected} s"
    )]
    SlowerNodes {
        /// Its end on its nodes, by its estimate.
        end: SimTime,
        /// Its end on the fastest nodes on which it could start.
        expected: SimTime,
    },
    /// A job starts at its reservation.
    #[error("it does not start at its reservation")]
    ReservationMissed,
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
    /// No start delays the jobs before it in the queue.
    #[error("it starts and delays jobs before it in the queue; without that it can start at {earliest} s")]
    DelaysOthers {
        /// When it can start.
        earliest: SimTime,
    },
}
