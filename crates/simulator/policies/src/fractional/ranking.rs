//! Jobs by priority, as many of them as are asked for.

use super::idle::Idle;
use super::priority::{Ranked, Ranker};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// Jobs by decreasing priority.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    ranked: Vec<Ranked>,
    /// Down to this one there were more than enough when [`Ranking::rank_until`] was last called.
    down_to: Option<Ranked>,
}

impl Ranking {
    /// Ranks these jobs.
    pub(super) fn rank(&mut self, ranker: Ranker<'_>, jobs: impl Iterator<Item = JobHandle>) {
        self.ranked.clear();
        self.ranked.extend(jobs.map(|job| ranker.of(job)));
        Ranked::sort(&mut self.ranked);
    }

    /// Ranks the running jobs and those on no node from the highest priority on up to the first that is said to be enough.
    pub(super) fn rank_until(
        &mut self,
        now: SimTime,
        running: impl Iterator<Item = Ranked> + Clone,
        idle: &Idle,
        mut is_enough: impl FnMut(JobHandle) -> bool,
    ) {
        let mut sorted = 0;
        self.ranked.clear();
        // Mostly about as many as the last time are enough, and they have about the same priorities.
        if let Some(last) = self.down_to {
            self.ranked.extend(running.clone().filter(|ranked| *ranked >= last));
            idle.down_to(last, now, &mut self.ranked);
            Ranked::sort(&mut self.ranked);
            sorted = self.ranked.len();
            if let Some(end) = self.ranked.iter().position(|ranked| is_enough(ranked.job())) {
                return self.end_at(end);
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
                return self.end_at(sorted + end);
            }
            sorted += next;
        }
        self.down_to = None;
    }

    /// Leaves out those that are sorted behind this place.
    fn end_at(&mut self, end: usize) {
        // A few more than were needed, so that their number may vary.
        let more = end + end / 4 + 16;
        let lowest = self.ranked.last().copied().into_iter().chain(self.down_to).min();
        self.down_to = self.ranked.get(more).copied().or(lowest);
        self.ranked.truncate(end + 1);
    }

    pub(super) fn highest_first(&self) -> impl DoubleEndedIterator<Item = JobHandle> + '_ {
        self.ranked.iter().map(Ranked::job)
    }
}
