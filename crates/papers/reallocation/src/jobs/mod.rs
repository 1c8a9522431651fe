//! Jobs of a workload.

mod bursts;
mod log;
mod shape;

use crate::engine::month::Month;
use crate::engine::{GridJob, JobTraits, month};
use crate::scenario::{GridFields, JobFields, SiteFields, WorkloadFields};
use dfrsim_cluster::EstimateModel;
use dfrsim_lab::fields::LocatedFile;
use dfrsim_lab::{Input, RunError};
use dfrsim_model::{Job, JobId, Seed, Share, SimSpan, SimTime};
use log::Log;
use std::num::NonZeroU32;
use std::sync::Arc;

const DAY_S: u64 = 86_400;

/// Logs of a scenario, each read once for each set of reading options.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    read: Vec<(LocatedFile, SiteFields, Arc<Log>)>,
    inputs: Vec<Input>,
}

impl Logs {
    /// Opens the log of a site, if it has one.
    ///
    /// # Errors
    /// If it cannot be used.
    fn open_for_site(&mut self, site: &SiteFields) -> Result<Option<Arc<Log>>, RunError> {
        let Some(file) = &site.log else { return Ok(None) };
        let known = self.read.iter().find(|(known, as_site, _)| {
            (&known.path, &as_site.reading, as_site.keeps_special)
                == (&file.path, &site.reading, site.keeps_special)
        });
        let log = match known {
            Some((_, _, log)) => Arc::clone(log),
            None => {
                let (log, input) = Log::read(file, site)?;
                if !self.inputs.contains(&input) {
                    self.inputs.push(input);
                }
                let log = Arc::new(log);
                self.read.push((file.clone(), site.clone(), Arc::clone(&log)));
                log
            }
        };
        log.check(site)?;
        Ok(Some(log))
    }
    /// Returns the records of the files that were read.
    pub(crate) fn into_inputs(self) -> Vec<Input> {
        self.inputs
    }
}

/// Returns the total length of all months.
pub(crate) fn length(days: &[u32]) -> SimSpan {
    SimSpan::from_secs(days.iter().map(|&days| u64::from(days)).sum::<u64>() * DAY_S)
}

/// A workload with its logs.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    fields: WorkloadFields,
    /// Number of cores of each site's cluster.
    cores: Vec<NonZeroU32>,
    logs: Vec<Option<Arc<Log>>>,
    shape: JobFields,
}

/// Jobs of a site in one replication.
#[derive(Clone, Debug)]
pub(crate) struct SiteJobs {
    /// First day of the window, in days after the first job of the log; `None` without a log.
    pub(crate) first_day: Option<u64>,
    /// The jobs; walltimes that are missing in the log are zero.
    pub(crate) jobs: Vec<GridJob>,
    /// Number of walltimes that are missing in the log.
    pub(crate) drawn_walltimes: usize,
}

impl Workload {
    /// Reads the logs of a workload.
    ///
    /// # Errors
    /// If a log cannot be used, or if one of its windows has a job that fits on no cluster of the
    /// workload, and such jobs are not to be left out.
    pub(crate) fn open(
        grid: &GridFields,
        fields: &WorkloadFields,
        logs: &mut Logs,
    ) -> Result<Workload, RunError> {
        let cores = |site: &SiteFields| grid.cluster(&site.cluster).map_or(0, |cluster| cluster.cores);
        let cores = |site: &SiteFields| NonZeroU32::new(cores(site)).unwrap_or(NonZeroU32::MIN);
        let mut log = |site: &SiteFields| -> Result<Option<Arc<Log>>, RunError> {
            let (Some(log), Some(day)) = (logs.open_for_site(site)?, fields.from) else {
                return logs.open_for_site(site);
            };
            let log = log.starting_on(day)?;
            log.check(site)?;
            Ok(Some(Arc::new(log)))
        };
        let workload = Workload {
            fields: fields.clone(),
            cores: fields.sites.iter().map(cores).collect(),
            logs: fields.sites.iter().map(&mut log).collect::<Result<_, _>>()?,
            shape: grid.jobs.clone(),
        };
        for replication in (0..grid.replications).filter(|_| !grid.jobs.skip_too_wide) {
            workload.check_widths(replication)?;
        }
        Ok(workload)
    }

    /// Returns the number of cores of the largest cluster.
    pub(crate) fn largest_cluster(&self) -> u32 {
        self.cores.iter().map(|cores| cores.get()).max().unwrap_or(0)
    }

    /// Returns the name of a user of a site; the number if the log has no names.
    pub(crate) fn user(&self, site: usize, number: u32) -> String {
        let log = self.logs.get(site).and_then(Option::as_ref);
        log.map_or_else(|| number.to_string(), |log| log.user(number))
    }

    fn check_widths(&self, replication: u32) -> Result<(), RunError> {
        let widest = self.largest_cluster();
        for (site, log) in self.fields.sites.iter().zip(&self.logs) {
            let Some((log, file)) = log.as_ref().zip(site.log.as_ref()) else { continue };
            let (_, months) = log.months(site, &self.fields.days, replication);
            if let Some(GridJob { id, width, .. }) = months.iter().flatten().find(|job| job.width > widest) {
                return Err(RunError::input(format!(
                    "{}: job {id} needs {width} cores, and the largest cluster has {widest}; \
                     `jobs.too_wide = \"skip\"` leaves such jobs out and counts them",
                    file.given
                )));
            }
        }
        Ok(())
    }

    /// Returns the jobs of each site, with times counted from the beginning of the workload.
    pub(crate) fn sites(&self, replication: u32, seed: Seed) -> Vec<SiteJobs> {
        let seed = seed.fork(&self.fields.name);
        (0..self.fields.sites.len()).map(|site| self.site(site, replication, seed)).collect()
    }

    fn site(&self, at: usize, replication: u32, seed: Seed) -> SiteJobs {
        let (site, cores, days) = (&self.fields.sites[at], self.cores[at], &self.fields.days);
        let seed = seed.fork(&site.cluster);
        let (first_day, months) = match (&self.logs[at], &site.jobs) {
            (Some(log), _) => {
                let (first_day, months) = log.months(site, days, replication);
                (Some(first_day), months)
            }
            (None, counts) => {
                let model_cores = self.shape.model_cores.and_then(NonZeroU32::new);
                let month = |(place, (&jobs, &days)): (u64, (&usize, &u32))| {
                    if let Some(of_bursts) = &self.shape.bursts {
                        return bursts::month(of_bursts, jobs, cores, length(&[days]), seed.numbered(place));
                    }
                    let most_load = self.shape.max_load;
                    let month =
                        Month { cores, model_cores, jobs, length: length(&[days]), max_load: most_load };
                    generated(&month, seed.numbered(place))
                };
                let counts = counts.iter().flatten();
                (None, (0..).zip(counts.zip(days)).map(month).collect())
            }
        };
        let mut begin = SimTime::ZERO;
        let mut jobs = Vec::new();
        let mut drawn_walltimes = 0;
        for (month, (mut of_month, &days)) in months.into_iter().zip(days).enumerate() {
            let JobFields { walltimes, bag_size, failing, local_jobs, .. } = self.shape;
            if self.shape.draw_all_walltimes {
                of_month.iter_mut().for_each(|job| job.walltime = SimSpan::ZERO);
            }
            let seed = seed.numbered(month as u64);
            drawn_walltimes += of_month.iter().filter(|job| job.walltime.is_zero()).count();
            shape::make_failing(&mut of_month, failing, seed, |job| walltime(walltimes, job, seed));
            shape::into_bags(&mut of_month, bag_size, seed);
            shape::make_local(&mut of_month, local_jobs, (at as u32, cores.get()), seed);
            let loads = site.load.as_deref().unwrap_or_default();
            if let Some(load) = loads.get(month).or(loads.first()).copied().or(self.shape.load) {
                scale_to_load(&mut of_month, load, cores, length(&[days]));
            }
            if let (Some(of_bursts), None) = (&self.shape.bursts, &self.logs[at]) {
                drawn_walltimes -= bursts::set_default_walltimes(&mut of_month, of_bursts);
            }
            jobs.extend(of_month.into_iter().map(|job| {
                let submit = begin + job.submit.since(SimTime::ZERO);
                let home = job.home.map(|home| if home == log::HERE { at as u32 } else { home });
                GridJob { submit, home, site: Some(at as u32), ..job }
            }));
            begin = begin + length(&[days]);
        }
        SiteJobs { first_day, jobs, drawn_walltimes }
    }

    /// Returns the jobs of all sites in one order, all with walltimes.
    ///
    /// Times of a site are those of its own cluster at speed 1: a heterogeneous platform runs the
    /// same jobs.
    pub(crate) fn jobs(&self, replication: u32, seed: Seed) -> Vec<GridJob> {
        let sites = self.sites(replication, seed);
        let mut jobs = month::merge(sites.into_iter().flat_map(|site| site.jobs).collect());
        let seed = seed.fork(&self.fields.name);
        for job in jobs.iter_mut().filter(|job| job.walltime.is_zero()) {
            job.walltime = walltime(self.shape.walltimes, job, seed);
        }
        jobs
    }
}

fn generated(month: &Month, seed: Seed) -> Vec<GridJob> {
    let job = |job: month::MonthJob| GridJob {
        id: JobId(0),
        submit: SimTime::ZERO + job.submit,
        width: job.width,
        run: job.run,
        walltime: SimSpan::ZERO,
        home: None,
        site: None,
        traits: JobTraits::default(),
    };
    month.jobs(seed).into_iter().map(job).collect()
}

/// Multiplies run times and walltimes by one factor, so that the work of the jobs is the fraction
/// `load` of the capacity of the cores.
fn scale_to_load(jobs: &mut [GridJob], load: f64, cores: NonZeroU32, length: SimSpan) {
    let found = load_of(jobs, cores.get(), length);
    if found > 0.0 {
        for job in jobs {
            job.run = job.run.scaled(load / found).max(SimSpan::from_micros(1));
            if !job.walltime.is_zero() {
                job.walltime = job.walltime.scaled(load / found).max(SimSpan::from_micros(1));
            }
        }
    }
}

/// Computes the work of jobs at speed 1 relative to the capacity of the cores.
pub(crate) fn load_of(jobs: &[GridJob], cores: u32, length: SimSpan) -> f64 {
    let work: f64 = jobs.iter().map(|job| f64::from(job.width) * job.run.as_secs_f64()).sum();
    work / (f64::from(cores) * length.as_secs_f64())
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
        user: None,
        origin: dfrsim_model::Origin::UNKNOWN,
    };
    model.estimate(&job, seed).unwrap_or(job.run_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that two jobs of 2 cores for 100 s and 4 cores for 50 s, on 8 cores in 100 s, are half
    /// of the capacity.
    #[test]
    fn one_factor_makes_the_load() {
        let job = |width, run, walltime| GridJob {
            id: JobId(1),
            submit: SimTime::ZERO,
            width,
            run: SimSpan::from_secs(run),
            walltime: SimSpan::from_secs(walltime),
            home: None,
            site: None,
            traits: JobTraits::default(),
        };
        let mut jobs = [job(2, 100, 300), job(4, 50, 0)];
        let (cores, length) = (NonZeroU32::new(8).unwrap(), SimSpan::from_secs(100));
        assert_eq!(load_of(&jobs, 8, length), 0.5);
        scale_to_load(&mut jobs, 0.125, cores, length);
        assert_eq!(jobs, [job(2, 25, 75), GridJob { run: SimSpan::from_micros(12_500_000), ..job(4, 1, 0) }]);
        // Scaling cannot create load from no work.
        scale_to_load(&mut [], 0.5, cores, length);
    }
}
