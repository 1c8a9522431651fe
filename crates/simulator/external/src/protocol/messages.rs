//! The messages, as the page of the module has them.

use dfrsim_cluster::{ExpectedEnd, JobHandle, JobState, Lists, NodeRange, View};
use dfrsim_model::priority::Priorities;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The version of the protocol.
pub(super) const FORMAT: u32 = 1;

/// What a policy gets.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Message<'a> {
    /// The first message.
    Begin {
        /// The version of the protocol.
        format: u32,
        /// The nodes of the cluster.
        nodes: u32,
        /// Shares are whole multiples of one divided by this.
        share_units: u32,
        /// For policies that draw: the same in each run of a simulation.
        seed: u32,
        /// How long a resumed or migrated job makes no progress, in seconds.
        penalty: f64,
        /// The classes of nodes, in the order of their nodes; not there if all nodes are equal.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        classes: Vec<Class>,
        /// Priorities, limits and weights of the site, as `--priority` reads them; not there if it has none. Keeping to them is up to the policy.
        #[serde(skip_serializing_if = "Option::is_none")]
        site: Option<Box<Priorities>>,
    },
    /// What happened at a moment.
    Decide {
        /// The moment, in seconds.
        now: f64,
        /// Whether it is the one that was asked for.
        tick: bool,
        /// Whether no job of the workload is left to arrive.
        all_submitted: bool,
        /// Jobs that arrived.
        submitted: Vec<Arrival>,
        /// Jobs that completed.
        completed: Vec<u64>,
        /// Jobs that lost their nodes; not there if none did.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        interrupted: Vec<Interrupted>,
        /// The state of the cluster, if that was asked for.
        #[serde(flatten)]
        #[schemars(with = "Option<Listed>")]
        state: Option<State<'a>>,
        /// How far the jobs in the system are, if that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        progress: Option<Vec<Progress>>,
    },
    /// The last message.
    End {
        /// The moment of the last decision, in seconds.
        now: f64,
    },
}

/// A job that arrives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Arrival {
    /// How the view names it.
    #[serde(skip)]
    pub handle: JobHandle,
    /// Its place in the order of submission, from 0: its name in all messages.
    pub job: u64,
    /// Its number in the log, by which faults name it.
    pub id: u64,
    /// When it arrived, in seconds.
    pub submit: f64,
    /// Its tasks.
    pub tasks: u32,
    /// The CPU need of a task, as a part of a node.
    pub cpu_need: f64,
    /// The memory of a task, as a part of a node.
    pub memory: f64,
    /// Prior knowledge of its run time, in seconds.
    pub estimate: Option<f64>,
    /// What its user said of its run time, in seconds; as all that follows it is not there if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_time: Option<f64>,
    /// The number of its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The number of the group of its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// The number of its queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// The number of its partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
    /// How much it counts in fractional shares; not there where all jobs count the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// The places of the classes of which an empty node has room for a task; not there if all nodes are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<usize>>,
    /// How many units of other resources a task asks for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u32>,
    /// The features that its nodes must have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
}

/// Alike nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Class {
    /// Its name in the platform.
    pub name: String,
    /// The lowest of its nodes.
    pub first: u32,
    /// How many nodes it has.
    pub nodes: u32,
    /// The CPU of a node, as a multiple of that of the reference node.
    pub cpu: f64,
    /// The memory of a node, as a multiple of that of the reference node.
    pub memory: f64,
    /// How fast tasks run.
    pub speed: f64,
    /// How many units of other resources a node has.
    pub resources: BTreeMap<String, u32>,
    /// What nodes have that jobs may ask for.
    pub features: Vec<String>,
}

/// A job that lost its nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Interrupted {
    /// The job.
    pub job: u64,
    /// Whether it waits to be started again; otherwise it has left.
    pub waits: bool,
}

/// The cluster before the decision.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    pub(super) view: View<'a>,
    pub(super) lists: &'a Lists,
}

impl<'a> State<'a> {
    /// The nodes that are up and on which there is no job, rising.
    pub fn free(self) -> impl Iterator<Item = u32> {
        self.lists.free(self.view)
    }

    /// The jobs that wait or are paused, by order of submission.
    pub fn waiting(self) -> impl Iterator<Item = Waiting> {
        self.lists.waiting().iter().map(move |&handle| {
            let job = self.view.job(handle);
            Waiting {
                handle,
                job: job.sequence(),
                tasks: job.tasks(),
                submit: job.submit().as_secs_f64(),
                estimate: job.remaining_estimate().map(SimSpan::as_secs_f64),
                paused: job.state() == JobState::Paused,
            }
        })
    }

    /// The running jobs by their expected ends, then by order of submission.
    pub fn running(self) -> impl Iterator<Item = RunningJob<'a>> {
        let of = move |&ExpectedEnd { end, sequence, job }: &ExpectedEnd| {
            let nodes = self.lists.nodes_of(job)?;
            let (tasks, end) = (self.view.job(job).tasks(), (end < SimTime::MAX).then(|| end.as_secs_f64()));
            Some(RunningJob { handle: job, job: sequence, tasks, end, nodes })
        };
        self.lists.running().iter().filter_map(of)
    }

    /// The nodes that are down, rising.
    pub fn down(self) -> impl Iterator<Item = u32> {
        let nodes = if self.view.has_outages() { self.view.nodes() } else { 0 };
        (0..nodes).filter(move |&node| !self.view.is_up(NodeId(node)))
    }

    /// Outages that are announced and not over.
    pub fn windows(self) -> impl Iterator<Item = Window> {
        self.view.windows().iter().map(|window| Window {
            first: window.outage.nodes.first,
            nodes: window.outage.nodes.nodes,
            from: window.outage.from.as_secs_f64(),
            until: window.outage.until.as_secs_f64(),
        })
    }
}

impl Serialize for State<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Listed {
            free: self.free().collect(),
            waiting: self.waiting().collect(),
            running: self.running().collect(),
            down: self.down().collect(),
            windows: self.windows().collect(),
        }
        .serialize(to)
    }
}

/// The state as it is in a message.
#[derive(Serialize, JsonSchema)]
struct Listed<'a> {
    /// The nodes that are up and on which there is no job, rising.
    free: Vec<u32>,
    /// The jobs that wait or are paused, by order of submission.
    waiting: Vec<Waiting>,
    /// The running jobs by their expected ends, then by order of submission.
    running: Vec<RunningJob<'a>>,
    /// The nodes that are down, rising; not there if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    down: Vec<u32>,
    /// Outages that are announced and not over; not there if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    windows: Vec<Window>,
}

/// A job in the queue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Waiting {
    /// How the view names it.
    #[serde(skip)]
    pub handle: JobHandle,
    /// The job.
    pub job: u64,
    /// Its tasks.
    pub tasks: u32,
    /// When it arrived, in seconds.
    pub submit: f64,
    /// The time from its next start to its end by its estimate, in seconds.
    pub estimate: Option<f64>,
    /// Whether it is paused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// A job on its nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Running")]
pub struct RunningJob<'a> {
    /// How the view names it.
    #[serde(skip)]
    pub handle: JobHandle,
    /// The job.
    pub job: u64,
    /// Its tasks.
    pub tasks: u32,
    /// When it ends by its estimate at its present yield, in seconds; in the past if it is past its estimate, `null` if that is not known.
    pub end: Option<f64>,
    /// A node for each task, rising.
    #[serde(serialize_with = "one_by_one")]
    #[schemars(with = "Vec<u32>")]
    pub nodes: &'a Arc<[NodeRange]>,
}

/// An outage that is announced.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Window {
    /// The lowest of its nodes.
    pub first: u32,
    /// How many nodes it has.
    pub nodes: u32,
    /// When it begins, in seconds.
    pub from: f64,
    /// When it ends, in seconds.
    pub until: f64,
}

/// The node of each task.
pub fn each(nodes: &[NodeRange]) -> impl Iterator<Item = u32> {
    let of_range = |range: &NodeRange| (range.first.0..range.first.0 + range.nodes, range.tasks as usize);
    nodes
        .iter()
        .map(of_range)
        .flat_map(|(nodes, tasks)| nodes.flat_map(move |node| std::iter::repeat_n(node, tasks)))
}

fn one_by_one<S: Serializer>(nodes: &&Arc<[NodeRange]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(each(nodes))
}

/// How far a job is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Progress {
    /// The job.
    pub job: u64,
    /// The work that it has done, in seconds at full speed.
    pub virtual_time: f64,
}

/// The answer to `begin`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// Whether the policy wants to know how far jobs are.
    #[serde(default)]
    pub progress: bool,
    /// Whether it wants lists of free nodes and of jobs.
    #[serde(default)]
    pub lists: bool,
    /// Why it gives up.
    pub error: Option<String>,
}

/// The answer to `decide`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The changes of the moment, at most one a job.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// Jobs that start or go on, in this order, at full speed on the first free nodes with room for their tasks, one on each. Those for which
    /// there are too few stay where they are; those for which the empty cluster has too few are rejected.
    #[serde(default)]
    pub start: Vec<u64>,
    /// When to call even if no event occurs, in seconds.
    pub wake_at: Option<f64>,
    /// Why the policy gives up.
    pub error: Option<String>,
}

/// What is done to a job.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A waiting job starts.
    Start(Placed),
    /// A paused job goes on.
    Resume(Placed),
    /// A running job has other nodes.
    Migrate(Placed),
    /// A running job has another yield.
    Yield {
        /// The job.
        job: u64,
        /// Its yield.
        #[serde(rename = "yield")]
        job_yield: f64,
    },
    /// A running job is paused.
    Pause {
        /// The job.
        job: u64,
    },
    /// A waiting job is rejected.
    Reject {
        /// The job.
        job: u64,
    },
    /// A running job is ended.
    Kill {
        /// The job.
        job: u64,
    },
}

/// A job on nodes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The job.
    pub job: u64,
    /// A node for each task.
    pub nodes: Nodes,
    /// Its yield.
    #[serde(rename = "yield", default = "whole")]
    pub job_yield: f64,
}

/// Nodes, in any order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "nodes are a list of numbers or a text such as \"0-3,5\"")]
pub enum Nodes {
    /// One by one.
    List(Vec<u32>),
    /// As `0-3,5` or `0-3 5`.
    Ranges(String),
}

fn whole() -> f64 {
    1.0
}
