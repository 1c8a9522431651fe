//! Synthetic months of a site whose log is not available.

use crate::engine::GridJob;
use dfrsim_model::{JobId, Seed, SimSpan, SimTime};
use dfrsim_workload::lublin::{Arrival, LublinParameters, arrivals};
use std::num::NonZeroU32;

/// Month of a site of which only the number of jobs is known. The complete rules:
///
/// * Sizes, run times and bursts of arrivals are those of the Lublin-Feitelson model (typed) for a
///   machine with the cores of the site, or with `model_cores` if these are fewer.
/// * The arrivals are stretched or compressed by one factor, so that the jobs fill the month: the
///   job after the last would arrive at its end.
/// * The load follows from the number of jobs. If it exceeds `max_load`, as a fraction of the
///   capacity of the site's cores in the month, all run times are multiplied by one factor that
///   reduces it to `max_load`: jobs that are in a log have run there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Month {
    /// Cores of the site.
    pub cores: NonZeroU32,
    /// Cores of the machine for which jobs are generated, if these are fewer.
    pub model_cores: Option<NonZeroU32>,
    /// Number of jobs in this month.
    pub jobs: usize,
    /// Length of the month.
    pub length: SimSpan,
    /// Largest load, as a fraction of the capacity.
    pub max_load: f64,
}

/// Generated job; its run time is that on the cores of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthJob {
    /// Arrival, from the beginning of the month.
    pub submit: SimSpan,
    /// Number of cores.
    pub width: u32,
    /// Run time on the cores of the site.
    pub run: SimSpan,
}

impl Month {
    /// Generates the jobs in the order of their arrival.
    pub fn jobs(&self, seed: Seed) -> Vec<MonthJob> {
        let nodes = self.model_cores.map_or(self.cores, |fewer| fewer.min(self.cores));
        let parameters = LublinParameters { nodes, ..LublinParameters::default() };
        let model: Vec<Arrival> = arrivals(&parameters, seed).take(self.jobs + 1).collect();
        let (Some(first), Some(after)) = (model.first(), model.get(self.jobs)) else { return Vec::new() };
        let natural = after.submit.since(first.submit).as_secs_f64();
        let stretch = if natural > 0.0 { self.length.as_secs_f64() / natural } else { 0.0 };
        let work = |arrival: &Arrival| f64::from(arrival.size) * arrival.run_time.as_secs_f64();
        let load = model[..self.jobs].iter().map(work).sum::<f64>()
            / (f64::from(self.cores.get()) * self.length.as_secs_f64());
        let shortened = if load > self.max_load { self.max_load / load } else { 1.0 };
        let job = |arrival: &Arrival| MonthJob {
            submit: arrival.submit.since(first.submit).scaled(stretch),
            width: arrival.size,
            run: arrival.run_time.scaled(shortened).max(SimSpan::from_micros(1)),
        };
        model[..self.jobs].iter().map(job).collect()
    }
}

/// Merges the jobs of several sites in the order of submission and numbers them from 1. Jobs that
/// arrive at one time stay in the order in which they are given.
pub fn merge(mut jobs: Vec<GridJob>) -> Vec<GridJob> {
    jobs.sort_by_key(|job: &GridJob| -> SimTime { job.submit });
    for (job, id) in jobs.iter_mut().zip(1..) {
        job.id = JobId(id);
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::JobTraits;

    fn month(jobs: usize, most_load: f64) -> Vec<MonthJob> {
        let cores = NonZeroU32::new(640).unwrap();
        let length = SimSpan::from_secs(30 * 86_400);
        Month { cores, model_cores: None, jobs, length, max_load: most_load }.jobs(Seed::new(3))
    }
    fn load(jobs: &[MonthJob]) -> f64 {
        let work: f64 = jobs.iter().map(|job| f64::from(job.width) * job.run.as_secs_f64()).sum();
        work / (640.0 * 30.0 * 86_400.0)
    }

    #[test]
    fn the_month_is_filled_and_the_load_is_bounded() {
        let crowded = month(20_000, 0.9);
        assert_eq!(crowded.len(), 20_000);
        assert!(crowded.is_sorted_by_key(|job| job.submit));
        let last = crowded.last().unwrap().submit.as_secs_f64() / 86_400.0;
        assert!((29.5..30.0).contains(&last), "{last}");
        assert!((load(&crowded) - 0.9).abs() < 1e-6, "{}", load(&crowded));
        assert!(crowded.iter().all(|job| (1..=640).contains(&job.width)));

        let quiet = month(500, 0.9);
        assert!(load(&quiet) < 0.3);
        // The load is below the limit, so no run time is shortened: the model's run times are whole
        // seconds.
        assert!(quiet.iter().all(|job| job.run.micros() % 1_000_000 == 0));
        assert_eq!(month(0, 0.9), []);
    }

    #[test]
    fn jobs_may_be_those_of_a_smaller_machine() {
        let (cores, length) = (NonZeroU32::new(640).unwrap(), SimSpan::from_secs(30 * 86_400));
        let widest = |fewer| {
            let month =
                Month { cores, model_cores: NonZeroU32::new(fewer), jobs: 2_000, length, max_load: 0.9 };
            month.jobs(Seed::new(3)).iter().map(|job| job.width).max()
        };
        assert_eq!((widest(32), widest(1_000)), (Some(32), widest(640)));
    }

    #[test]
    fn merged_jobs_are_in_order() {
        let job = |at: u64, width| GridJob {
            id: JobId(9),
            submit: SimTime::from_secs(at),
            width,
            run: SimSpan::from_secs(1),
            walltime: SimSpan::from_secs(1),
            home: None,
            site: None,
            traits: JobTraits::default(),
        };
        let merged = merge(vec![job(5, 1), job(2, 2), job(5, 3)]);
        let seen: Vec<(u64, u32)> = merged.iter().map(|job| (job.id.0, job.width)).collect();
        assert_eq!(seen, [(1, 2), (2, 1), (3, 3)]);
    }
}
