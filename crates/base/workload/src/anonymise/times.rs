//! Submit times that reveal less: rounded, or shuffled among jobs that were submitted close
//! together.

use crate::log::Record;
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::seq::SliceRandom as _;
use std::fmt;
use std::str::FromStr;

const SECONDS: u64 = 1_000_000;
const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// Change of submit times that hides them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenTimes {
    /// Submit times are rounded down to multiples of this, in seconds of the log.
    Rounded(SimSpan),
    /// The jobs that were submitted within each period of this length exchange their submit times at
    /// random.
    Shuffled(SimSpan),
}

/// Effects of hiding submit times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimesLosses {
    /// Jobs with another submit time than before.
    pub moved: usize,
    /// Jobs that no other job was submitted near to; shuffling leaves their submit times as they are.
    pub alone: usize,
    /// Number of wait times that were removed, since a wait and a start reveal the submit time.
    pub waits: usize,
    /// Number of jobs that lost their preceding jobs and think times, which reveal the submit
    /// time, too.
    pub dependencies: usize,
}

impl HiddenTimes {
    /// Returns the period within which the submit time of a job remains unknown.
    pub fn period(self) -> SimSpan {
        match self {
            HiddenTimes::Rounded(period) | HiddenTimes::Shuffled(period) => period,
        }
    }
}

impl FromStr for HiddenTimes {
    type Err = String;

    fn from_str(text: &str) -> Result<HiddenTimes, String> {
        let period = |text: &str| {
            let (number, unit) = text.split_at_checked(text.len().saturating_sub(1))?;
            let seconds = match unit {
                "s" => 1,
                "m" => 60,
                "h" => HOUR,
                "d" => DAY,
                _ => return None,
            };
            let number: u64 = number.parse().ok().filter(|number| (1..=1_000_000).contains(number))?;
            Some(SimSpan::from_secs(number * seconds))
        };
        let shuffled = |text: &str| period(text.strip_prefix("shuffle-within=")?).map(HiddenTimes::Shuffled);
        match text {
            "hour" => Ok(HiddenTimes::Rounded(SimSpan::from_secs(HOUR))),
            "day" => Ok(HiddenTimes::Rounded(SimSpan::from_secs(DAY))),
            _ => shuffled(text).ok_or_else(|| {
                format!(
                    "expected hour, day, or shuffle-within= and a time such as 30m, 1h or 1d, found {text:?}"
                )
            }),
        }
    }
}

impl fmt::Display for HiddenTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.period().micros() / SECONDS;
        match self {
            HiddenTimes::Rounded(_) if seconds == HOUR => f.write_str("hour"),
            HiddenTimes::Rounded(_) => f.write_str("day"),
            HiddenTimes::Shuffled(_) => write!(f, "shuffle-within={seconds}s"),
        }
    }
}

/// Hides submit times, and orders the records by the new ones; records with equal times stay in their
/// order. Whoever knows `seed` can undo a shuffle, so it must not be published with the log.
///
/// ```
/// use dfrsim_workload::anonymise::{HiddenTimes, hide_times};
/// use dfrsim_workload::log::Record;
/// use dfrsim_model::{Seed, SimTime};
/// let job = |second| Record { submit: SimTime::from_secs(second), ..Record::default() };
/// let mut records = vec![job(3_599), job(3_600), job(9_000)];
/// let losses = hide_times(&mut records, "hour".parse()?, Seed::default());
/// assert_eq!(records, [job(0), job(3_600), job(7_200)]);
/// assert_eq!(losses.moved, 2);
/// # Ok::<(), String>(())
/// ```
pub fn hide_times(records: &mut [Record], times: HiddenTimes, seed: Seed) -> TimesLosses {
    let mut losses = TimesLosses::default();
    let period = times.period().micros().max(1);
    let place = |submit: SimTime| submit.since(SimTime::ZERO).micros() / period;
    for record in records.iter_mut() {
        losses.waits += usize::from(record.wait.take().is_some());
        let others = std::mem::take(&mut record.also_preceding);
        let (preceding, think) = (record.preceding_job.take(), record.think_time.take());
        losses.dependencies += usize::from(preceding.is_some() || think.is_some() || !others.is_empty());
    }
    match times {
        HiddenTimes::Rounded(_) => {
            for record in records.iter_mut() {
                let rounded = SimTime::ZERO + SimSpan::from_micros(place(record.submit) * period);
                losses.moved += usize::from(rounded != record.submit);
                record.submit = rounded;
            }
        }
        HiddenTimes::Shuffled(_) => {
            records.sort_by_key(|record| record.submit);
            for (number, near) in records.chunk_by_mut(|a, b| place(a.submit) == place(b.submit)).enumerate()
            {
                let times: Vec<SimTime> = near.iter().map(|record| record.submit).collect();
                losses.alone += usize::from(near.len() == 1);
                near.shuffle(&mut seed.numbered(number as u64).rng());
                for (record, time) in near.iter_mut().zip(times) {
                    losses.moved += usize::from(record.submit != time);
                    record.submit = time;
                }
            }
        }
    }
    records.sort_by_key(|record| record.submit);
    losses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(job: u64, second: u64) -> Record {
        let wait = Some(SimSpan::from_secs(7));
        Record { job, submit: SimTime::from_secs(second), wait, ..Record::default() }
    }

    #[test]
    fn jobs_exchange_their_times_within_a_period_only() {
        let mut records: Vec<Record> = (0..40).map(|number| job(number, 90 * number)).collect();
        records.push(job(40, 9_000));
        let before = records.clone();
        let losses = hide_times(&mut records, "shuffle-within=1h".parse().unwrap(), Seed::new(7));
        let times = |records: &[Record]| records.iter().map(|it| it.submit).collect::<Vec<_>>();
        assert_eq!(times(&records), times(&before));
        assert_eq!((losses.alone, losses.waits, losses.dependencies), (1, 41, 0));
        assert!(losses.moved > 30, "{losses:?}");
        assert_eq!(records[40].job, 40);
        assert!(records.iter().all(|record| record.wait.is_none()));
        let mut again = before.clone();
        hide_times(&mut again, HiddenTimes::Shuffled(SimSpan::from_secs(3_600)), Seed::new(7));
        assert_eq!(again, records);
        hide_times(&mut again, HiddenTimes::Shuffled(SimSpan::from_secs(3_600)), Seed::new(8));
        assert_ne!(again, records);
    }

    #[test]
    fn wrong_words_are_refused() {
        for text in [
            "",
            "hours",
            "shuffle-within=",
            "shuffle-within=h",
            "shuffle-within=0h",
            "shuffle-within=1é",
            "week",
        ] {
            let error = text.parse::<HiddenTimes>().unwrap_err();
            assert!(error.starts_with("expected hour, day, or shuffle-within="), "{error}");
        }
        for text in ["hour", "day", "shuffle-within=1800s"] {
            assert_eq!(text.parse::<HiddenTimes>().unwrap().to_string(), text);
        }
        assert_eq!("shuffle-within=30m".parse(), Ok(HiddenTimes::Shuffled(SimSpan::from_secs(1_800))));
    }
}
