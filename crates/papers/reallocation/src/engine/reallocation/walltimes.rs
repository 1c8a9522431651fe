//! The walltimes of jobs of one width, on clusters that may differ in speed.

use super::key::{Ends, Key, two_least};
use crate::engine::{Heuristic, Speed};
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

/// Jobs of a width by walltime, in which the one that comes first is found without examining all.
///
/// The best completion time is the lowest line at the walltime of a job, and what the job suffers that misses it the difference between the
/// second lowest line and that one: pieces of straight lines that meet where two of the lines cross. So the job that completes first or
/// last is the first or the last one, the one that suffers most one of these or next to a crossing; and as times are rounded up to
/// microseconds, some other that is almost as long.
#[derive(Debug)]
pub(super) struct Walltimes {
    heuristic: Heuristic,
    /// In microseconds, and the job.
    jobs: BTreeSet<(u64, usize)>,
    /// Whether all jobs are alike to the heuristic, as they suffer the same on clusters of one speed. Then their walltimes are 0 here.
    are_alike: bool,
    /// Walltimes that differ by more than this, in microseconds, are in the right order on any straight piece; `None` if
    /// two clusters have the same speed, so that pieces may be level.
    rounding: Option<u64>,
}

impl Walltimes {
    pub(super) fn new(
        heuristic: Heuristic,
        jobs: impl Iterator<Item = (SimSpan, usize)>,
        lines: &[Line],
    ) -> Walltimes {
        let suffers = heuristic == Heuristic::Sufferage;
        let pairs = pairs(lines).filter(|_| suffers).map(|(a, b)| (a.slope() - b.slope()).abs());
        let level = lines.iter().filter(|_| !suffers).map(Line::slope);
        let least = pairs.chain(level).fold(f64::INFINITY, f64::min);
        // Either time is rounded by less than 1, and there are two of each.
        let rounding = (least > 0.0).then(|| (4.0 / least).ceil() as u64 + 1);
        let are_alike = suffers && lines.iter().all(|line| line.speed == lines[0].speed);
        let mut walltimes = Walltimes { heuristic, jobs: BTreeSet::new(), are_alike, rounding };
        walltimes.jobs = jobs.map(|(walltime, job)| (walltimes.place(walltime), job)).collect();
        walltimes
    }

    fn place(&self, walltime: SimSpan) -> u64 {
        if self.are_alike { 0 } else { walltime.micros() }
    }

    pub(super) fn remove(&mut self, walltime: SimSpan, job: usize) {
        self.jobs.remove(&(self.place(walltime), job));
    }

    /// What is compared of a job, in microseconds.
    fn value(&self, lines: &[Line], walltime: u64) -> i64 {
        let ends = lines.iter().map(|line| line.end(SimSpan::from_micros(walltime)));
        let (best, second) = two_least(ends).unwrap_or((SimTime::MAX, None));
        Key::of(self.heuristic, &Ends { current: best, new: None, best, second }, 1).value()
    }

    /// The walltimes at which the value may be largest, apart from rounding: the shortest, the longest, and those beside crossings.
    fn extremes(&self, lines: &[Line]) -> Option<impl Iterator<Item = u64>> {
        let (shortest, longest) = (self.jobs.first()?.0, self.jobs.last()?.0);
        let crossings = (self.heuristic == Heuristic::Sufferage).then(|| crossings(lines));
        // Negative numbers and those that are too large become the ends of the range.
        let beside = crossings.into_iter().flatten().flat_map(|at| [at.floor() as u64, at.ceil() as u64]);
        Some(beside.chain([shortest, longest]).map(move |at| at.clamp(shortest, longest)))
    }

    /// At least the value of any of the jobs; `None` if none is left.
    pub(super) fn bound(&self, lines: &[Line]) -> Option<i64> {
        let most = self.extremes(lines)?.map(|walltime| self.value(lines, walltime)).max()?;
        let steepest = lines.iter().map(Line::slope).fold(0.0, f64::max);
        // Rounding of times, and of numbers.
        Some(most.saturating_add(4 + steepest.ceil() as i64))
    }

    /// The job of the largest value, and that; of several the first.
    pub(super) fn first(&self, lines: &[Line]) -> Option<(i64, usize)> {
        let mut first: Option<(i64, usize)> = None;
        let mut look = |from: u64, to: u64| {
            let mut from = from;
            while let Some(&(walltime, job)) = self.jobs.range((from, 0)..).next().filter(|next| next.0 <= to)
            {
                let value = self.value(lines, walltime);
                if first.is_none_or(|(most, before)| value > most || value == most && job < before) {
                    first = Some((value, job));
                }
                // Those of the same walltime are behind.
                from = walltime + 1;
            }
        };
        let rounding = self.rounding.unwrap_or(u64::MAX);
        for extreme in self.extremes(lines)? {
            if let Some(&(last, _)) = self.jobs.range(..=(extreme, usize::MAX)).next_back() {
                look(last.saturating_sub(rounding), last);
            }
            if let Some(&(next, _)) = self.jobs.range((extreme, 0)..).next() {
                look(next, next.saturating_add(rounding));
            }
        }
        first
    }
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
            Walltimes::new(Heuristic::Sufferage, spans.zip(0..), &lines)
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
            let spans = || walltimes.iter().map(|&micros| SimSpan::from_micros(micros)).zip(0..);
            for heuristic in [Heuristic::MinMin, Heuristic::MaxMin, Heuristic::Sufferage] {
                let fast = Walltimes::new(heuristic, spans(), &lines);
                let all = spans().map(|(span, job)| (fast.value(&lines, fast.place(span)), job));
                let slow = all.max_by_key(|&(most, job)| (most, std::cmp::Reverse(job)));
                prop_assert_eq!(fast.first(&lines), slow);
                prop_assert!(fast.bound(&lines) >= slow.map(|slow| slow.0));
            }
        }
    }
}
