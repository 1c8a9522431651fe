//! Logs drawn from the users of a log.
//!
//! One log is one sample of what its users may do. [`draw`] makes others: the jobs of each user are a stream, streams are drawn
//! with replacement, and each is shifted by a whole number of weeks, so that the daily and weekly cycle of the log, and what
//! the jobs of a user have to do with each other, stay. Drawn streams are users of their own. There are as many for each
//! week as the log has, so that the expected load is that of the log.
//!
//! ```
//! use dfrsim_model::{Seed, SimTime};
//! use dfrsim_workload::log::Record;
//! use dfrsim_workload::resample::draw;
//! // Two weeks; user 1 comes on Mondays, user 2 once, on the first Tuesday.
//! let record = |job, second, user| Record { job, submit: SimTime::from_secs(second), user: Some(user), ..Record::default() };
//! let log = [record(1, 1_000, 1), record(2, 90_000, 2), record(3, 605_900, 1)];
//! let drawn = draw(&log, 4, Seed::new(1));
//! // Twice as many weeks, twice as many streams.
//! assert_eq!(drawn.iter().map(|one| one.user).max(), Some(4));
//! for one in &drawn {
//!     let week = 604_800_000_000;
//!     assert_eq!(one.submit.micros() % week, log[one.place].submit.micros() % week);
//! }
//! assert_eq!(drawn, draw(&log, 4, Seed::new(1)));
//! ```
//!
//! Source: N. Zakay and D. G. Feitelson, "Workload resampling for performance evaluation of parallel job schedulers" (ICPE 2013;
//! Concurrency and Computation 26(12), 2014). They distinguish users who come for a short time from those who stay, and
//! draw the former again for each week; here all streams are drawn alike, and what would go beyond the last week goes on in the
//! first one.

use crate::cut::{WEEK, week};
use crate::log::Record;
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rustc_hash::FxHashMap;

/// A job of a drawn log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The place of its record in the log.
    pub place: usize,
    /// When it is submitted.
    pub submit: SimTime,
    /// Its number, from 1 in the order of submission.
    pub number: u64,
    /// Its user: the number of the drawn stream, from 1.
    pub user: u32,
    /// The number of the job that it follows.
    pub preceding: Option<u64>,
    /// Those of others that it waits for, as in a record.
    pub also_preceding: Vec<(u64, Option<SimSpan>)>,
}

impl Drawn {
    /// The record of the job, made of the one that it is drawn from.
    pub fn record(&self, original: &Record) -> Record {
        let Drawn { submit, number, user, preceding, ref also_preceding, place: _ } = *self;
        let think_time = original.think_time.filter(|_| preceding.is_some());
        Record {
            job: number,
            submit,
            user: Some(user),
            preceding_job: preceding,
            think_time,
            also_preceding: also_preceding.clone(),
            ..original.clone()
        }
    }
}

/// The weeks that a log covers: from the week of its first submission to that of its last one.
fn weeks_of(records: &[Record]) -> u64 {
    let weeks = || records.iter().map(|record| week(record.submit));
    let (first, last) = (weeks().min(), weeks().max());
    last.unwrap_or(0) - first.unwrap_or(0) + 1
}

/// Draws the jobs of this many weeks, in the order of their submission; jobs of equal times by stream. Jobs without user are one
/// stream. Without records or weeks there are none.
pub fn draw(records: &[Record], weeks: u64, seed: Seed) -> Vec<Drawn> {
    let of_user = |(place, record): (usize, &Record)| (record.user, place);
    let mut places: Vec<(Option<u32>, usize)> = records.iter().enumerate().map(of_user).collect();
    places.sort_unstable();
    let streams: Vec<&[(Option<u32>, usize)]> = places.chunk_by(|a, b| a.0 == b.0).collect();
    if streams.is_empty() || weeks == 0 {
        return Vec::new();
    }
    let of_log = u128::from(weeks_of(records));
    // As many streams a week as in the log, to the nearest, at least one.
    let count = (streams.len() as u128 * u128::from(weeks) + of_log / 2) / of_log;
    let length = SimSpan::from_secs(weeks * WEEK).micros();
    let mut rng = seed.fork("resample").rng();
    let mut drawn = Vec::new();
    for user in 1..=u32::try_from(count.max(1)).unwrap_or(u32::MAX) {
        let stream = streams[rng.random_range(0..streams.len())];
        let shift = SimSpan::from_secs(rng.random_range(0..weeks) * WEEK).micros();
        for &(_, place) in stream {
            let submit = (records[place].submit.micros() % length + shift) % length;
            let submit = SimTime::from_micros(submit);
            drawn.push(Drawn { place, submit, user, ..Drawn::default() });
        }
    }
    drawn.sort_unstable_by_key(|one| (one.submit, one.user, one.place));
    let mut numbers = FxHashMap::default();
    for (number, one) in (1..).zip(&mut drawn) {
        one.number = number;
        numbers.insert((one.user, records[one.place].job), number);
    }
    for one in &mut drawn {
        // At the end of the last week the order of a stream may turn.
        let earlier =
            |job: &u64| numbers.get(&(one.user, *job)).copied().filter(|&number| number < one.number);
        one.preceding = records[one.place].preceding_job.as_ref().and_then(earlier);
        one.also_preceding = records[one.place]
            .also_preceding
            .iter()
            .filter_map(|(job, start)| Some((earlier(job)?, *start)))
            .collect();
    }
    drawn
}
