//! Tests logs that are resampled from the users of a log.

use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_workload::log::Record;
use dfrsim_workload::resample::{Drawn, draw};
use proptest::prelude::*;
use std::collections::BTreeMap;

const WEEK: u64 = 604_800;

fn record(job: u64, second: u64, user: Option<u32>) -> Record {
    Record { job, submit: SimTime::from_secs(second), user, ..Record::default() }
}

#[test]
fn dependencies_stay_within_a_stream() {
    let mut log = [record(7, 0, Some(1)), record(8, 10, Some(1)), record(9, 20, Some(2))];
    log[1].preceding_job = Some(7);
    log[1].think_time = Some(SimSpan::from_secs(3));
    log[2].preceding_job = Some(7);
    for seed in 0..20 {
        for one in draw(&log, 3, Seed::new(seed)) {
            let new = one.record(&log[one.place]);
            // The job of user 2 depends on one of another user, who may not be drawn.
            assert_eq!(new.preceding_job.is_some(), one.place == 1);
            assert_eq!(new.think_time, log[1].think_time.filter(|_| one.place == 1));
        }
    }
    assert!(draw(&[], 3, Seed::new(1)).is_empty() && draw(&log, 0, Seed::new(1)).is_empty());
}

proptest! {
    /// Each stream has all jobs of one user, shifted cyclically by whole weeks; numbers follow the
    /// order of submission.
    #[test]
    fn streams_are_whole_and_keep_the_time_of_the_week(
        jobs in prop::collection::vec((0..5 * WEEK, prop::option::of(0_u32..6)), 1..80),
        weeks in 1_u64..8,
        seed: u64,
    ) {
        let mut jobs = jobs;
        jobs.sort_unstable();
        let log: Vec<Record> = (1..).zip(&jobs).map(|(job, &(second, user))| record(job, second, user)).collect();
        let drawn = draw(&log, weeks, Seed::new(seed));
        prop_assert_eq!(&drawn, &draw(&log, weeks, Seed::new(seed)));
        prop_assert!(drawn.windows(2).all(|pair| pair[0].submit <= pair[1].submit));
        prop_assert!((1..).zip(&drawn).all(|(number, one)| one.number == number));
        let mut streams: BTreeMap<u32, Vec<&Drawn>> = BTreeMap::new();
        drawn.iter().for_each(|one| streams.entry(one.user).or_default().push(one));
        let week = |second: u64| second / WEEK;
        let of_log = week(jobs.last().unwrap().0) - week(jobs[0].0) + 1;
        let users: std::collections::BTreeSet<_> = jobs.iter().map(|job| job.1).collect();
        let expected = (users.len() as f64 * weeks as f64 / of_log as f64).round().max(1.0);
        prop_assert_eq!(streams.len() as f64, expected);
        for stream in streams.into_values() {
            let user = log[stream[0].place].user;
            let mut places: Vec<usize> = stream.iter().map(|one| one.place).collect();
            places.sort_unstable();
            let whole: Vec<usize> = (0..log.len()).filter(|&place| log[place].user == user).collect();
            prop_assert_eq!(places, whole);
            let seconds = |time: SimTime| time.micros() / 1_000_000;
            let shift = |one: &Drawn| {
                (seconds(one.submit) + weeks * WEEK - seconds(log[one.place].submit) % (weeks * WEEK)) % (weeks * WEEK)
            };
            prop_assert!(shift(stream[0]).is_multiple_of(WEEK));
            prop_assert!(stream.iter().all(|one| shift(one) == shift(stream[0])));
        }
    }
}
