//! Logs resampled from the users of a log.
//!
//! A log is only one sample of the behaviour of its users. [`draw`] generates others. The jobs of
//! each user are a stream; streams are drawn with replacement, and each is shifted by a whole number
//! of weeks. This preserves the daily and weekly cycles of the log, and the relations between the
//! jobs of a user. Each drawn stream is a new user. The number of streams per week is that of the
//! log, and so the expected load is that of the log too.
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
//! Source: N. Zakay and D. G. Feitelson, "Workload resampling for performance evaluation of parallel
//! job schedulers" (ICPE 2013; Concurrency and Computation 26(12), 2014). They distinguish temporary
//! users from long-term users, and draw the former again for each week. Here all streams are drawn
//! alike, and a stream that exceeds the last week wraps around to the first one.

use crate::cut::{WEEK, week};
use crate::log::Record;
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::RngExt as _;
use rustc_hash::FxHashMap;

/// A job of a resampled log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Index of its record in the original log.
    pub place: usize,
    /// Submit time.
    pub submit: SimTime,
    /// Job number, from 1 in the order of submission.
    pub number: u64,
    /// User: the number of the drawn stream, from 1.
    pub user: u32,
    /// Number of the preceding job.
    pub preceding: Option<u64>,
    /// Further dependencies, as in a record.
    pub also_preceding: Vec<(u64, Option<SimSpan>)>,
}

impl Drawn {
    /// Returns the record of the job: the original one with new numbers, times and user.
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

/// Counts the weeks that a log covers, from the week of its first submission to that of its last
/// one.
fn weeks_covered(records: &[Record]) -> u64 {
    let weeks = || records.iter().map(|record| week(record.submit));
    let (first, last) = (weeks().min(), weeks().max());
    last.unwrap_or(0) - first.unwrap_or(0) + 1
}

/// Draws the jobs of `weeks` weeks, in the order of submission; ties are ordered by stream. Jobs
/// without a user form one stream. The result is empty without records or weeks.
pub fn draw(records: &[Record], weeks: u64, seed: Seed) -> Vec<Drawn> {
    let of_user = |(place, record): (usize, &Record)| (record.user, place);
    let mut places: Vec<(Option<u32>, usize)> = records.iter().enumerate().map(of_user).collect();
    places.sort_unstable();
    let streams: Vec<&[(Option<u32>, usize)]> = places.chunk_by(|a, b| a.0 == b.0).collect();
    if streams.is_empty() || weeks == 0 {
        return Vec::new();
    }
    let of_log = u128::from(weeks_covered(records));
    // Streams per week as in the log, rounded to the nearest number of streams, at least one.
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
        // A stream that wraps around at the end of the last week changes its order.
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
