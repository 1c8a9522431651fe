//! Copies of an instance whose submissions are moved by a random part of a second.
//!
//! A schedule is chaotic: a job that comes a moment later may start minutes later, and others after
//! it. Logs have whole seconds, and what they leave open is enough for that. The differences between
//! copies are therefore the noise of a figure of one simulation.
//!
//! Nor does a log tell at which second of its period a site computes priorities. All times of a copy
//! are therefore moved, too, by a random part of that period.

use dfrsim_lab::fields::{count, positive_seconds};
use dfrsim_lab::{copy_name, fields};
use dfrsim_model::{Job, Seed, SimSpan, SimTime};
use rand::RngExt as _;

fields! {
    /// Copies of each instance whose submissions are moved. At a site with priorities, all times of a
    /// copy are also moved by a random part of the period at which these are computed.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Jitter {
        /// Number of copies, in addition to the instance itself.
        pub copies: u32 = count("a number of copies", 5, 1_000), default 20;
        /// Time by which submissions are moved, at most, in seconds. They become later, as logs
        /// round them down. Jobs keep their order.
        pub up_to as "up_to_s": SimSpan = positive_seconds(), default SimSpan::from_secs(1);
    }
}

/// A copy of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JitteredCopy {
    number: u32,
    up_to: SimSpan,
    seed: Seed,
}

impl Jitter {
    /// Returns the copies of an instance with this name.
    pub(crate) fn copies_of(self, instance: &str, seed: u64) -> impl Iterator<Item = JitteredCopy> {
        let seed = Seed::new(seed).fork("jitter").fork(instance);
        let copy =
            move |number: u32| JitteredCopy { number, up_to: self.up_to, seed: seed.numbered(number.into()) };
        (0..self.copies).map(copy)
    }
}

impl JitteredCopy {
    /// Returns the name of the copy of an instance with this name.
    pub(crate) fn name(self, instance: &str) -> String {
        copy_name(instance, self.number)
    }

    /// Draws the time by which all times of the copy are moved, in whole seconds below a period.
    pub(crate) fn shift(self, period_s: u64) -> SimSpan {
        SimSpan::from_secs(self.seed.fork("shift").rng().random_range(0..period_s.max(1)))
    }

    /// Moves the submissions of jobs, which are in the order of submission. Each becomes later, by
    /// less than the limit.
    pub(crate) fn move_submissions(self, jobs: &mut [Job]) {
        let mut rng = self.seed.rng();
        let mut moved = |job: &Job| {
            let by = SimSpan::from_micros(rng.random_range(0..self.up_to.micros()));
            job.submit.saturating_add(by)
        };
        let mut times: Vec<SimTime> = jobs.iter().map(&mut moved).collect();
        // The n-th of the sorted times is within the limits of the n-th job.
        times.sort_unstable();
        jobs.iter_mut().zip(times).for_each(|(job, time)| job.submit = time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::JobId;
    use proptest::prelude::*;

    fn jobs(seconds: &[u64]) -> Vec<Job> {
        let job = |(number, second): (u64, &u64)| Job {
            id: JobId(number),
            submit: SimTime::from_secs(*second),
            ..Job::default()
        };
        (1..).zip(seconds).map(job).collect()
    }

    fn moved(jobs: &[Job], copy: JitteredCopy) -> Vec<Job> {
        let mut jobs = jobs.to_vec();
        copy.move_submissions(&mut jobs);
        jobs
    }

    proptest! {
        #[test]
        fn submissions_are_moved_within_the_limit_and_keep_their_order(
            mut seconds in prop::collection::vec(0_u64..50, 1..60),
            up_to in 1_u64..20,
            seed: u64,
        ) {
            seconds.sort_unstable();
            let jobs = jobs(&seconds);
            let up_to = SimSpan::from_secs(up_to);
            for copy in (Jitter { copies: 5, up_to }).copies_of("whole", seed) {
                let moved = moved(&jobs, copy);
                prop_assert!(moved.is_sorted_by_key(|job| job.submit));
                for (before, after) in jobs.iter().zip(&moved) {
                    prop_assert_eq!(before.id, after.id);
                    prop_assert!(before.submit <= after.submit && after.submit.since(before.submit) < up_to);
                }
            }
        }
    }

    #[test]
    fn copies_begin_at_different_parts_of_a_period() {
        let copies = Jitter { copies: 100, up_to: SimSpan::from_secs(1) }.copies_of("whole", 1);
        let shifts: Vec<u64> = copies.map(|copy| copy.shift(60).micros() / 1_000_000).collect();
        assert!(shifts.iter().all(|&shift| shift < 60));
        let by_part = |part: u64| shifts.iter().filter(|&&shift| shift / 15 == part).count();
        assert!((0..4).all(|part| by_part(part) > 10), "{shifts:?}");
    }

    #[test]
    fn copies_differ_and_have_names() {
        let jobs = jobs(&[7; 40]);
        let jitter = Jitter { copies: 3, up_to: SimSpan::from_secs(1) };
        let all = |instance: &str, seed| -> Vec<Vec<Job>> {
            jitter.copies_of(instance, seed).map(|copy| moved(&jobs, copy)).collect()
        };
        let made = [all("whole", 1), all("whole", 2), all("week-001", 1)].concat();
        for (place, one) in made.iter().enumerate() {
            assert!(*one != jobs && made[..place].iter().all(|other| other != one));
        }
        assert_eq!(all("whole", 1), made[..3]);
        let last = jitter.copies_of("whole", 1).last().map(|copy| copy.name("week-001-load-0.7"));
        assert_eq!(last.as_deref(), Some("week-001-load-0.7-copy-002"));
    }
}
