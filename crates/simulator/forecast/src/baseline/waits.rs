//! Predictions from past waits alone, without a simulation.

use dfrsim_model::{Job, SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// Wait of a job that has started.
#[derive(Clone, Copy, Debug)]
struct Wait {
    start: SimTime,
    wait: SimSpan,
}

/// Class of similar jobs: sizes and requested times that differ by less than a factor of two.
type Class = (u32, Option<u32>);

/// Waits of the past, by class and in the order of the starts.
#[derive(Clone, Debug, Default)]
pub struct PastWaits {
    classes: FxHashMap<Class, Vec<Wait>>,
    all: Vec<Wait>,
}

/// Time within which waits are recent: one week.
const RECENT: SimSpan = SimSpan::from_secs(7 * 86_400);

/// Smallest number of waits from which quantiles are computed.
const LEAST: usize = 10;

/// Largest number of waits that the method of Brevik, Nurmi and Wolski keeps.
const MOST: usize = 2_000;

/// Number of waits that it keeps after a change point: the smallest for which the upper bound of
/// the 0.95 quantile has a confidence of 0.95.
const AFTER_CHANGE: usize = 59;

/// Number of consecutive waits above that bound that indicate a change point.
const MISSES: u32 = 3;

fn class(job: &Job) -> Class {
    let request = job.requested_time.map(|span| (span.micros() / 1_000_000).max(1).ilog2());
    (job.tasks.max(1).ilog2(), request)
}

impl PastWaits {
    /// Indexes the waits of jobs with their starts.
    pub fn new<'a>(started: impl Iterator<Item = (&'a Job, SimTime)>) -> PastWaits {
        let mut past = PastWaits::default();
        for (job, start) in started {
            let wait = Wait { start, wait: start.saturating_since(job.submit) };
            past.classes.entry(class(job)).or_default().push(wait);
            past.all.push(wait);
        }
        past.classes.values_mut().chain([&mut past.all]).for_each(|waits| waits.sort_by_key(|it| it.start));
        past
    }

    /// Returns the waits of similar jobs that started by a time, in the order of the starts.
    fn similar(&self, job: &Job, at: SimTime) -> &[Wait] {
        started(self.classes.get(&class(job)).map_or(&[], |waits| waits), at)
    }

    /// Returns quantiles of the remaining wait of a job, from the waits of similar jobs that
    /// started in the last week and that waited longer than the job has; from all jobs if there
    /// are few.
    pub fn quantiles<const N: usize>(&self, job: &Job, at: SimTime, levels: [f64; N]) -> [SimSpan; N] {
        let since = SimTime::from_micros(at.micros().saturating_sub(RECENT.micros()));
        let waited = at.saturating_since(job.submit);
        let longer = |waits: &[Wait]| {
            let recent = &waits[waits.partition_point(|it| it.start < since)..];
            sorted(recent.iter().map(|it| it.wait).filter(|&wait| wait > waited))
        };
        let similar = longer(self.similar(job, at));
        let waits = if similar.len() < LEAST { longer(started(&self.all, at)) } else { similar };
        further(&waits, waited, levels.map(|level| (level * waits.len() as f64) as usize))
    }

    /// Returns quantiles of the remaining wait of a job by the method of Brevik, Nurmi and
    /// Wolski: order statistics of the waits of its class since the last change point, which is
    /// detected by consecutive waits above their upper bound.
    pub fn bounds<const N: usize>(&self, job: &Job, at: SimTime, levels: [f64; N]) -> [SimSpan; N] {
        let waited = at.saturating_since(job.submit);
        let similar = self.similar(job, at);
        let waits = since_last_change(if similar.len() < LEAST { started(&self.all, at) } else { similar });
        let waits = sorted(waits.iter().map(|it| it.wait).filter(|&wait| wait > waited));
        // Confidence is sought towards the outside of the interval.
        let place = |level: f64| match level {
            _ if level > 0.5 => upper_bound(waits.len(), level),
            _ if level < 0.5 => waits.len().saturating_sub(1 + upper_bound(waits.len(), 1.0 - level)),
            _ => waits.len() / 2,
        };
        further(&waits, waited, levels.map(place))
    }
}

fn started(waits: &[Wait], at: SimTime) -> &[Wait] {
    &waits[..waits.partition_point(|it| it.start <= at)]
}

fn sorted(waits: impl Iterator<Item = SimSpan>) -> Vec<SimSpan> {
    let mut waits: Vec<SimSpan> = waits.collect();
    waits.sort_unstable();
    waits
}

/// Subtracts the time that a job has waited from order statistics. If there are none, the job is
/// expected to wait for as long again.
fn further<const N: usize>(waits: &[SimSpan], waited: SimSpan, places: [usize; N]) -> [SimSpan; N] {
    places.map(|place| match waits.len() {
        0 => waited,
        count => waits[place.min(count - 1)] - waited,
    })
}

/// Returns the index of the smallest order statistic of `count` that is an upper bound of a
/// quantile with a confidence of 0.95, by the normal approximation of the binomial distribution;
/// the last index if there is none.
fn upper_bound(count: usize, level: f64) -> usize {
    const CONFIDENT: f64 = 1.645;
    let (count, mean) = (count as f64, count as f64 * level);
    let rank = (mean + CONFIDENT * (mean * (1.0 - level)).sqrt()).ceil();
    (rank.min(count) - 1.0).max(0.0) as usize
}

/// Returns the latest waits since the last change point.
fn since_last_change(waits: &[Wait]) -> &[Wait] {
    let waits = &waits[waits.len().saturating_sub(MOST)..];
    let (mut begin, mut misses) = (0, 0);
    let mut known = Vec::<SimSpan>::new();
    for (at, it) in waits.iter().enumerate() {
        if known.len() >= AFTER_CHANGE {
            let is_missed = it.wait > known[upper_bound(known.len(), 0.95)];
            misses = if is_missed { misses + 1 } else { 0 };
        }
        known.insert(known.partition_point(|&other| other <= it.wait), it.wait);
        if misses >= MISSES {
            begin = (at + 1).saturating_sub(AFTER_CHANGE).max(begin);
            known = sorted(waits[begin..=at].iter().map(|it| it.wait));
            misses = 0;
        }
    }
    &waits[begin..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::JobId;

    /// Jobs that start one after the other, after these waits in minutes.
    fn jobs(waits: impl Iterator<Item = u64>) -> Vec<(Job, SimTime)> {
        let job = |(at, wait): (u64, u64)| {
            let start = SimTime::from_secs(600_000 + 600 * at);
            let submit = SimTime::from_secs(600_000 + 600 * at - 60 * wait);
            (
                Job {
                    id: JobId(at),
                    submit,
                    requested_time: Some(SimSpan::from_secs(3_600)),
                    ..Job::default()
                },
                start,
            )
        };
        (0..).zip(waits).map(job).collect()
    }

    #[test]
    fn a_job_waits_as_similar_ones_that_waited_for_longer() {
        let past = jobs((0..20).map(|at| at % 10 + 1));
        let waits = PastWaits::new(past.iter().map(|(job, start)| (job, *start)));
        let at = SimTime::from_secs(612_000);
        let ago =
            |minutes: u64| Job { submit: SimTime::from_secs(612_000 - 60 * minutes), ..past[0].0.clone() };
        assert_eq!(waits.quantiles(&ago(0), at, [0.5]), [SimSpan::from_secs(360)]);
        assert_eq!(waits.quantiles(&ago(5), at, [0.5]), [SimSpan::from_secs(180)]);
        // None has waited for an hour: as long again.
        assert_eq!(waits.quantiles(&ago(60), at, [0.5]), [SimSpan::from_secs(3_600)]);
    }

    /// After three waits in a row beyond the bound, waits of the time before no longer count.
    #[test]
    fn a_change_is_found() {
        let past = jobs((0..400).map(|at| 10 + at % 7).chain((0..60).map(|_| 300)));
        let waits = PastWaits::new(past.iter().map(|(job, start)| (job, *start)));
        let (at, job) =
            (SimTime::from_secs(900_000), Job { submit: SimTime::from_secs(900_000), ..past[0].0.clone() });
        assert_eq!(waits.bounds(&job, at, [0.5]), [SimSpan::from_secs(18_000)]);
        let before = SimTime::from_secs(600_000 + 600 * 399);
        let job = Job { submit: before, ..job };
        assert!(waits.bounds(&job, before, [0.9])[0] <= SimSpan::from_secs(960));
    }
}
