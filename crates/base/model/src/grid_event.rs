//! Records of an events file of a grid of several clusters: one JSON object per line, sufficient to
//! check the run from scratch.
//!
//! The first line is a [`Record::Run`] and the last one a [`Record::Summary`]; the events between
//! them are in the order in which they occurred. Times are in microseconds (`_us`). Jobs are
//! numbered from 0 in the order of their arrival, clusters in the order of the first record.

use crate::event::{self, Placement};
use crate::numbers::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the format; readers reject all others.
pub const FORMAT_VERSION: u32 = 3;

/// Cluster of the grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Number of cores.
    pub cores: u32,
    /// Speed in thousandths of the reference speed, for which run times are given.
    pub speed: u32,
    /// Local policy, if it differs from that of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
}

/// Attributes of a job that only some clusters use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traits {
    /// CPU need of a task, in share units.
    pub cpu_need: u32,
    /// Memory of a task, in share units.
    pub memory: u32,
    /// Number of the user, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// Number of the user's group, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Number of the queue of the submission in the log, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Number of the partition in the log, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
}

/// One line of the events file of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record<'a> {
    /// Simulated setting.
    Run {
        /// Version of the format.
        #[schemars(extend("const" = FORMAT_VERSION))]
        format: u32,
        /// Local policy of the clusters without a policy of their own.
        local: Cow<'a, str>,
        /// True if a job never completes later than predicted when it was submitted to a cluster
        /// with this policy.
        promises: bool,
        /// Maximum number of clusters to which a job is submitted at the same time.
        copies: u32,
        /// Minimum gain in completion time, in microseconds, that a move of a waiting job must
        /// exceed; absent if moves need no gain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold_us: Option<u64>,
        /// Additional run time, in microseconds, of a job outside of the cluster of its first
        /// submission, for the transfer of its data.
        #[serde(default, skip_serializing_if = "is_default")]
        transfer_us: u64,
        /// Additional run time per core, in microseconds, on top of `transfer_us`.
        #[serde(default, skip_serializing_if = "is_default")]
        transfer_per_core_us: u64,
        /// Time between publications of the clusters' states, in microseconds; absent if the
        /// meta-scheduler knows the current states.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        publication_us: Option<u64>,
        /// Clusters of the grid.
        clusters: Cow<'a, [Cluster]>,
    },
    /// Arrival of a job at the meta-scheduler.
    Arrive {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job in the order of arrival.
        job: u64,
        /// Number of the job in its log.
        id: u64,
        /// Number of cores.
        width: u32,
        /// Run time at speed 1, in microseconds.
        run_us: u64,
        /// Time limit at speed 1, in microseconds; a job that exceeds it is killed.
        walltime_us: u64,
        /// Cluster to which the job is submitted without the meta-scheduler; the job stays there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        home: Option<u32>,
        /// Attributes that only some clusters use. They are absent for a job of an unknown user that
        /// fully uses its cores and no memory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traits: Option<Traits>,
    },
    /// Rejection of a job that fits on no cluster.
    Skip {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
    },
    /// Submission of a job to the queue of a cluster.
    Submit {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
        /// Index of the cluster.
        cluster: u32,
        /// Latest expected completion time on that cluster, in microseconds.
        expected_us: u64,
        /// Completion time that the meta-scheduler expects, in microseconds, if it only knows
        /// published states.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        known_us: Option<u64>,
        /// True if the cluster has already decided on the earlier events of this time.
        #[serde(default, skip_serializing_if = "is_default")]
        decided: bool,
    },
    /// Cancellation of a waiting job on a cluster.
    Cancel {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
        /// Index of the cluster.
        cluster: u32,
        /// Expected completion time on that cluster, in microseconds, if it was queried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected_us: Option<u64>,
        /// True if the cluster has already decided on the earlier events of this time.
        #[serde(default, skip_serializing_if = "is_default")]
        decided: bool,
    },
    /// Start of a job, or its restart after a node failure.
    Start {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
        /// Index of the cluster.
        cluster: u32,
        /// Allocation of the job: nodes of the cluster, and the number of tasks on each.
        on: Placement<'a>,
        /// Number of the speed level; absent at full speed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<u32>,
    },
    /// End of a job, completed or killed.
    Complete {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
        /// Index of the cluster.
        cluster: u32,
    },
    /// Failure of a cluster.
    Fail {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Index of the cluster.
        cluster: u32,
    },
    /// Loss of a job that ran on a failed cluster.
    Lose {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Number of the job.
        job: u64,
        /// Index of the cluster.
        cluster: u32,
    },
    /// Repair of a cluster.
    Repair {
        /// Time of the event, in microseconds.
        at_us: u64,
        /// Index of the cluster.
        cluster: u32,
    },
    /// Further event or setting of one cluster, as a record of a single cluster ([`crate::event`]).
    /// Jobs are numbered in the order of their submission to this cluster. Records of settings
    /// follow the first record of the file.
    Local {
        /// Index of the cluster.
        cluster: u32,
        /// Record of the cluster.
        record: Box<event::Record<'a>>,
    },
    /// Publication of the states of all clusters.
    Publish {
        /// Time of the event, in microseconds.
        at_us: u64,
    },
    /// Figures of the whole run from the simulator; the audit recomputes them.
    Summary {
        /// Number of jobs that ended.
        completed: u64,
        /// Number of jobs that fit on no cluster.
        skipped: u64,
        /// Number of submissions to a different cluster than the one on which the job waited or was
        /// lost before.
        moves: u64,
        /// Number of cancellations of waiting jobs.
        cancellations: u64,
        /// Sum of the turnaround times in microseconds, saturating at 2^64 - 1.
        turnaround_us: u64,
    },
}

impl Record<'_> {
    /// Parses a line of an events file.
    ///
    /// # Errors
    ///
    /// Returns an error if the line is not a record.
    pub fn from_json(line: &[u8]) -> serde_json::Result<Record<'static>> {
        event::check_texts(line)?;
        serde_json::from_slice(line)
    }
}

/// Returns whether a file with this beginning has the records of a grid.
pub fn is_grid(beginning: &[u8]) -> bool {
    let first = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default();
    matches!(Record::from_json(first), Ok(Record::Run { .. }))
}
