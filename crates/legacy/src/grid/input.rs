//! The jobs of a workload.

use super::scenario::{Jobs, Scenario, Workload};
use crate::key::Digest;
use dfrsim_cluster::EstimateModel;
use dfrsim_grid::{GridJob, month};
use dfrsim_model::{Job, Seed, Share, SimSpan, SimTime};
use dfrsim_workload::prepare::{self, Options, Rule, Rules};
use dfrsim_workload::traces;
use std::fs::File;
use std::path::Path;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// How long so many days are.
pub(super) fn length(days: &[u32]) -> SimSpan {
    SimSpan::from_secs(days.iter().map(|&days| u64::from(days)).sum::<u64>() * DAY)
}

/// The first months of a log; run times of zero count as one second. A message if it cannot be used.
pub(super) fn read_log(file: &str, folder: Option<&Path>, days: &[u32]) -> Result<Jobs, String> {
    let here = traces::locate(file);
    let path = match (here, folder) {
        (Err(_), Some(folder)) => traces::locate_from(folder, file),
        (found, _) => found,
    };
    let path = path.map_err(|error| error.to_string())?;
    let digest = File::open(&path).and_then(Digest::of_file).map_err(|error| format!("{file}: {error}"))?;
    let options =
        Options { rules: Rules { zero_run: Rule::Clamp, ..Rules::default() }, ..Options::default() };
    let (jobs, _) = prepare::read_jobs(&path, &options).map_err(|error| error.to_string())?;
    let Some(first) = jobs.first().map(|job| job.submit) else { return Err(format!("{file} has no jobs")) };
    let end = first.saturating_add(length(days));
    let within = jobs.iter().take_while(|job| job.submit < end);
    let jobs = within.map(|job| GridJob {
        id: job.id,
        submit: SimTime::ZERO + job.submit.since(first),
        width: job.tasks,
        run: job.run_time,
        walltime: job.requested_time.unwrap_or(SimSpan::ZERO),
    });
    Ok(Jobs::Log { file: file.to_owned(), digest, jobs: jobs.collect() })
}

/// The jobs of all sites of a workload, drawn with the seed of this number.
///
/// Times of a site are those of its own cluster at speed 1: a heterogeneous platform runs the same jobs.
pub(super) fn jobs(scenario: &Scenario, workload: &Workload, number: u32) -> Vec<GridJob> {
    let seed = Seed::new(scenario.seed).fork("grid").numbered(number.into()).fork(&workload.name);
    let mut jobs = Vec::new();
    for site in &workload.sites {
        let seed = seed.fork(&scenario.clusters[site.cluster].name);
        match &site.jobs {
            Jobs::Log { jobs: of_log, .. } => jobs.extend(of_log.iter().copied()),
            Jobs::Months(months) => {
                let mut begin = SimTime::ZERO;
                for (place, month) in (0..).zip(months) {
                    let of_month = month.jobs(seed.numbered(place)).into_iter();
                    jobs.extend(of_month.map(|job| GridJob {
                        id: dfrsim_model::JobId(0),
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
        job.walltime = walltime(scenario.walltimes, job, seed);
    }
    jobs
}

fn walltime(model: EstimateModel, job: &GridJob, seed: Seed) -> SimSpan {
    let job = Job {
        id: job.id,
        submit: job.submit,
        tasks: job.width,
        need: Share::ONE,
        memory: Share::ZERO,
        run_time: job.run,
        requested_time: None,
    };
    model.estimate(&job, seed).unwrap_or(job.run_time)
}
