//! What is done to the jobs of a month to see which property of a workload decides a result.

use crate::engine::GridJob;
use dfrsim_model::{Seed, SimSpan};
use rand::RngExt as _;

/// How long a job runs that fails.
const FAILS_AFTER: SimSpan = SimSpan::from_secs(10);

/// Of each `size` successive jobs one is drawn; all of them become copies of it, with its arrival. The last bag may be
/// smaller.
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

/// This part of the jobs, drawn one by one, ends soon. Those without a walltime get one of `walltime` before, so that it
/// does not reveal that they fail.
pub(super) fn fail(jobs: &mut [GridJob], part: f64, seed: Seed, walltime: impl Fn(&GridJob) -> SimSpan) {
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

/// This part of the jobs, drawn one by one, are local jobs of a cluster with these cores, if they fit there.
pub(super) fn stay(jobs: &mut [GridJob], part: f64, (home, cores): (u32, u32), seed: Seed) {
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

    /// A job a second, the k-th on k cores for k minutes.
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
        fail(&mut failing, 0.25, Seed::new(4), |job| job.run.scaled(2.0));
        let mut failed = 0;
        for (job, before) in failing.iter().zip(&logged) {
            if job != before {
                failed += 1;
                assert_eq!((job.run, job.walltime), (FAILS_AFTER, before.run.scaled(2.0)));
            }
        }
        // 500 on average, with a standard deviation of 19.
        assert!((400..600).contains(&failed), "{failed}");
        let mut left = logged.clone();
        fail(&mut left, 0.0, Seed::new(4), |job| job.run);
        assert_eq!(left, logged);
    }

    #[test]
    fn jobs_that_fit_stay() {
        let homes = |part| {
            let mut jobs = jobs(5);
            stay(&mut jobs, part, (2, 3), Seed::new(4));
            jobs.iter().map(|job| job.home).collect::<Vec<_>>()
        };
        assert_eq!(homes(1.0), [Some(2), Some(2), Some(2), None, None]);
        assert_eq!(homes(0.0), [None; 5]);
    }
}
