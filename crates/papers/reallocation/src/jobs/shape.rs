//! Modifications of the jobs of a month, to find the property of a workload that determines a
//! result.

use crate::engine::GridJob;
use dfrsim_model::{Seed, SimSpan};
use rand::RngExt as _;

/// Run time of a job that fails.
const FAILS_AFTER: SimSpan = SimSpan::from_secs(10);

/// Replaces each `size` successive jobs by copies of one of them, drawn at random, with its arrival.
/// The last bag may be smaller.
pub(super) fn into_bags(jobs: &mut [GridJob], size: usize, seed: Seed) {
    if size < 2 {
        return;
    }
    let mut rng = seed.fork("bags").rng();
    for bag in jobs.chunks_mut(size) {
        let drawn = bag[rng.random_range(0..bag.len())];
        bag.iter_mut().for_each(|job| *job = GridJob { id: job.id, ..drawn });
    }
}

/// Makes the fraction `part` of the jobs, drawn one by one, fail early. Jobs without a walltime
/// first get one from `walltime`, so that the walltime does not reveal the failure.
pub(super) fn make_failing(
    jobs: &mut [GridJob],
    part: f64,
    seed: Seed,
    walltime: impl Fn(&GridJob) -> SimSpan,
) {
    let mut rng = seed.fork("failing").rng();
    for job in jobs {
        if rng.random_bool(part) {
            if job.walltime.is_zero() {
                job.walltime = walltime(job);
            }
            job.run = job.run.min(FAILS_AFTER);
        }
    }
}

/// Makes the fraction `part` of the jobs, drawn one by one, local jobs of a cluster with these
/// cores, if they fit there.
pub(super) fn make_local(jobs: &mut [GridJob], part: f64, (home, cores): (u32, u32), seed: Seed) {
    let mut rng = seed.fork("local").rng();
    for job in jobs {
        if rng.random_bool(part) && job.width <= cores {
            job.home = Some(home);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::JobTraits;
    use dfrsim_model::{JobId, SimTime};

    /// Builds a list with one job per second; the k-th runs on k cores for k minutes.
    fn jobs(count: u64) -> Vec<GridJob> {
        let job = |number: u64| GridJob {
            id: JobId(number),
            submit: SimTime::from_secs(number),
            width: number as u32,
            run: SimSpan::from_secs(60 * number),
            walltime: SimSpan::ZERO,
            home: None,
            site: None,
            traits: JobTraits::default(),
        };
        (1..=count).map(job).collect()
    }

    #[test]
    fn a_bag_has_copies_of_one_of_its_jobs() {
        let logged = jobs(7);
        let mut bags = logged.clone();
        into_bags(&mut bags, 3, Seed::new(4));
        assert!(bags.iter().map(|job| job.id).eq(logged.iter().map(|job| job.id)));
        for (bag, of) in bags.chunks(3).zip(logged.chunks(3)) {
            let same = |a: &GridJob, b: &GridJob| GridJob { id: b.id, ..*a } == *b;
            assert!(bag.iter().all(|job| same(job, &bag[0])));
            assert_eq!(of.iter().filter(|job| same(job, &bag[0])).count(), 1);
        }
        let mut left = logged.clone();
        into_bags(&mut left, 1, Seed::new(4));
        assert_eq!(left, logged);
    }

    #[test]
    fn a_part_of_the_jobs_ends_soon() {
        let logged = jobs(2_000);
        let mut failing = logged.clone();
        make_failing(&mut failing, 0.25, Seed::new(4), |job| job.run.scaled(2.0));
        let mut failed = 0;
        for (job, before) in failing.iter().zip(&logged) {
            if job != before {
                failed += 1;
                assert_eq!((job.run, job.walltime), (FAILS_AFTER, before.run.scaled(2.0)));
            }
        }
        // The expected number is 500, with a standard deviation of 19.
        assert!((400..600).contains(&failed), "{failed}");
        let mut left = logged.clone();
        make_failing(&mut left, 0.0, Seed::new(4), |job| job.run);
        assert_eq!(left, logged);
    }

    #[test]
    fn jobs_that_fit_stay() {
        let homes = |part| {
            let mut jobs = jobs(5);
            make_local(&mut jobs, part, (2, 3), Seed::new(4));
            jobs.iter().map(|job| job.home).collect::<Vec<_>>()
        };
        assert_eq!(homes(1.0), [Some(2), Some(2), Some(2), None, None]);
        assert_eq!(homes(0.0), [None; 5]);
    }
}
