//! Clusters of a grid.

use crate::engine::{Conditions, GridError};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::batch::BatchPolicy;
use std::fmt;

/// Speed of the cores of a cluster, in thousandths of the speed for which the times of jobs are
/// given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Speed(u32);

impl Speed {
    /// Speed for which the times of jobs are given.
    pub const ONE: Speed = Speed(1_000);

    /// Creates a speed from thousandths; `None` for 0.
    pub const fn from_thousandths(thousandths: u32) -> Option<Speed> {
        if thousandths == 0 { None } else { Some(Speed(thousandths)) }
    }
    /// Returns the speed in thousandths.
    #[must_use]
    pub const fn thousandths(self) -> u32 {
        self.0
    }
    /// Returns the time that a span of work takes at this speed, rounded up to whole microseconds.
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
    /// Formats the speed as a factor: `1`, `1.2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f64::from(self.0) / 1_000.0).fmt(f)
    }
}

/// Description of one cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSpec {
    /// Name of the cluster.
    pub name: String,
    /// Number of cores; a job uses one for each of its tasks.
    pub cores: u32,
    /// Speed of the cores.
    pub speed: Speed,
    /// Local policy, if it differs from that of the [`Platform`].
    pub local: Option<BatchPolicy>,
    /// Conditions of its nodes, which are its cores, and of its site. A job that has started on a
    /// cluster stays there even if it waits again because one of its nodes went down or it was
    /// preempted. A job that the cluster loses returns to the meta-scheduler, which maps it like a
    /// new arrival.
    pub conditions: Conditions,
}

impl ClusterSpec {
    /// Returns whether width and walltime describe a job completely, as far as the cluster is
    /// concerned.
    pub fn is_plain(&self) -> bool {
        self.conditions.is_empty()
    }
}

/// Clusters of a grid, and the local policy of those without one of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    clusters: Vec<ClusterSpec>,
    local: BatchPolicy,
    outages: Vec<Outage>,
}

/// Outage of a whole cluster.
///
/// When it fails, the jobs that run there are lost and those that wait there leave its queue. The
/// meta-scheduler immediately maps all of them again, in the order of their arrival, like new
/// arrivals; the location of their data is decided anew. A job remains unassigned while no cluster
/// on which it can run is up. A job that ends exactly at the failure has completed. After the repair
/// the cluster is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Index of the cluster.
    pub cluster: usize,
    /// Time of the failure.
    pub from: SimTime,
    /// Time of the repair.
    pub until: SimTime,
}

impl Platform {
    /// Largest number of clusters.
    pub const MAX_CLUSTERS: usize = 64;

    /// Creates a grid of these clusters; `local` is the policy of those without one of their own.
    ///
    /// # Errors
    /// Unless there are 1 to 64 clusters, each with cores, and with nodes of known power if its policy
    /// chooses nodes by their power.
    pub fn new(clusters: Vec<ClusterSpec>, local: impl Into<BatchPolicy>) -> Result<Platform, GridError> {
        if clusters.is_empty() || clusters.len() > Platform::MAX_CLUSTERS {
            let (most, found) = (Platform::MAX_CLUSTERS, clusters.len());
            return Err(format!("expected 1 to {most} clusters, found {found}").into());
        }
        if let Some(cluster) = clusters.iter().find(|cluster| cluster.cores == 0) {
            return Err(format!("cluster `{}` has no cores", cluster.name).into());
        }
        let platform = Platform { clusters, local: local.into(), outages: Vec::new() };
        let lacks_power = |cluster: &&ClusterSpec| {
            let nodes = cluster.conditions.unequal.as_ref();
            platform.local_of(cluster).place.depends_on_power()
                && nodes.is_none_or(|nodes| nodes.classes.power().is_none())
        };
        match platform.clusters.iter().find(lacks_power) {
            Some(cluster) => Err(format!(
                "cluster `{}`: {} needs the power of nodes; expected a platform with `power` in each class",
                cluster.name,
                platform.local_of(cluster)
            )
            .into()),
            None => Ok(platform),
        }
    }
    /// Sets the outages; those of one cluster must be in the order of time.
    ///
    /// # Errors
    /// If an outage names no existing cluster, does not end after it begins, or overlaps the
    /// previous one of its cluster.
    pub fn with_outages(self, outages: Vec<Outage>) -> Result<Platform, GridError> {
        let mut over = vec![None; self.clusters.len()];
        for &Outage { cluster, from, until } in &outages {
            let before = over.get_mut(cluster).filter(|before| before.is_none_or(|before| before < from));
            match before {
                Some(before) if from < until => *before = Some(until),
                _ => {
                    let expected =
                        "expected an existing cluster, and outages in order of time that do not overlap";
                    return Err(
                        format!("outage of cluster {cluster} from {from} to {until} s: {expected}").into()
                    );
                }
            }
        }
        Ok(Platform { outages, ..self })
    }
    /// Returns the outages.
    pub fn outages(&self) -> &[Outage] {
        &self.outages
    }
    /// Returns the clusters.
    pub fn clusters(&self) -> &[ClusterSpec] {
        &self.clusters
    }
    /// Returns the policy of the clusters without one of their own.
    pub const fn local(&self) -> BatchPolicy {
        self.local
    }
    /// Returns the policy of a cluster of this grid.
    pub fn local_of(&self, cluster: &ClusterSpec) -> BatchPolicy {
        cluster.local.unwrap_or(self.local)
    }
    /// Returns the number of cores of the largest cluster, which bounds the size of jobs.
    pub fn widest(&self) -> u32 {
        self.clusters.iter().map(|cluster| cluster.cores).max().unwrap_or(0)
    }
}
