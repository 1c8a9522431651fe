//! The jobs of a workload.

use crate::scenario::{GridFields, Source, WorkloadFields};
use dfrsim_cluster::EstimateModel;
use dfrsim_grid::month::Month;
use dfrsim_grid::{GridJob, month};
use dfrsim_lab::fields::LocatedFile;
use dfrsim_lab::{Digest, Input, RunError};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use dfrsim_workload::prepare::{self, Options, Rule, Rules};
use std::fs::File;
use std::num::NonZeroU32;

const DAY_S: u64 = 86_400;

/// The jobs of a site.
#[derive(Clone, Debug)]
pub(crate) enum SiteJobs {
    /// To be drawn, for one month after the other.
    Months(Vec<Month>),
    /// Those of a log, the first one at time 0; walltimes that the log does not have are zero.
    Log(Vec<GridJob>),
}

/// The length of all months together.
pub(crate) fn length(days: &[u32]) -> SimSpan {
    SimSpan::from_secs(days.iter().map(|&days| u64::from(days)).sum::<u64>() * DAY_S)
}

/// The jobs of each site of a workload; the logs that were read are added to the inputs.
///
/// # Errors
/// If a log cannot be used, or has a job that fits on no cluster of the workload and is not to be left out.
pub(crate) fn open(
    grid: &GridFields,
    workload: &WorkloadFields,
    inputs: &mut Vec<Input>,
) -> Result<Vec<SiteJobs>, RunError> {
    let cores = |cluster: &str| grid.cluster(cluster).map_or(0, |cluster| cluster.cores);
    let widest = workload.sites.iter().map(|site| cores(&site.cluster)).max().unwrap_or(0);
    let mut sites = Vec::new();
    for site in &workload.sites {
        sites.push(match &site.source {
            Source::Months(jobs) => {
                let cores = NonZeroU32::new(cores(&site.cluster)).unwrap_or(NonZeroU32::MIN);
                let month = |(&jobs, &days): (&usize, &u32)| Month {
                    cores,
                    jobs,
                    length: length(&[days]),
                    most_load: grid.jobs.max_load,
                };
                SiteJobs::Months(jobs.iter().zip(&workload.days).map(month).collect())
            }
            Source::Log(file) => {
                let (jobs, input) = read_log(file, &workload.days)?;
                if !inputs.contains(&input) {
                    inputs.push(input);
                }
                let too_wide = jobs.iter().find(|job| job.width > widest);
                if let Some(GridJob { id, width, .. }) = too_wide.filter(|_| !grid.jobs.skip_too_wide) {
                    return Err(RunError::input(format!(
                        "{}: job {id} needs {width} cores, and the largest cluster has {widest}; \
                         `jobs.too_wide = \"skip\"` leaves such jobs out and counts them",
                        file.given
                    )));
                }
                SiteJobs::Log(jobs)
            }
        });
    }
    Ok(sites)
}

/// The first months of a log; run times of zero count as one second.
fn read_log(file: &LocatedFile, days: &[u32]) -> Result<(Vec<GridJob>, Input), RunError> {
    let digest = File::open(&file.path).and_then(Digest::from_reader);
    let digest = digest.map_err(|error| RunError::io(&file.path, error))?;
    let rules = Rules { zero_run: Rule::Clamp, ..Rules::default() };
    let options = Options { rules, ..Options::default() };
    let (jobs, report) = prepare::read_jobs(&file.path, &options).map_err(RunError::input)?;
    let first = jobs.first().map(|job| job.submit);
    let first = first.ok_or_else(|| RunError::input(format!("{} has no jobs", file.given)))?;
    let end = first.saturating_add(length(days));
    let within = jobs.iter().take_while(|job| job.submit < end);
    let jobs: Vec<GridJob> = within
        .map(|job| GridJob {
            id: job.id,
            submit: SimTime::ZERO + job.submit.since(first),
            width: job.tasks,
            run: job.run_time,
            walltime: job.requested_time.unwrap_or(SimSpan::ZERO),
        })
        .collect();
    let count = |is_one: fn(&GridJob) -> bool| jobs.iter().filter(|job| is_one(job)).count() as u64;
    let without_walltime = count(|job| job.walltime.is_zero());
    let killed = count(|job| !job.walltime.is_zero() && job.run > job.walltime);
    let total_days = days.iter().sum::<u32>();
    let input = Input {
        file: file.given.clone(),
        digest,
        report: vec![
            report.to_string(),
            format!(
                "{} jobs in the first {total_days} days; without a walltime: {without_walltime}; killed at their \
                 walltime: {killed}",
                jobs.len()
            ),
        ],
        counts: vec![
            ("records".to_owned(), report.counts.records),
            ("jobs".to_owned(), jobs.len() as u64),
            ("without_walltime".to_owned(), without_walltime),
            ("killed".to_owned(), killed),
        ],
    };
    Ok((jobs, input))
}

/// The jobs of all sites of a workload in one order.
///
/// Times of a site are those of its own cluster at speed 1: a heterogeneous platform runs the same jobs.
pub(crate) fn draw(
    grid: &GridFields,
    workload: &WorkloadFields,
    sites: &[SiteJobs],
    seed: Seed,
) -> Vec<GridJob> {
    let seed = seed.fork(&workload.name);
    let mut jobs = Vec::new();
    for (site, of_site) in workload.sites.iter().zip(sites) {
        match of_site {
            SiteJobs::Log(of_log) => jobs.extend(of_log.iter().copied()),
            SiteJobs::Months(months) => {
                let seed = seed.fork(&site.cluster);
                let mut begin = SimTime::ZERO;
                for (place, month) in (0..).zip(months) {
                    jobs.extend(month.jobs(seed.numbered(place)).into_iter().map(|job| GridJob {
                        id: JobId(0),
                        submit: begin + job.submit,
                        width: job.width,
                        run: job.run,
                        walltime: SimSpan::ZERO,
                    }));
                    begin = begin + month.length;
                }
            }
        }
    }
    let mut jobs = month::merge(jobs);
    for job in jobs.iter_mut().filter(|job| job.walltime.is_zero()) {
        job.walltime = walltime(grid.jobs.walltimes, job, seed);
    }
    jobs
}

fn walltime(model: EstimateModel, job: &GridJob, seed: Seed) -> SimSpan {
    let job = Job {
        id: job.id,
        submit: job.submit,
        tasks: job.width,
        cpu_need: Share::ONE,
        memory: Share::ZERO,
        run_time: job.run,
        requested_time: None,
    };
    model.estimate(&job, seed).unwrap_or(job.run_time)
}
