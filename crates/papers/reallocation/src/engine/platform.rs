//! The clusters.

use crate::engine::{Conditions, GridError};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::BatchPolicy;
use std::fmt;

/// How fast the cores of a cluster are, in thousandths of the speed for which the times of jobs are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(u32);

impl Speed {
    /// The speed for which the times of jobs are given.
    pub const ONE: Speed = Speed(1_000);

    /// This many thousandths; `None` for 0.
    pub const fn from_thousandths(thousandths: u32) -> Option<Speed> {
        if thousandths == 0 { None } else { Some(Speed(thousandths)) }
    }
    /// The speed in thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0
    }
    /// How long something takes at this speed, rounded up to whole microseconds.
    #[must_use]
    pub fn time_of(self, span: SimSpan) -> SimSpan {
        if self == Speed::ONE {
            return span;
        }
        let micros = (u128::from(span.micros()) * 1_000).div_ceil(u128::from(self.0));
        SimSpan::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Speed {
    /// As a factor: `1`, `1.2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f64::from(self.0) / 1_000.0).fmt(f)
    }
}

/// One cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSpec {
    /// Its name.
    pub name: String,
    /// Its cores; a job takes one for each of its tasks.
    pub cores: u32,
    /// Their speed.
    pub speed: Speed,
    /// Its policy, if it is not that of the [`Platform`].
    pub local: Option<BatchPolicy>,
    /// What else there is to its nodes.
    pub conditions: Conditions,
}

impl ClusterSpec {
    /// Whether a job is to it no more than a width and a walltime.
    pub fn is_plain(&self) -> bool {
        self.conditions.is_empty()
    }
}

/// The clusters of a grid, and the local policy of those that have none of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    clusters: Vec<ClusterSpec>,
    local: BatchPolicy,
    outages: Vec<Outage>,
}

/// A time in which a cluster does not work.
///
/// When it fails, the jobs that run there are lost and those that wait there leave its queue. At once the meta-scheduler maps all
/// of them, in the order of their arrival, as if they arrived, and where their data have to be is decided again; a job is held
/// while no cluster works on which it may run. A job that ends in the moment of a failure has ended. Afterwards the cluster is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The cluster, as an index.
    pub cluster: usize,
    /// When it fails.
    pub from: SimTime,
    /// The time at which it is repaired.
    pub until: SimTime,
}

impl Platform {
    /// How many clusters there may be.
    pub const MOST_CLUSTERS: usize = 64;

    /// A grid of these clusters; `local` is the policy of those that have none of their own.
    ///
    /// # Errors
    /// Unless there are 1 to 64, each with cores.
    pub fn new(clusters: Vec<ClusterSpec>, local: impl Into<BatchPolicy>) -> Result<Platform, GridError> {
        if clusters.is_empty() || clusters.len() > Platform::MOST_CLUSTERS {
            let (most, found) = (Platform::MOST_CLUSTERS, clusters.len());
            return Err(format!("expected 1 to {most} clusters, found {found}").into());
        }
        match clusters.iter().find(|cluster| cluster.cores == 0) {
            Some(cluster) => Err(format!("cluster `{}` has no cores", cluster.name).into()),
            None => Ok(Platform { clusters, local: local.into(), outages: Vec::new() }),
        }
    }
    /// The same grid with these outages; those of a cluster in the order of time.
    ///
    /// # Errors
    /// If one is of no cluster, ends no later than it begins, or begins before the one before it is over.
    pub fn with_outages(self, outages: Vec<Outage>) -> Result<Platform, GridError> {
        let mut over = vec![None; self.clusters.len()];
        for &Outage { cluster, from, until } in &outages {
            let before = over.get_mut(cluster).filter(|before| before.is_none_or(|before| before < from));
            match before {
                Some(before) if from < until => *before = Some(until),
                _ => {
                    let expected = "expected a cluster of the platform, and outages that follow each other";
                    return Err(
                        format!("outage of cluster {cluster} from {from} to {until} s: {expected}").into()
                    );
                }
            }
        }
        Ok(Platform { outages, ..self })
    }
    /// When which clusters do not work.
    pub fn outages(&self) -> &[Outage] {
        &self.outages
    }
    /// The clusters.
    pub fn clusters(&self) -> &[ClusterSpec] {
        &self.clusters
    }
    /// The policy of the clusters that have none of their own.
    pub const fn local(&self) -> BatchPolicy {
        self.local
    }
    /// The policy of a cluster of this grid.
    pub fn local_of(&self, cluster: &ClusterSpec) -> BatchPolicy {
        cluster.local.unwrap_or(self.local)
    }
    /// The cores of the largest cluster: no job can be wider.
    pub fn widest(&self) -> u32 {
        self.clusters.iter().map(|cluster| cluster.cores).max().unwrap_or(0)
    }
}
