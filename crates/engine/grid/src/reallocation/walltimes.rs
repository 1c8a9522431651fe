//! Sufferages of jobs of one width on clusters that differ in speed.

use super::key::two_least;
use crate::Speed;
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeSet;

/// A cluster, and the start that it offers to all jobs of a width: completion times are a line over walltimes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) cluster: usize,
    pub(super) speed: Speed,
    pub(super) start: SimTime,
}

impl Line {
    /// When a job of this walltime would complete.
    pub(super) fn end(&self, walltime: SimSpan) -> SimTime {
        self.start.saturating_add(self.speed.time_of(walltime))
    }
    /// How much later a job completes that has one microsecond more.
    fn slope(&self) -> f64 {
        1_000.0 / f64::from(self.speed.thousandths())
    }
}

/// Jobs by walltime, in which the one that suffers most is found without examining all.
///
/// What a job would suffer, the best completion time missed, is the difference between the second lowest and the lowest line
/// at its walltime: pieces of straight lines that meet where two of the lines cross. So the most is at the first or the last
/// job, or next to a crossing; and as times are rounded up to microseconds, at some other that is almost as long.
#[derive(Debug)]
pub(super) struct Walltimes {
    /// In microseconds, and the job.
    jobs: BTreeSet<(u64, usize)>,
    /// Walltimes that differ by more than this, in microseconds, are in the right order on any straight piece; `None` if
    /// two clusters have the same speed, so that pieces may be level.
    rounding: Option<u64>,
}

impl Walltimes {
    pub(super) fn new(jobs: impl Iterator<Item = (SimSpan, usize)>, lines: &[Line]) -> Walltimes {
        let pairs = pairs(lines).map(|(a, b)| (a.slope() - b.slope()).abs());
        let least = pairs.fold(f64::INFINITY, f64::min);
        // Either time is rounded by less than 1, and there are two of each.
        let rounding = (least > 0.0).then(|| (4.0 / least).ceil() as u64 + 1);
        Walltimes { jobs: jobs.map(|(walltime, job)| (walltime.micros(), job)).collect(), rounding }
    }

    pub(super) fn remove(&mut self, walltime: SimSpan, job: usize) {
        self.jobs.remove(&(walltime.micros(), job));
    }

    /// More than any of the jobs suffers, in microseconds; `None` if none is left.
    pub(super) fn bound(&self, lines: &[Line]) -> Option<i64> {
        let (first, last) = (self.jobs.first()?.0 as f64, self.jobs.last()?.0 as f64);
        let base = lines.iter().map(|line| line.start.micros()).min()?;
        let at = |walltime: f64| {
            let end = |line: &Line| (line.start.micros() - base) as f64 + walltime * line.slope();
            two_least(lines.iter().map(end)).map_or(0.0, |(best, second)| second.unwrap_or(best) - best)
        };
        let between = crossings(lines).filter(|crossing| (first..=last).contains(crossing));
        let most = between.chain([first, last]).map(at).fold(0.0, f64::max);
        // Rounding of times, and of numbers.
        Some(most.ceil() as i64 + 4)
    }

    /// The job that suffers most, and how much, in microseconds; of several the first.
    pub(super) fn first(&self, lines: &[Line]) -> Option<(i64, usize)> {
        let mut first: Option<(i64, usize)> = None;
        let mut look = |from: u64, to: u64| {
            let mut from = from;
            while let Some(&(walltime, job)) = self.jobs.range((from, 0)..).next().filter(|next| next.0 <= to)
            {
                let suffers = suffers(lines, SimSpan::from_micros(walltime));
                if first.is_none_or(|(most, before)| suffers > most || suffers == most && job < before) {
                    first = Some((suffers, job));
                }
                // Those of the same walltime are behind.
                from = walltime + 1;
            }
        };
        let (shortest, longest) = (self.jobs.first()?.0, self.jobs.last()?.0);
        let Some(rounding) = self.rounding else {
            look(shortest, longest);
            return first;
        };
        let mut look_around = |walltime: f64| {
            // Negative numbers and those that are too large become the ends of the range.
            let below = self.jobs.range(..=(walltime.floor() as u64, usize::MAX)).next_back();
            let above = self.jobs.range((walltime.ceil() as u64, 0)..).next();
            if let Some(&(last, _)) = below {
                look(last.saturating_sub(rounding), last);
            }
            if let Some(&(next, _)) = above {
                look(next, next.saturating_add(rounding));
            }
        };
        look_around(shortest as f64);
        look_around(longest as f64);
        crossings(lines).for_each(look_around);
        first
    }
}

/// What a job suffers that cannot go where it completes first, in microseconds.
fn suffers(lines: &[Line], walltime: SimSpan) -> i64 {
    two_least(lines.iter().map(|line| line.end(walltime))).map_or(0, |(best, second)| {
        let second = second.unwrap_or(best);
        i64::try_from(second.since(best).micros()).unwrap_or(i64::MAX)
    })
}

fn pairs(lines: &[Line]) -> impl Iterator<Item = (&Line, &Line)> {
    lines.iter().enumerate().flat_map(|(at, a)| lines[at + 1..].iter().map(move |b| (a, b)))
}

/// The walltimes at which two clusters complete at the same time, in microseconds; some may be negative.
fn crossings(lines: &[Line]) -> impl Iterator<Item = f64> {
    pairs(lines).filter(|(a, b)| a.speed != b.speed).map(|(a, b)| {
        let later = a.start.micros().wrapping_sub(b.start.micros()) as i64 as f64;
        later / (b.slope() - a.slope())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(cluster: usize, (thousandths, start): (u32, u64)) -> Line {
        Line {
            cluster,
            speed: Speed::from_thousandths(thousandths).unwrap(),
            start: SimTime::from_micros(start),
        }
    }

    /// At starts 0 and 100 and speeds 1 and 2 both complete at 200 with a walltime of 200. A job of 190 misses 5, one of 260
    /// misses 30, one of 10 misses 95.
    #[test]
    fn the_extremes_suffer_most_on_two_clusters() {
        let lines = [line(0, (1_000, 0)), line(1, (2_000, 100))];
        let jobs = |walltimes: &[u64]| {
            let spans = walltimes.iter().map(|&micros| SimSpan::from_micros(micros));
            Walltimes::new(spans.zip(0..), &lines)
        };
        assert_eq!(jobs(&[190, 260, 10]).first(&lines), Some((95, 2)));
        assert_eq!(jobs(&[190, 260]).first(&lines), Some((30, 1)));
        assert_eq!(jobs(&[]).first(&lines), None);
    }

    fn scaled(scale: u64) -> impl Strategy<Value = (Vec<(u32, u64)>, Vec<u64>)> {
        let speed = prop::sample::select(vec![500, 999, 1_000, 1_200, 1_400, 3_000]);
        let lines = prop::collection::vec((speed, 0..300 * scale), 2..5);
        (lines, prop::collection::vec(1..1_000 * scale, 1..40))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        /// All jobs are examined, in small numbers, where rounding counts, and large ones.
        #[test]
        fn the_first_is_that_of_all((lines, walltimes) in prop_oneof![scaled(1), scaled(1_000_000_000)]) {
            let lines: Vec<Line> = (0..).zip(lines).map(|(at, it)| line(at, it)).collect();
            let spans: Vec<SimSpan> = walltimes.iter().map(|&micros| SimSpan::from_micros(micros)).collect();
            let all = (0..).zip(&spans).map(|(job, &span)| (suffers(&lines, span), job));
            let slow = all.max_by_key(|&(most, job)| (most, std::cmp::Reverse(job)));
            let fast = Walltimes::new(spans.iter().copied().zip(0..), &lines);
            prop_assert_eq!(fast.first(&lines), slow);
            prop_assert!(fast.bound(&lines) >= slow.map(|slow| slow.0));
        }
    }
}
