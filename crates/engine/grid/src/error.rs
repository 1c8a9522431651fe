//! What cannot be simulated.

use dfrsim_cluster::SimulationError;
use dfrsim_model::{JobId, SimTime};

/// Why a grid cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The number of clusters.
    #[error("expected 1 to {most} clusters, found {found}")]
    Clusters {
        /// How many there are.
        found: usize,
        /// The most that are possible.
        most: usize,
    },
    /// A cluster without cores.
    #[error("cluster `{cluster}` has no cores")]
    NoCores {
        /// The cluster.
        cluster: String,
    },
    /// A job fits on no cluster, and such jobs are not to be skipped.
    #[error("job {job} needs {width} cores, but the largest cluster has {widest}")]
    TooWide {
        /// The job.
        job: JobId,
        /// Its width.
        width: u32,
        /// The cores of the largest cluster.
        widest: u32,
    },
    /// A local job is wider than its cluster, and such jobs are not to be skipped, or the cluster does not exist.
    #[error("local job {job} needs {width} cores, but its cluster has {cores}")]
    TooWideAtHome {
        /// The job.
        job: JobId,
        /// Its width.
        width: u32,
        /// The cores of its cluster; 0 if there is no such cluster.
        cores: u32,
    },
    /// A job asks for what no cluster has, and such jobs are not to be skipped.
    #[error("job {job} asks for what no cluster has or gives it")]
    FitsNowhere {
        /// The job.
        job: JobId,
    },
    /// A cluster cannot be simulated.
    #[error("cluster `{cluster}`: {error}")]
    Cluster {
        /// The cluster.
        cluster: String,
        /// Why.
        error: SimulationError,
    },
    /// A job without cores, run time or walltime.
    #[error("job {job} has no cores, no run time or no walltime")]
    Empty {
        /// The job.
        job: JobId,
    },
    /// Jobs are not in order.
    #[error("job {job} is out of order: expected jobs by time of submission, then by id")]
    Unsorted {
        /// The first job that is out of order.
        job: JobId,
    },
    /// Jobs that wait in several queues cannot be moved.
    #[error("jobs that are submitted to several clusters cannot also be reallocated")]
    CopiesAndReallocation,
    /// Where the data of a job are that waits in several queues is not known.
    #[error("the data of jobs that are submitted to several clusters cannot be transferred")]
    CopiesAndTransfer,
    /// A period of zero seconds is not possible.
    #[error("the periods of reallocation and of publication must be longer than zero")]
    NoPeriod,
    /// An outage of no cluster, one that ends no later than it begins, or one that begins before the one before it is over.
    #[error(
        "outage of cluster {cluster} from {from} to {until} s: expected a cluster of the platform, and outages that follow each other"
    )]
    Outage {
        /// The cluster, as an index.
        cluster: usize,
        /// When it would fail.
        from: SimTime,
        /// When it would work again.
        until: SimTime,
    },
}
