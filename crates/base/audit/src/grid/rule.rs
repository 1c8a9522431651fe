//! The rules for the records of a grid, besides those for every record.

use dfrsim_model::{SimSpan, SimTime};

/// A rule of grids as it was broken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridRule {
    /// Clusters exist.
    #[error("cluster {cluster} does not exist; there are {clusters} clusters")]
    NoSuchCluster {
        /// The cluster.
        cluster: u32,
        /// How many there are.
        clusters: usize,
    },
    /// What happens on a cluster is right there.
    #[error("on cluster {cluster}, where jobs count from 0: {rule}")]
    OnCluster {
        /// The cluster.
        cluster: usize,
        /// The rule that is broken, in words.
        rule: String,
    },
    /// Clusters have cores and a speed.
    #[error("cluster {cluster} has no cores or no speed")]
    EmptyCluster {
        /// The cluster.
        cluster: usize,
    },
    /// A job only waits where it fits.
    #[error("its {width} cores are more than the {cores} of cluster {cluster}")]
    TooWide {
        /// The width of the job.
        width: u32,
        /// The cluster.
        cluster: u32,
        /// Its cores.
        cores: u32,
    },
    /// A job is left out only if it fits nowhere.
    #[error("it is left out, although it would fit")]
    WouldFit,
    /// A job is once in a queue.
    #[error("it is already in the queue of cluster {cluster}")]
    InQueue {
        /// The cluster.
        cluster: u32,
    },
    /// A job is in no more queues than it may.
    #[error("it is in more than {copies} queues")]
    Copies {
        /// In how many it may be.
        copies: u32,
    },
    /// A job that leaves a queue was in it.
    #[error("it is not in the queue of cluster {cluster}")]
    NotInQueue {
        /// The cluster.
        cluster: u32,
    },
    /// A job runs once.
    #[error("it has already started on cluster {cluster}")]
    Started {
        /// The cluster.
        cluster: u32,
    },
    /// A job that ends has run there.
    #[error("it does not run on cluster {cluster}")]
    NotRunning {
        /// The cluster.
        cluster: u32,
    },
    /// A job ends when it was expected to at the latest.
    #[error("it was promised to end at {promised} s at the latest")]
    Promise {
        /// When.
        promised: SimTime,
    },
    /// Some policies keep what they promise, and others do not.
    #[error("`promises` is wrong: the policy {} promised end times", if *.keeps { "guarantees" } else { "does not guarantee" })]
    Promises {
        /// Whether the policy does.
        keeps: bool,
    },
    /// What is expected of a job that joins a queue follows from the queue and the walltimes.
    #[error("it is expected to end at {planned} s by the plan of the policy")]
    Expected {
        /// When.
        planned: SimTime,
    },
    /// No job ends before its walltime by any plan.
    #[error("it cannot be expected to end before {least} s, which is its walltime from now")]
    ExpectedTooEarly {
        /// The earliest moment.
        least: SimTime,
    },
    /// A job moves to gain time.
    #[error("it moves, although it is not expected to end more than {threshold} s earlier")]
    Gain {
        /// The threshold.
        threshold: SimSpan,
    },
    /// A local job joins the queue of its own cluster, and stays there.
    #[error("it is a local job of cluster {home}, but is submitted elsewhere or again")]
    Local {
        /// Its cluster.
        home: u32,
    },
    /// Clusters fail when they work, and are repaired when they do not.
    #[error("cluster {cluster} {}", if *.failed { "has already failed" } else { "is already working" })]
    Again {
        /// The cluster.
        cluster: u32,
        /// Whether it does not work.
        failed: bool,
    },
    /// Jobs are submitted to clusters that work.
    #[error("cluster {cluster} has failed")]
    Failed {
        /// The cluster.
        cluster: u32,
    },
    /// Only jobs on clusters that fail are lost.
    #[error("it is lost, but cluster {cluster} works")]
    Lost {
        /// The cluster.
        cluster: u32,
    },
    /// All jobs leave a cluster that fails.
    #[error("it is still on cluster {cluster}, which has failed")]
    Remains {
        /// The cluster.
        cluster: usize,
    },
    /// What the meta-scheduler expects follows from what was published.
    #[error("the meta-scheduler expects {}; by the published state it is {known} s", moment(.found))]
    Known {
        /// The expected end; `None` if the file does not say.
        found: Option<SimTime>,
        /// The right end.
        known: SimTime,
    },
    /// A meta-scheduler that always asks has no other expectations.
    #[error("the meta-scheduler always asks, so it must expect the same end as the cluster")]
    Asks,
    /// States are published in every period, if at all.
    #[error("clusters publish their states {}", publication(.due))]
    Publication {
        /// When the next time would have been; `None` if there is none in this run.
        due: Option<SimTime>,
    },
    /// A job that has arrived is always somewhere.
    #[error("it has not been in any queue since {since} s")]
    Nowhere {
        /// Since when.
        since: SimTime,
    },
    /// A job that has started waits nowhere else.
    #[error("it has started, but is still in {queues} queues")]
    StillWaiting {
        /// In how many.
        queues: usize,
    },
    /// The summary has the figures of the records.
    #[error("summary: `{figure}` is {found}, the records say {expected}")]
    Summary {
        /// The field.
        figure: &'static str,
        /// The value in the summary.
        found: u128,
        /// The value by the records.
        expected: u128,
    },
}

fn moment(time: &Option<SimTime>) -> String {
    time.map_or("no end".to_owned(), |time| format!("an end at {time} s"))
}

fn publication(time: &Option<SimTime>) -> String {
    time.map_or("at no time in this run".to_owned(), |time| format!("at {time} s, not before"))
}
