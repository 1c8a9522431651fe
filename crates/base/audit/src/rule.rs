//! The rules for an events file.

use crate::batch::BatchRule;
use crate::fractional::FractionalRule;
use crate::grid::GridRule;
use crate::priority::PriorityRule;
use dfrsim_model::SimTime;
use std::fmt;

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Submitted and not started.
    Waiting,
    /// On its nodes.
    Running,
    /// Off its nodes, to be resumed.
    Paused,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Waiting => "waiting",
            Phase::Running => "running",
            Phase::Paused => "paused",
        })
    }
}

/// A rule as it was broken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// Each line is one record of the format.
    #[error("not a record: {0}")]
    Malformed(String),
    /// The file begins with a run record.
    #[error("the first line must be a `run` record")]
    NoRun,
    /// The format is known.
    #[error("format {found}; this audit knows format {known}")]
    Format {
        /// The format of the file.
        found: u32,
        /// The format that is understood.
        known: u32,
    },
    /// There is one run in a file.
    #[error("a second `run` record")]
    SecondRun,
    /// The cluster has a size that an audit can keep in memory.
    #[error("{nodes} nodes are more than the {most} that can be audited")]
    TooManyNodes {
        /// The nodes of the run.
        nodes: u32,
        /// [`MOST_NODES`](crate::MOST_NODES).
        most: u32,
    },
    /// The file ends with a summary.
    #[error("the file ends without a `summary` record: it is incomplete")]
    NoSummary,
    /// The summary is the last record.
    #[error("a record follows the `summary` record")]
    AfterSummary,
    /// Time never decreases.
    #[error("time goes back from {before} s")]
    TimeBackwards {
        /// The time of the record before.
        before: SimTime,
    },
    /// Within a moment come completions, then submissions, then changes.
    #[error("`{record}` out of order: at one time completions come first, then submissions, then changes")]
    Order {
        /// The record.
        record: &'static str,
    },
    /// Jobs are numbered by submission.
    #[error("out of order: the next job to be submitted is job {expected}")]
    Numbering {
        /// The next number.
        expected: u64,
    },
    /// A job is submitted once.
    #[error("it is submitted twice")]
    SubmittedTwice,
    /// A job has tasks and work to do.
    #[error("a job must have at least one task and a run time above zero")]
    Empty,
    /// A task fits on an empty node.
    #[error("a task's {resource} of {units} units is more than a node has")]
    TooLarge {
        /// Memory or CPU need.
        resource: &'static str,
        /// The share.
        units: u32,
    },
    /// Records are about jobs that were submitted.
    #[error("`{record}` of a job that was never submitted")]
    Unknown {
        /// The record.
        record: &'static str,
    },
    /// Records are about jobs that are in the system.
    #[error("`{record}` of a job that has completed, was rejected or killed")]
    Gone {
        /// The record.
        record: &'static str,
    },
    /// A record is legal in the state of its job.
    #[error("`{record}` of a job that is {phase}")]
    IllegalState {
        /// The record.
        record: &'static str,
        /// The state of the job.
        phase: Phase,
    },
    /// The policies that are known kill no job.
    #[error("the policy does not kill jobs")]
    KilledByPolicy,
    /// A decision is net: at most one change of a job in a moment.
    #[error("a second change in the same moment")]
    ChangedTwice,
    /// A yield is at most 1.
    #[error("a yield of {0} units is above 1")]
    YieldAboveOne(u32),
    /// Nodes exist.
    #[error("node {node} does not exist; there are {nodes} nodes")]
    NoSuchNode {
        /// The node.
        node: u32,
        /// The nodes of the cluster.
        nodes: u32,
    },
    /// The nodes of a placement rise.
    #[error("node {node} follows node {before} in the placement")]
    NodesNotRising {
        /// The node.
        node: u32,
        /// The one before it.
        before: u32,
    },
    /// A node of a placement has tasks.
    #[error("no task is placed on node {node}")]
    NoTaskOnNode {
        /// The node.
        node: u32,
    },
    /// All tasks are placed, and no others.
    #[error("{placed} tasks are placed, but the job has {tasks}")]
    TaskCount {
        /// The tasks of the placement.
        placed: u64,
        /// The tasks of the job.
        tasks: u32,
    },
    /// No node gives more memory than it has.
    #[error("the memory of node {node} is over-committed: {used:.9} of {has}")]
    Memory {
        /// The node.
        node: u32,
        /// Its memory in use, as a fraction of a node.
        used: f64,
        /// Its memory.
        has: f64,
    },
    /// No node gives more CPU than it has.
    #[error("the CPU of node {node} is over-committed: {used:.9} of {has}")]
    Cpu {
        /// The node.
        node: u32,
        /// Its CPU in use, as a fraction of a node.
        used: f64,
        /// Its CPU.
        has: f64,
    },
    /// A job completes not before its work is done.
    #[error("it completes too early: it has done {done_s} s of {run_s} s")]
    Early {
        /// Its virtual time.
        done_s: f64,
        /// Its run time.
        run_s: f64,
    },
    /// A job completes as soon as its work is done.
    #[error("it should have completed at {due} s, when its work was done")]
    Overdue {
        /// The first microsecond at which its work had reached its run time.
        due: SimTime,
    },
    /// A link comes directly after the submission of its job.
    #[error("a `link` that does not come directly after the submission of its job")]
    LinkElsewhere,
    /// A link says what it connects.
    #[error("a `link` needs `after` and `think_us` together, or `followers`")]
    LinkIncomplete,
    /// A job follows another one when that has left.
    #[error("it follows job {after}, which is still in the system")]
    FollowsTooEarly {
        /// The other job.
        after: u64,
    },
    /// A job follows one that announced as many followers.
    #[error("it follows job {after}, which has no follower that has not come")]
    FollowsUnannounced {
        /// The other job.
        after: u64,
    },
    /// A job is submitted its think time after the end of the one that it follows.
    #[error("it follows job {after} and should have been submitted at {due} s")]
    FollowsWrongly {
        /// The other job.
        after: u64,
        /// When that had left, and the think time was over.
        due: SimTime,
    },
    /// All followers come.
    #[error("{followers} jobs that were to follow it were never submitted")]
    FollowersMissing {
        /// How many are missing.
        followers: u32,
    },
    /// In the end, no job is left.
    #[error("it is still {phase} at the end")]
    Unfinished {
        /// The state of the job.
        phase: Phase,
    },
    /// The summary has the figures of the schedule.
    #[error("summary: `{figure}` is {found}, the events say {expected}")]
    Summary {
        /// The field.
        figure: &'static str,
        /// The value in the summary.
        found: f64,
        /// The value by the events.
        expected: f64,
    },
    /// The file is of the policy that is checked.
    #[error("the file is of policy `{found}`, not `{expected}`")]
    Policy {
        /// The value in the file.
        found: String,
        /// The policy to check.
        expected: String,
    },
    /// What happens to jobs on nodes that go down is said in the second line.
    #[error("a `platform` record behind the second line")]
    LatePlatform,
    /// Checkpoints have an interval, and no other rule has one.
    #[error("checkpoints must have an interval above zero, and other rules none")]
    BadCheckpoints,
    /// Nodes go down only in files that say what happens to jobs.
    #[error("`{record}` in a file without a `platform` record in its second line")]
    NoPlatform {
        /// The record.
        record: &'static str,
    },
    /// A window lasts, is of nodes that exist, and is announced before it begins.
    #[error("the window does not last, is of nodes that do not exist, or is announced when it has begun")]
    BadWindow,
    /// Nodes go down that are up, and the other way round.
    #[error("node {node} is {state} already")]
    AlreadyThere {
        /// The node.
        node: u32,
        /// Its state.
        state: &'static str,
    },
    /// A window keeps its nodes down to its end.
    #[error("node {node} comes up in a window")]
    UpInWindow {
        /// The node.
        node: u32,
    },
    /// A window takes its nodes down when it begins.
    #[error("node {node} is up after the begin of its window at {from} s")]
    WindowNotKept {
        /// The node.
        node: u32,
        /// The begin of the window.
        from: SimTime,
    },
    /// No job is on a node that is down.
    #[error("it is on node {node}, which is down")]
    RunsOnDownNode {
        /// The node.
        node: u32,
    },
    /// Only jobs on nodes that are down are interrupted.
    #[error("`{record}` of a job of which all nodes are up")]
    NoReason {
        /// The record.
        record: &'static str,
    },
    /// What happens to an interrupted job is what the file says in its second line.
    #[error("`{record}` is not what happens to jobs by the second line")]
    OtherInterruption {
        /// The record.
        record: &'static str,
    },
    /// An interrupted job keeps what its last checkpoint has.
    #[error("it keeps {found_s} s of work; by the rule it keeps {expected_s} s")]
    Kept {
        /// What the file says.
        found_s: f64,
        /// What the rule says.
        expected_s: f64,
    },
    /// The summary has figures of interruptions if and only if nodes go down or jobs make room for others.
    #[error(
        "summary: `platform` must be there if and only if the second line is a `platform` record or jobs preempt others"
    )]
    PlatformFigures,
    /// The classes of nodes are said before anything happens.
    #[error("a `classes` record behind the beginning of the file")]
    LateClasses,
    /// Classes have nodes, which make up the cluster, a speed of at most 1, and an amount of each resource.
    #[error(
        "the classes do not make up the cluster, or a class has no speed up to 1 or not an amount of each resource"
    )]
    BadClasses,
    /// Jobs ask only for what some node has, in files that say what nodes have.
    #[error(
        "an `ask` that does not follow the submission of its job, or is for what the `classes` record does not have"
    )]
    BadAsk,
    /// No node gives more of a resource than it has.
    #[error("the {resource} of node {node} is over-committed: {used:.9} of {has}")]
    Resource {
        /// The node.
        node: u32,
        /// The resource.
        resource: String,
        /// How much of it is in use.
        used: f64,
        /// How much the node has.
        has: u32,
    },
    /// Nodes have the features that jobs ask for.
    #[error("it is on node {node}, which does not have the feature {feature}")]
    Feature {
        /// The node.
        node: u32,
        /// The feature.
        feature: String,
    },
    /// A rule of batch policies.
    #[error(transparent)]
    Batch(#[from] BatchRule),
    /// A rule of priorities and limits.
    #[error(transparent)]
    Priority(#[from] PriorityRule),
    /// A rule of fractional policies.
    #[error(transparent)]
    Fractional(#[from] FractionalRule),
    /// A rule of grids.
    #[error(transparent)]
    Grid(#[from] GridRule),
}
