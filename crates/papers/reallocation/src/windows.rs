//! Windows of the logs, or generated jobs, of each site for each replication.

use crate::jobs::{SiteJobs, length, load_of};
use crate::scenario::{GridFields, SiteFields, WorkloadFields};

/// Source name of generated jobs.
pub(crate) const MODEL: &str = "Lublin-Feitelson model";

/// Statistics of the jobs of a site in one replication.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) workload: String,
    pub(crate) site: String,
    pub(crate) replication: u32,
    /// Source of the jobs, as returned by [`source`].
    pub(crate) source: String,
    /// First day of the window, in days after the first job of the log; `None` without a log.
    pub(crate) first_day: Option<u64>,
    pub(crate) jobs: usize,
    /// Work of the jobs relative to the capacity of the site's cores.
    pub(crate) load: f64,
    /// Number of jobs without a walltime, which get a random one.
    pub(crate) drawn_walltimes: usize,
    /// Number of jobs that run longer than their walltime and are killed then.
    pub(crate) killed: usize,
    /// Number of jobs that are larger than the largest cluster.
    pub(crate) too_wide: usize,
}

/// Returns the log's file name, with the origin of its jobs if one is selected, or [`MODEL`].
fn source(SiteFields { log, reading, .. }: &SiteFields) -> String {
    match (log, &reading.origin) {
        (None, _) => MODEL.to_owned(),
        (Some(log), None) => log.given.clone(),
        (Some(log), Some(origin)) => format!("{} ({origin})", log.given),
    }
}

impl Window {
    pub(crate) fn new(
        grid: &GridFields,
        workload: &WorkloadFields,
        site: &SiteFields,
        replication: u32,
        widest: u32,
        SiteJobs { first_day, jobs, drawn_walltimes }: &SiteJobs,
    ) -> Window {
        let cores = grid.cluster(&site.cluster).map_or(0, |cluster| cluster.cores);
        Window {
            workload: workload.name.clone(),
            site: site.cluster.clone(),
            replication,
            source: source(site),
            first_day: *first_day,
            jobs: jobs.len(),
            load: load_of(jobs, cores, length(&workload.days)),
            drawn_walltimes: *drawn_walltimes,
            killed: jobs.iter().filter(|job| !job.walltime.is_zero() && job.run > job.walltime).count(),
            too_wide: jobs.iter().filter(|job| job.width > widest).count(),
        }
    }
}
