//! Copies of an instance whose submissions and run times are moved by a random part of a second.
//!
//! A schedule is chaotic: a job that comes a moment later may start minutes later, and others after
//! it. Logs have whole seconds, and what they leave open is enough for that. The differences between
//! copies are therefore the noise of a figure of one simulation.
//!
//! A run time of a log is the difference of a start and an end that were both rounded down, so that it
//! may be longer or shorter by a part of a second. Without that, a job that a timer of a scheduler
//! starts ends at a tick of the same timer, which does not see that end yet: its nodes would stay idle
//! for half a second too long on average.
//!
//! Nor does a log tell at which second of its period a site computes priorities. All times of a copy
//! are therefore moved, too, by a random part of that period.

use dfrsim_lab::fields::{count, positive_seconds};
use dfrsim_lab::{copy_name, fields};
use dfrsim_model::{Job, Seed, SimSpan, SimTime};
use rand::RngExt as _;

fields! {
    /// Copies of each instance whose submissions and run times are moved. At a site with priorities,
    /// all times of a copy are also moved by a random part of the period at which these are computed.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Jitter {
        /// Number of copies, in addition to the instance itself.
        pub copies: u32 = count("a number of copies", 5, 1_000), default 20;
        /// Time by which submissions and run times are moved, at most, in seconds. Submissions become
        /// later, as logs round them down, and jobs keep their order. Run times become longer or
        /// shorter, as logs round starts and ends down, by less than themselves and not above the
        /// requested time.
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

    /// Moves the run times of jobs by the difference of two random parts of the limit, or of the run
    /// time if that is shorter. A job within its requested time stays within it, and one that uses all
    /// of it or more keeps its run time.
    pub(crate) fn move_run_times(self, jobs: &mut [Job]) {
        let mut rng = self.seed.fork("run times").rng();
        for job in jobs {
            let limit = self.up_to.min(job.run_time).micros();
            let mut part = || SimSpan::from_micros(if limit > 0 { rng.random_range(0..limit) } else { 0 });
            let (end, begin) = (part(), part());
            let longest = job.requested_time.unwrap_or(SimSpan::MAX);
            if job.run_time < longest {
                let moved = job.run_time.saturating_add(end).micros() - begin.micros();
                job.run_time = SimSpan::from_micros(moved).min(longest);
            }
        }
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
    fn run_times_are_moved_by_the_difference_of_two_parts_of_the_limit() {
        let of = |millis: u64, requested: Option<u64>| Job {
            run_time: SimSpan::from_micros(1_000 * millis),
            requested_time: requested.map(|millis| SimSpan::from_micros(1_000 * millis)),
            ..Job::default()
        };
        let mut copies = Jitter { copies: 5, up_to: SimSpan::from_secs(1) }.copies_of("whole", 1);
        let copy = copies.next().unwrap();
        let moved = |job: Job| {
            let mut jobs = vec![job; 2_000];
            copy.move_run_times(&mut jobs);
            jobs.into_iter().map(|job| job.run_time.as_secs_f64()).collect::<Vec<f64>>()
        };
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        // On average they stay as they are, and a third of them is moved by more than 0.42 s.
        let long = moved(of(10_000, None));
        assert!(long.iter().all(|time| (9.0..11.0).contains(time)) && (mean(&long) - 10.0).abs() < 0.03);
        assert!((600..740).contains(&long.iter().filter(|&time| (time - 10.0).abs() > 0.42).count()));
        // A short job is moved by less than its run time.
        let short = moved(of(100, None));
        assert!(short.iter().all(|&time| time > 0.0 && time < 0.2) && (mean(&short) - 0.1).abs() < 0.003);
        // No job reaches its requested time by that, and one that did keeps its run time.
        let near = moved(of(10_000, Some(10_200)));
        assert!(near.iter().all(|&time| time <= 10.2) && near.contains(&10.2));
        assert!(moved(of(10_000, Some(10_000))).iter().all(|&time| time == 10.0));
        assert!(moved(of(10_000, Some(9_000))).iter().all(|&time| time == 10.0));
        assert!(moved(of(0, None)).iter().all(|&time| time == 0.0));
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
