//! Ranking of jobs by priority, as far down as needed.

use super::idle::IdleJobs;
use super::priority::{Ranked, Ranker};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// Jobs by descending rank.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    ranked: Vec<Ranked>,
    /// Rank down to which the last call of [`Ranking::rank_until`] found slightly more than enough
    /// jobs.
    down_to: Option<Ranked>,
}

impl Ranking {
    /// Ranks these jobs.
    pub(super) fn rank(&mut self, ranker: Ranker<'_>, jobs: impl Iterator<Item = JobHandle>) {
        self.ranked.clear();
        self.ranked.extend(jobs.map(|job| ranker.rank(job)));
        Ranked::sort(&mut self.ranked);
    }

    /// Ranks running and idle jobs in descending order, up to the first job for which `is_enough` is
    /// true.
    pub(super) fn rank_until(
        &mut self,
        now: SimTime,
        running: impl Iterator<Item = Ranked> + Clone,
        idle: &IdleJobs,
        mut is_enough: impl FnMut(JobHandle) -> bool,
    ) {
        let mut sorted = 0;
        self.ranked.clear();
        // Fast path: mostly, about as many jobs as the last time are enough, and their priorities
        // are similar.
        if let Some(last) = self.down_to {
            self.ranked.extend(running.clone().filter(|ranked| *ranked >= last));
            idle.collect_down_to(last, now, &mut self.ranked);
            Ranked::sort(&mut self.ranked);
            sorted = self.ranked.len();
            if let Some(end) = self.ranked.iter().position(|ranked| is_enough(ranked.job())) {
                return self.truncate_at(end);
            }
            self.ranked.extend(running.chain(idle.ranked(now)).filter(|ranked| *ranked < last));
        } else {
            self.ranked.extend(running.chain(idle.ranked(now)));
        }
        while sorted < self.ranked.len() {
            let rest = &mut self.ranked[sorted..];
            let next = rest.len().min(sorted.max(256));
            if next < rest.len() {
                rest.select_nth_unstable_by(next, |a, b| b.cmp(a));
            }
            Ranked::sort(&mut rest[..next]);
            if let Some(end) = rest[..next].iter().position(|ranked| is_enough(ranked.job())) {
                self.ranked.truncate(sorted + next);
                return self.truncate_at(sorted + end);
            }
            sorted += next;
        }
        self.down_to = None;
    }

    /// Drops the ranking after index `end`, and records a lower rank for the next call.
    fn truncate_at(&mut self, end: usize) {
        // Some slack, so that the number of jobs needed may vary.
        let more = end + end / 4 + 16;
        let lowest = self.ranked.last().copied().into_iter().chain(self.down_to).min();
        self.down_to = self.ranked.get(more).copied().or(lowest);
        self.ranked.truncate(end + 1);
    }

    pub(super) fn highest_first(&self) -> impl DoubleEndedIterator<Item = JobHandle> + '_ {
        self.ranked.iter().map(Ranked::job)
    }
}
