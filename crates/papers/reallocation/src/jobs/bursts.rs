//! Bursts: generated jobs in bags of independent jobs, as users of grids submit them.

use crate::engine::{GridJob, JobTraits};
use crate::scenario::BurstFields;
use dfrsim_model::{JobId, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rand_distr::{Distribution as _, StandardNormal};
use std::num::NonZeroU32;

/// Generates a month of `count` jobs on a site with these cores, without walltimes, in the order of
/// their arrival.
///
/// * Bags arrive at times that are uniform over the month. The probability that a bag has at least n
///   jobs is n^-`size_exponent`; bags above `max_bag` jobs have that many. The last bag ends with the
///   count.
/// * All jobs of a bag have one width, a power of two up to `max_width`, each as likely as another.
/// * The run time of a bag is log-normal, and so is the factor between a job and its bag.
pub(super) fn month(
    bursts: &BurstFields,
    count: usize,
    cores: NonZeroU32,
    length: SimSpan,
    seed: Seed,
) -> Vec<GridJob> {
    let mut rng = seed.fork("bursts").rng();
    let widest = bursts.max_width.min(cores.get()).ilog2();
    let mut jobs = Vec::with_capacity(count);
    while jobs.len() < count {
        let drawn: f64 = 1.0 - rng.random::<f64>();
        // The conversion saturates.
        let size = (drawn.powf(-1.0 / bursts.size_exponent) as usize).min(bursts.max_bag);
        let submit = SimTime::ZERO + length.scaled(rng.random::<f64>());
        let width = 1 << rng.random_range(0..=widest);
        let of_bag: f64 = StandardNormal.sample(&mut rng);
        for _ in 0..size.min(count - jobs.len()) {
            let of_job: f64 = StandardNormal.sample(&mut rng);
            let factor = (bursts.bag_deviation * of_bag + bursts.job_deviation * of_job).exp();
            jobs.push(GridJob {
                id: JobId(0),
                submit,
                width,
                run: bursts.median_run_s.scaled(factor).max(SimSpan::from_secs(1)),
                walltime: SimSpan::ZERO,
                home: None,
                site: None,
                traits: JobTraits::default(),
            });
        }
    }
    jobs.sort_by_key(|job| job.submit);
    jobs
}

/// Gives jobs without a walltime that end within the default walltime of the batch system that
/// walltime, and returns their number. Longer ones keep none.
pub(super) fn set_default_walltimes(jobs: &mut [GridJob], bursts: &BurstFields) -> usize {
    let default = bursts.default_walltime_s;
    let mut short = 0;
    for job in jobs.iter_mut().filter(|job| job.walltime.is_zero() && job.run <= default) {
        job.walltime = default;
        short += 1;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::fields::defaults;

    const MONTH: SimSpan = SimSpan::from_secs(30 * 86_400);

    fn jobs(bursts: &BurstFields, count: usize) -> Vec<GridJob> {
        month(bursts, count, NonZeroU32::new(640).unwrap(), MONTH, Seed::new(3))
    }

    /// With an exponent of 1, half of the bags have one job, and a few have most of the jobs.
    #[test]
    fn bags_have_a_heavy_tail() {
        let bursts = BurstFields { size_exponent: 1.0, ..defaults().unwrap() };
        let jobs = jobs(&bursts, 50_000);
        assert_eq!(jobs.len(), 50_000);
        assert!(jobs.is_sorted_by_key(|job| job.submit));
        let bags: Vec<usize> = jobs.chunk_by(|a, b| a.submit == b.submit).map(<[_]>::len).collect();
        let part = bags.iter().filter(|&&size| size == 1).count() as f64 / bags.len() as f64;
        assert!((0.45..0.55).contains(&part), "{part}");
        let in_large: usize = bags.iter().filter(|&&size| size >= 100).sum();
        assert!(in_large > 10_000, "{in_large}");
        assert!(bags.iter().all(|&size| size <= bursts.max_bag));
        for bag in jobs.chunk_by(|a, b| a.submit == b.submit) {
            assert!(bag.iter().all(|job| job.width == bag[0].width && job.width.is_power_of_two()));
        }
        assert!(jobs.iter().all(|job| job.submit < SimTime::ZERO + MONTH && job.width <= bursts.max_width));
    }

    #[test]
    fn short_jobs_have_the_default_walltime() {
        let bursts: BurstFields = defaults().unwrap();
        let mut jobs = jobs(&bursts, 5_000);
        let set = set_default_walltimes(&mut jobs, &bursts);
        let (short, long): (Vec<&GridJob>, Vec<&GridJob>) =
            jobs.iter().partition(|job| job.run <= bursts.default_walltime_s);
        assert!(short.iter().all(|job| job.walltime == bursts.default_walltime_s));
        assert!(long.iter().all(|job| job.walltime.is_zero()));
        assert_eq!(set, short.len());
        assert!(short.len() > 4_000 && !long.is_empty(), "{} {}", short.len(), long.len());
    }
}
