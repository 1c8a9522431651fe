//! The records of what happened on a grid of several clusters: one JSON object a line, enough to check the run from
//! scratch.
//!
//! The first one is a [`Record::Run`], the last one a [`Record::Summary`]; between them are the events in the order in
//! which they occurred. Times are in microseconds (`_us`). Jobs have numbers from 0 in the order of their arrival,
//! clusters in
//! the order in which the first record lists them.

use crate::event::{self, Placement};
use crate::numbers::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The version of the format; a reader refuses others.
pub const FORMAT_VERSION: u32 = 3;

/// A cluster of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Its cores.
    pub cores: u32,
    /// Its speed, in thousandths of that for which the times of jobs are given.
    pub speed: u32,
    /// Its policy, if it is not that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
}

/// What of a job matters to some clusters only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traits {
    /// The CPU need of a task, in units of shares.
    pub cpu_need: u32,
    /// The memory of a task, in units of shares.
    pub memory: u32,
    /// Whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The group of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// The queue to which it was submitted in its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// The partition in its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
}

/// One line of the record of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record<'a> {
    /// The simulated setting.
    Run {
        /// The version of the format.
        #[schemars(extend("const" = FORMAT_VERSION))]
        format: u32,
        /// The local policy of the clusters that have none of their own.
        local: Cow<'a, str>,
        /// Whether a job never completes later than was expected when it was submitted to a cluster with this policy.
        promises: bool,
        /// To how many clusters a job is submitted at once, at most.
        copies: u32,
        /// If waiting jobs are only ever moved to gain time: what they must gain more than.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold_us: Option<u64>,
        /// How long a job takes longer elsewhere than on the cluster to which it was submitted first, for its data.
        #[serde(default, skip_serializing_if = "is_default")]
        transfer_us: u64,
        /// The same for each of its cores, on top of that.
        #[serde(default, skip_serializing_if = "is_default")]
        transfer_per_core_us: u64,
        /// How often clusters publish their states, if the meta-scheduler knows them from there only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        publication_us: Option<u64>,
        /// The clusters.
        clusters: Cow<'a, [Cluster]>,
    },
    /// A job arrives at the meta-scheduler.
    Arrive {
        /// The moment.
        at_us: u64,
        /// The job: its number in the order of arrival.
        job: u64,
        /// Its number in its log.
        id: u64,
        /// Its cores.
        width: u32,
        /// Its run time at speed 1.
        run_us: u64,
        /// After how long it is killed, at speed 1.
        walltime_us: u64,
        /// The cluster to which it is submitted past the meta-scheduler; it stays there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        home: Option<u32>,
        /// What matters to some clusters only, where it is not that of a job that fills its cores and has no memory, of no known user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traits: Option<Traits>,
    },
    /// It fits on no cluster and is left out.
    Skip {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
    },
    /// It joins the queue of a cluster.
    Submit {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The cluster.
        cluster: u32,
        /// When it is expected to complete there at the latest.
        expected_us: u64,
        /// What the meta-scheduler expects, where it only knows what was published.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        known_us: Option<u64>,
        /// Whether the cluster has decided in this moment on what came before.
        #[serde(default, skip_serializing_if = "is_default")]
        decided: bool,
    },
    /// It leaves the queue of a cluster.
    Cancel {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The cluster.
        cluster: u32,
        /// When it was expected to complete there, if the completion time was queried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected_us: Option<u64>,
        /// Whether the cluster has decided in this moment on what came before.
        #[serde(default, skip_serializing_if = "is_default")]
        decided: bool,
    },
    /// It starts, or starts again after its nodes went down.
    Start {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The cluster.
        cluster: u32,
        /// Its nodes there, and how many tasks it has on each.
        on: Placement<'a>,
    },
    /// It has ended, done or killed.
    Complete {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The cluster.
        cluster: u32,
    },
    /// A cluster fails.
    Fail {
        /// The moment.
        at_us: u64,
        /// The cluster.
        cluster: u32,
    },
    /// A job that ran there is lost.
    Lose {
        /// The moment.
        at_us: u64,
        /// The job.
        job: u64,
        /// The cluster.
        cluster: u32,
    },
    /// The cluster works again.
    Repair {
        /// The moment.
        at_us: u64,
        /// The cluster.
        cluster: u32,
    },
    /// What is said or happens on a cluster beside all that: a record as that of the cluster alone ([`crate::event`]), in which jobs are
    /// numbered in the order of their submission there. Those of its conditions follow the first record of all.
    Local {
        /// The cluster.
        cluster: u32,
        /// The record.
        record: Box<event::Record<'a>>,
    },
    /// All clusters publish their states.
    Publish {
        /// The moment.
        at_us: u64,
    },
    /// What the simulator says of the whole run.
    Summary {
        /// Jobs that ended.
        completed: u64,
        /// Jobs that fit nowhere.
        skipped: u64,
        /// How often a job was submitted to another cluster than the one on which it waited, or was lost, before.
        moves: u64,
        /// How often a job left a queue without starting.
        cancellations: u64,
        /// Turnaround times added up; 2^64 - 1 if that is more.
        turnaround_us: u64,
    },
}

impl Record<'_> {
    /// Reads a line of a file.
    ///
    /// # Errors
    /// If it is not a record.
    pub fn from_json(line: &[u8]) -> serde_json::Result<Record<'static>> {
        serde_json::from_slice(line)
    }
}

/// Returns whether a file that begins like this has the records of a grid.
pub fn is_grid(beginning: &[u8]) -> bool {
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    matches!(Record::from_json(first), Ok(Record::Run { .. }))
}
