//! What was taken of each site for each replication.

use crate::jobs::{SiteJobs, length, load_of};
use crate::scenario::{GridFields, SiteFields, WorkloadFields};

/// The source of generated jobs.
pub(crate) const MODEL: &str = "Lublin-Feitelson model";

/// The jobs of a site in one replication, counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) workload: String,
    pub(crate) site: String,
    pub(crate) replication: u32,
    /// Where the jobs come from, as [`source`] has it.
    pub(crate) source: String,
    /// For a log, the day after its first job on which the window begins.
    pub(crate) first_day: Option<u64>,
    pub(crate) jobs: usize,
    /// Their work over what the cores of the site can do.
    pub(crate) load: f64,
    /// Jobs without a walltime, which get a drawn one.
    pub(crate) drawn_walltimes: usize,
    /// Jobs that run longer than their walltime, and are killed then.
    pub(crate) killed: usize,
    /// Jobs that are wider than the largest cluster.
    pub(crate) too_wide: usize,
}

/// The log with the site of which it has jobs, or [`MODEL`].
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
