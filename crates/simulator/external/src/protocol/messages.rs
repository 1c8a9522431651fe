//! Messages of the protocol, as documented in the parent module.

use dfrsim_cluster::{ExpectedEnd, JobHandle, JobState, Lists, NodeRange, View};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of the protocol.
pub(super) const FORMAT: u32 = 1;

/// A message to the policy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Message<'a> {
    /// First message: describes the cluster.
    Begin {
        /// Version of the protocol.
        format: u32,
        /// Number of nodes of the cluster.
        nodes: u32,
        /// Resolution of shares, which are whole multiples of `1 / share_units`.
        share_units: u32,
        /// Seed for policies that use random numbers; equal in all runs of a simulation.
        seed: u32,
        /// Time without progress after a resumption or migration, in seconds.
        penalty: f64,
        /// Classes of nodes, in the order of their nodes; absent if all nodes are identical.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        classes: Vec<Class>,
        /// Names of the speed levels below full speed at which jobs may run under the power cap, by
        /// descending speed; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        levels: Vec<String>,
        /// Priorities, limits and weights of the site, in the format of `--priority`; absent if
        /// there are none. The policy is responsible for following them.
        #[serde(skip_serializing_if = "Option::is_none")]
        site: Option<Box<SiteSettings>>,
    },
    /// Request for a decision: the events of the current time.
    Decide {
        /// Current time in seconds.
        now: f64,
        /// True if the requested wake-up time has come.
        tick: bool,
        /// True if all jobs of the workload have been submitted.
        all_submitted: bool,
        /// Jobs submitted now.
        submitted: Vec<Arrival>,
        /// Jobs completed now.
        completed: Vec<u64>,
        /// Jobs that lost their nodes now; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        interrupted: Vec<Interrupted>,
        /// Power in watts that all running jobs may draw now above that of idle nodes; absent without a
        /// power cap.
        #[serde(skip_serializing_if = "Option::is_none")]
        power: Option<f64>,
        /// State of the cluster, if requested.
        #[serde(flatten)]
        #[schemars(with = "Option<Listed>")]
        state: Option<State<'a>>,
        /// Progress of the jobs in the system, if requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        progress: Option<Vec<Progress>>,
    },
    /// Last message.
    End {
        /// Time of the last decision, in seconds.
        now: f64,
    },
}

/// A submitted job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Arrival {
    /// Handle of the job in the view.
    #[serde(skip)]
    pub handle: JobHandle,
    /// Index in the order of submission, from 0; it identifies the job in all messages.
    pub job: u64,
    /// Number in the log, which error messages use.
    pub id: u64,
    /// Submit time in seconds.
    pub submit: f64,
    /// Number of tasks.
    pub tasks: u32,
    /// CPU need per task, as a fraction of a node.
    pub cpu_need: f64,
    /// Memory per task, as a fraction of a node.
    pub memory: f64,
    /// Estimated run time known to the policy, in seconds.
    pub estimate: Option<f64>,
    /// Run time requested by the user, in seconds. Like all following fields, it is absent if
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_time: Option<f64>,
    /// Number of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// Number of the user's group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Number of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Number of the partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
    /// Weight in fractional sharing; absent if all jobs have equal weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// Indices of the classes whose empty nodes can hold a task; absent if all nodes are identical.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<usize>>,
    /// Other resources requested per task, in units.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u32>,
    /// Features that its nodes must have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Power in watts that its tasks may draw above that of idle nodes: at full speed, then at each level;
    /// absent without a power cap.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<f64>,
}

/// A class of identical nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Class {
    /// Name in the platform.
    pub name: String,
    /// Number of its first node.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// CPU per node, relative to the reference node.
    pub cpu: f64,
    /// Memory per node, relative to the reference node.
    pub memory: f64,
    /// Speed relative to the fastest nodes, on which run times were measured.
    pub speed: f64,
    /// Speed at each level of the cluster, relative to the same; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub level_speeds: Vec<f64>,
    /// Other resources per node, in units.
    pub resources: BTreeMap<String, u32>,
    /// Features that jobs may request.
    pub features: Vec<String>,
}

/// A job that lost its nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Interrupted {
    /// Index of the job.
    pub job: u64,
    /// True if the job was requeued; otherwise it has left the system.
    pub waits: bool,
}

/// State of the cluster before the decision.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    pub(super) view: View<'a>,
    pub(super) lists: &'a Lists,
}

impl<'a> State<'a> {
    /// Iterates over the empty nodes that are up, in increasing order.
    pub fn free(self) -> impl Iterator<Item = u32> {
        self.lists.free(self.view)
    }

    /// Iterates over the pending and paused jobs, in the order of submission.
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

    /// Iterates over the running jobs by expected end, then in the order of submission.
    pub fn running(self) -> impl Iterator<Item = RunningJob<'a>> {
        let of = move |&ExpectedEnd { end, sequence, job }: &ExpectedEnd| {
            let nodes = self.lists.nodes_of(job)?;
            let (tasks, end) = (self.view.job(job).tasks(), (end < SimTime::MAX).then(|| end.as_secs_f64()));
            let level = usize::from(self.view.job(job).level()).checked_sub(1);
            let level = level.and_then(|at| Some(&**self.view.classes()?.levels().get(at)?));
            Some(RunningJob { handle: job, job: sequence, tasks, end, level, nodes })
        };
        self.lists.running().iter().filter_map(of)
    }

    /// Iterates over the nodes that are down, in increasing order.
    pub fn down(self) -> impl Iterator<Item = u32> {
        let nodes = if self.view.has_outages() { self.view.nodes() } else { 0 };
        (0..nodes).filter(move |&node| !self.view.is_up(NodeId(node)))
    }

    /// Iterates over the announced outages that are not over.
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

/// State of the cluster in a message.
#[derive(Serialize, JsonSchema)]
struct Listed<'a> {
    /// Empty nodes that are up, in increasing order.
    free: Vec<u32>,
    /// Pending and paused jobs, in the order of submission.
    waiting: Vec<Waiting>,
    /// Running jobs by expected end, then in the order of submission.
    running: Vec<RunningJob<'a>>,
    /// Nodes that are down, in increasing order; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    down: Vec<u32>,
    /// Announced outages that are not over; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    windows: Vec<Window>,
}

/// A pending or paused job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Waiting {
    /// Handle of the job in the view.
    #[serde(skip)]
    pub handle: JobHandle,
    /// Index of the job.
    pub job: u64,
    /// Number of tasks.
    pub tasks: u32,
    /// Submit time in seconds.
    pub submit: f64,
    /// Estimated time from its next start to its end, in seconds.
    pub estimate: Option<f64>,
    /// True if the job is paused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

/// Job that occupies nodes, as a policy in another process sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Running")]
pub struct RunningJob<'a> {
    /// Handle of the job in the view.
    #[serde(skip)]
    pub handle: JobHandle,
    /// Index of the job.
    pub job: u64,
    /// Number of tasks.
    pub tasks: u32,
    /// Expected end at the current yield, in seconds; in the past if the job has exceeded its
    /// estimate, `null` if unknown.
    pub end: Option<f64>,
    /// Name of the speed level; absent at full speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<&'a str>,
    /// One node per task, in increasing order.
    #[serde(serialize_with = "one_by_one")]
    #[schemars(with = "Vec<u32>")]
    pub nodes: &'a Arc<[NodeRange]>,
}

/// An announced outage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Window {
    /// Number of its first node.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Start in seconds.
    pub from: f64,
    /// End in seconds.
    pub until: f64,
}

/// Iterates over the nodes of the tasks.
pub fn task_nodes(nodes: &[NodeRange]) -> impl Iterator<Item = u32> {
    let of_range = |range: &NodeRange| (range.first.0..range.first.0 + range.nodes, range.tasks as usize);
    nodes
        .iter()
        .map(of_range)
        .flat_map(|(nodes, tasks)| nodes.flat_map(move |node| std::iter::repeat_n(node, tasks)))
}

fn one_by_one<S: Serializer>(nodes: &&Arc<[NodeRange]>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(task_nodes(nodes))
}

/// Progress of a job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Progress {
    /// Index of the job.
    pub job: u64,
    /// Work done so far, in seconds at full speed.
    pub virtual_time: f64,
}

/// Answer to `begin`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// True if the policy requests the progress of jobs.
    #[serde(default)]
    pub progress: bool,
    /// True if the policy requests lists of free nodes and of jobs.
    #[serde(default)]
    pub lists: bool,
    /// Reason why the policy fails.
    pub error: Option<String>,
}

/// Answer to `decide`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Changes to jobs, at most one per job.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// Jobs to start or resume, in this order, at full speed, with one task on each of the first
    /// free nodes that can hold one. Jobs for which there are too few nodes stay as they are; those
    /// for which even the empty cluster has too few are rejected.
    #[serde(default)]
    pub start: Vec<u64>,
    /// Time of the next call even without an event, in seconds.
    pub wake_at: Option<f64>,
    /// Reason why the policy fails.
    pub error: Option<String>,
}

/// A change to a job.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// Starts a pending job.
    Start(Placed),
    /// Resumes a paused job.
    Resume(Placed),
    /// Moves a running job to other nodes.
    Migrate(Placed),
    /// Changes the yield of a running job.
    Yield {
        /// Index of the job.
        job: u64,
        /// Yield from 0 to 1.
        #[serde(rename = "yield")]
        job_yield: f64,
        /// Name of the speed level, or an empty text for full speed; by default the job keeps its level.
        level: Option<String>,
    },
    /// Pauses a running job.
    Pause {
        /// Index of the job.
        job: u64,
    },
    /// Rejects a pending job.
    Reject {
        /// Index of the job.
        job: u64,
    },
    /// Kills a running job.
    Kill {
        /// Index of the job.
        job: u64,
    },
}

/// A job with its placement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// Index of the job.
    pub job: u64,
    /// One node per task.
    pub nodes: Nodes,
    /// Yield from 0 to 1.
    #[serde(rename = "yield", default = "whole")]
    pub job_yield: f64,
    /// Name of the speed level, or an empty text for full speed; by default a job starts and resumes at
    /// full speed, and one that migrates keeps its level.
    pub level: Option<String>,
}

/// A list of nodes in any order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "nodes are a list of numbers or a text such as \"0-3,5\"")]
pub enum Nodes {
    /// Individual nodes.
    List(Vec<u32>),
    /// Ranges such as `0-3,5` or `0-3 5`.
    Ranges(String),
}

fn whole() -> f64 {
    1.0
}
