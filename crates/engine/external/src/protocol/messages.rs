//! The messages, as the page of the module has them.

use serde::{Deserialize, Serialize};

/// The version of the protocol.
pub(super) const FORMAT: u32 = 1;

/// What a policy gets.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Message {
    /// The first message.
    Begin {
        /// The version of the protocol.
        format: u32,
        /// The nodes of the cluster.
        nodes: u32,
        /// Shares are whole multiples of one divided by this.
        share_units: u32,
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
#[derive(Clone, Debug, Serialize)]
pub struct Arrival {
    /// Its place in the order of submission, from 0: its name in all messages.
    pub job: u64,
    /// Its number in the log.
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
}

/// How far a job is.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// The job.
    pub job: u64,
    /// The work that it has done, in seconds at full speed.
    pub virtual_time: f64,
}

/// The answer to `begin`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// Whether the policy wants to know how far jobs are.
    #[serde(default)]
    pub progress: bool,
    /// Why it gives up.
    pub error: Option<String>,
}

/// The answer to `decide`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The changes of the moment, at most one a job.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// When to call even if no event occurs, in seconds.
    pub wake_at: Option<f64>,
    /// Why the policy gives up.
    pub error: Option<String>,
}

/// What is done to a job.
#[derive(Debug, Deserialize)]
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
#[derive(Debug, Deserialize)]
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
#[derive(Debug, Deserialize)]
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
