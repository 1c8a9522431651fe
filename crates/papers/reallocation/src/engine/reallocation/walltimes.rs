//! Walltimes of jobs of one width, on clusters that may differ in speed.

use super::key::{Ends, Key, two_smallest};
use crate::engine::{Heuristic, Speed};
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeSet;

/// Cluster with the start that it offers to all jobs of a width. Completion time is a linear
/// function of the walltime.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterLine {
    pub(super) cluster: usize,
    pub(super) speed: Speed,
    pub(super) start: SimTime,
}

impl ClusterLine {
    /// Returns the completion time of a job with this walltime.
    pub(super) fn end(&self, walltime: SimSpan) -> SimTime {
        self.start.saturating_add(self.speed.time_of(walltime))
    }
    /// Returns the increase of the completion time per unit of walltime.
    fn slope(&self) -> f64 {
        1_000.0 / f64::from(self.speed.thousandths())
    }
}

/// Jobs of a width by walltime, with a search for the first one that does not examine all.
///
/// The best completion time is the lowest line at the walltime of a job, and the sufferage is the
/// difference between the second lowest line and that one: pieces of straight lines that meet where
/// two of the lines cross. So the job that completes first or last is the first or the last one, and
/// the job with the largest sufferage is one of these or next to a crossing. As times are rounded up
/// to microseconds, it may also be another job that is almost as long.
#[derive(Debug)]
pub(super) struct Walltimes {
    heuristic: Heuristic,
    /// Walltime in microseconds, and the job.
    jobs: BTreeSet<(u64, usize)>,
    /// True if all jobs are equal to the heuristic, as their sufferages are equal on clusters of one
    /// speed. The walltimes stored here are then 0.
    all_equal: bool,
    /// Rounding tolerance: walltimes that differ by more than this, in microseconds, are in the
    /// right order on any straight piece. `None` if two clusters have the same speed, so that pieces
    /// may be constant.
    rounding: Option<u64>,
}

impl Walltimes {
    pub(super) fn new(
        heuristic: Heuristic,
        jobs: impl Iterator<Item = (SimSpan, usize)>,
        lines: &[ClusterLine],
    ) -> Walltimes {
        let suffers = heuristic == Heuristic::Sufferage;
        let pairs = pairs(lines).filter(|_| suffers).map(|(a, b)| (a.slope() - b.slope()).abs());
        let level = lines.iter().filter(|_| !suffers).map(ClusterLine::slope);
        let least = pairs.chain(level).fold(f64::INFINITY, f64::min);
        // Each time is rounded by less than 1, and a difference of two sufferages contains four
        // times.
        let rounding = (least > 0.0).then(|| (4.0 / least).ceil() as u64 + 1);
        let are_alike = suffers && lines.iter().all(|line| line.speed == lines[0].speed);
        let mut walltimes = Walltimes { heuristic, jobs: BTreeSet::new(), all_equal: are_alike, rounding };
        walltimes.jobs = jobs.map(|(walltime, job)| (walltimes.sort_key(walltime), job)).collect();
        walltimes
    }

    fn sort_key(&self, walltime: SimSpan) -> u64 {
        if self.all_equal { 0 } else { walltime.micros() }
    }

    pub(super) fn remove(&mut self, walltime: SimSpan, job: usize) {
        self.jobs.remove(&(self.sort_key(walltime), job));
    }

    /// Computes the compared value of a job, in microseconds.
    fn value(&self, lines: &[ClusterLine], walltime: u64) -> i64 {
        let ends = lines.iter().map(|line| line.end(SimSpan::from_micros(walltime)));
        let (best, second) = two_smallest(ends).unwrap_or((SimTime::MAX, None));
        Key::of(self.heuristic, &Ends { current: best, new: None, best, second }, 1).value()
    }

    /// Returns the walltimes at which the value may be largest, apart from rounding: the shortest,
    /// the longest, and those next to crossings.
    fn extremes(&self, lines: &[ClusterLine]) -> Option<impl Iterator<Item = u64>> {
        let (shortest, longest) = (self.jobs.first()?.0, self.jobs.last()?.0);
        let crossings = (self.heuristic == Heuristic::Sufferage).then(|| crossings(lines));
        // The conversion saturates, so negative or too large crossings become the ends of the range.
        let near_crossings =
            crossings.into_iter().flatten().flat_map(|at| [at.floor() as u64, at.ceil() as u64]);
        Some(near_crossings.chain([shortest, longest]).map(move |at| at.clamp(shortest, longest)))
    }

    /// Computes an upper bound on the value of all jobs; `None` if none is left.
    pub(super) fn bound(&self, lines: &[ClusterLine]) -> Option<i64> {
        let most = self.extremes(lines)?.map(|walltime| self.value(lines, walltime)).max()?;
        let steepest = lines.iter().map(ClusterLine::slope).fold(0.0, f64::max);
        // Allows for the rounding of times and of floating-point numbers.
        Some(most.saturating_add(4 + steepest.ceil() as i64))
    }

    /// Finds the job with the largest value; ties go to the lowest job number. Returns the value and
    /// the job.
    pub(super) fn first(&self, lines: &[ClusterLine]) -> Option<(i64, usize)> {
        let mut first: Option<(i64, usize)> = None;
        let mut look = |from: u64, to: u64| {
            let mut from = from;
            while let Some(&(walltime, job)) = self.jobs.range((from, 0)..).next().filter(|next| next.0 <= to)
            {
                let value = self.value(lines, walltime);
                if first.is_none_or(|(most, before)| value > most || value == most && job < before) {
                    first = Some((value, job));
                }
                // Further jobs of equal walltime have higher numbers.
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

fn pairs(lines: &[ClusterLine]) -> impl Iterator<Item = (&ClusterLine, &ClusterLine)> {
    lines.iter().enumerate().flat_map(|(at, a)| lines[at + 1..].iter().map(move |b| (a, b)))
}

/// Computes the walltimes at which two clusters complete at the same time, in microseconds; some may
/// be negative.
fn crossings(lines: &[ClusterLine]) -> impl Iterator<Item = f64> {
    pairs(lines).filter(|(a, b)| a.speed != b.speed).map(|(a, b)| {
        let later = a.start.micros().wrapping_sub(b.start.micros()) as i64 as f64;
        later / (b.slope() - a.slope())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(cluster: usize, (thousandths, start): (u32, u64)) -> ClusterLine {
        ClusterLine {
            cluster,
            speed: Speed::from_thousandths(thousandths).unwrap(),
            start: SimTime::from_micros(start),
        }
    }

    /// Two clusters with starts 0 and 100 and speeds 1 and 2 both complete at 200 for a walltime of
    /// 200. The sufferage is 5 for a walltime of 190, 30 for 260 and 95 for 10.
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
        #![proptest_config(ProptestConfig::with_cases(dfrsim_testing::cases(4_000)))]
        /// Examines all jobs as a reference, for small numbers, where rounding matters, and for
        /// large ones.
        #[test]
        fn the_first_is_that_of_all((lines, walltimes) in prop_oneof![scaled(1), scaled(1_000_000_000)]) {
            let lines: Vec<ClusterLine> = (0..).zip(lines).map(|(at, it)| line(at, it)).collect();
            let spans = || walltimes.iter().map(|&micros| SimSpan::from_micros(micros)).zip(0..);
            for heuristic in [Heuristic::MinMin, Heuristic::MaxMin, Heuristic::Sufferage] {
                let fast = Walltimes::new(heuristic, spans(), &lines);
                let all = spans().map(|(span, job)| (fast.value(&lines, fast.sort_key(span)), job));
                let slow = all.max_by_key(|&(most, job)| (most, std::cmp::Reverse(job)));
                prop_assert_eq!(fast.first(&lines), slow);
                prop_assert!(fast.bound(&lines) >= slow.map(|slow| slow.0));
            }
        }
    }
}
