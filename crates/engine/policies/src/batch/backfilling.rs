//! FCFS and EASY.

use super::head::Head;
use super::policy::Discipline;
use super::running::Run;
use super::scheduler::{BatchScheduler, Beside};
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;

impl BatchScheduler {
    /// Starts jobs in the order of the queue until one cannot: the head. With EASY that has a reservation, made again in each pass, at the
    /// earliest moment at which it will have room; of the jobs behind it those start that do not delay it (Lifka 1995; Mu'alem and
    /// Feitelson 2001, section 2). While the head cannot have a reservation, since too many nodes are down, all others go before it.
    pub(super) fn backfill(&mut self, view: View<'_>, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.clock(view.now()));
        let backfills = clock.backfills && self.policy.discipline != Discipline::Fcfs;
        let (mut at, mut tests) = (0, clock.tests);
        let mut head: Option<Option<Head>> = None;
        while at < self.queue.jobs.len() {
            if let (None, Some(head)) = (&self.site, &head) {
                let Some(next) = self.next_candidate(now, at, head.as_ref()) else { return };
                at = next;
            }
            if self.holds(self.queue.jobs[at].job.job) {
                at += 1;
                continue;
            }
            let room = match (&self.site, head.as_mut().and_then(Option::as_mut)) {
                (None, None) => self.pools.room_now(now, &self.queue.jobs[at]),
                (None, Some(head)) => self.pools.room_beside(now, &self.queue.jobs[at], head),
                (Some(_), head) => {
                    let beside = head.map_or(Beside::NoReservation, Beside::Head);
                    self.room_or_make(view, &self.planned(now, at), beside, decision)
                }
            };
            if let Some(room) = room {
                let job = self.queue.take(at);
                self.start(view, &job, room, decision);
            } else {
                if head.is_none() {
                    if !backfills || self.pools.is_full() && !self.preempts() {
                        return;
                    }
                    head = Some(self.reservation(now, at));
                }
                at += 1;
            }
            if head.is_some() {
                tests -= 1;
                if tests == 0 || self.pools.is_full() && !self.preempts() {
                    return;
                }
            }
        }
    }

    /// The reservation of the job at a place in the queue, if it can have one.
    fn reservation(&self, now: SimTime, at: usize) -> Option<Head> {
        if self.releases_are_ends() {
            return Head::new(&self.pools, now, &self.queue.jobs[at], self.running.releases(now));
        }
        Head::new(&self.pools, now, &self.planned(now, at), self.releases(now).into_iter())
    }

    /// Whether no end is rounded and no window comes before one.
    fn releases_are_ends(&self) -> bool {
        let rounds = self.site.as_ref().is_some_and(|site| site.settings().backfill.resolution_s > 0);
        !rounds && !self.pools.has_windows()
    }

    /// The next job from a place in the queue on that might start beside the head.
    fn next_candidate(&self, now: SimTime, from: usize, head: Option<&Head>) -> Option<usize> {
        let mut jobs = self.queue.jobs.range(from..);
        let found = match (self.pools.single(), head) {
            (Some(free), Some(head)) => {
                let speed = self.pools.groups[0].speed;
                jobs.position(|job| {
                    let width = u64::from(job.job.width);
                    width <= free && (width <= head.spare || job.job.end(now, speed) <= head.time)
                })
            }
            _ => jobs.position(|job| self.pools.might_fit(job)),
        };
        Some(from + found?)
    }

    /// The running jobs in the order in which they are expected to leave their nodes, with these moments.
    pub(super) fn releases(&self, now: SimTime) -> Vec<(SimTime, &Run)> {
        if self.releases_are_ends() {
            return self.running.releases(now).collect();
        }
        let release = |run: &Run| run.release(now, &self.pools, |span| self.rounded(now, span));
        let mut all: Vec<(SimTime, &Run)> =
            self.running.by_end.iter().map(|run| (release(run), run)).collect();
        all.sort_by_key(|(end, run)| (*end, run.sequence));
        all
    }
}
