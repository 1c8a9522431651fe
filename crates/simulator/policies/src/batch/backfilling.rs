//! FCFS and EASY.

use super::head::Head;
use super::running::Run;
use super::scheduler::{BatchScheduler, Beside};
use dfrsim_cluster::{Decision, View};
use dfrsim_model::SimTime;
use dfrsim_model::batch::Discipline;

impl BatchScheduler {
    /// Starts jobs in the order of the queue until one cannot: the head. With EASY that has a reservation, made again in each pass, at the
    /// earliest moment at which it will have room; of the jobs behind it, which are tried in an order of their own if the policy has one,
    /// those start that do not delay it (Lifka 1995; Mu'alem and Feitelson 2001, section 2). While the head cannot have a reservation,
    /// since too many nodes are down, all others go before it.
    pub(super) fn backfill(&mut self, view: View<'_>, decision: &mut Decision) {
        let first = self.start_in_turn(view, decision);
        if let Some(first) = first.filter(|_| self.policy.discipline != Discipline::Fcfs && !self.is_full()) {
            self.backfill_behind(view, first, decision);
        }
    }

    /// Starts jobs behind the first one that cannot start.
    #[inline(never)]
    fn backfill_behind(&mut self, view: View<'_>, first: usize, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.clock(view.now()));
        if !clock.backfills {
            return;
        }
        // Jobs that find no room now are passed over where none makes room for them, and they count for no depth.
        let passes_over = self.site.is_none() || !self.preempts() && clock.tests == u32::MAX;
        let next = if passes_over { self.next_fitting(first + 1) } else { Some(first + 1) };
        let Some(at) = next else { return };
        let head = self.reservation(now, first);
        self.queue.sort_behind(first + 1, now);
        let at = if self.policy.fill.is_some() { first + 1 } else { at };
        self.try_from(at, view, (clock.tests - 1, passes_over), head, decision);
        self.queue.sort_back(now);
    }

    /// Starts those jobs from a place in the queue on that do not delay the head, of as many as may be tried.
    fn try_from(
        &mut self,
        mut at: usize,
        view: View<'_>,
        (mut tests, passes_over): (u32, bool),
        mut head: Option<Head>,
        decision: &mut Decision,
    ) {
        let now = view.now();
        while at < self.queue.jobs.len() && tests > 0 && !self.is_full() {
            if let Some(head) = head.as_ref().filter(|_| passes_over) {
                let Some(next) = self.next_candidate(now, at, head) else { return };
                at = next;
            }
            if self.holds(self.queue.jobs[at].job.job) {
                at += 1;
                continue;
            }
            let room = match (&self.site, &mut head) {
                (None, None) => self.pools.room_now(now, &self.queue.jobs[at]),
                (None, Some(head)) => head.room_beside(&mut self.pools, now, &self.queue.jobs[at]),
                (Some(_), head) => {
                    let beside = head.as_mut().map_or(Beside::NoReservation, Beside::Head);
                    self.room_or_make(view, &self.planned(now, at), beside, decision)
                }
            };
            match room {
                Some(room) => self.start_waiting(view, at, room, decision),
                None => at += 1,
            }
            tests -= 1;
        }
    }

    /// Starts jobs in the order of the queue until one cannot; returns its place.
    fn start_in_turn(&mut self, view: View<'_>, decision: &mut Decision) -> Option<usize> {
        let (now, mut at) = (view.now(), 0);
        while at < self.queue.jobs.len() {
            let room = if self.site.is_none() {
                self.pools.room_now(now, &self.queue.jobs[at])
            } else if self.holds(self.queue.jobs[at].job.job) {
                at += 1;
                continue;
            } else {
                self.room_or_make(view, &self.planned(now, at), Beside::NoReservation, decision)
            };
            let Some(room) = room else { return Some(at) };
            self.start_waiting(view, at, room, decision);
        }
        None
    }

    /// Whether no job can start: none makes others leave, and no core or node is free.
    fn is_full(&self) -> bool {
        self.pools.is_full() && !self.preempts()
    }

    /// The reservation of the job at a place in the queue, if it can have one.
    fn reservation(&mut self, now: SimTime, at: usize) -> Option<Head> {
        self.pools.count(self.queue.jobs[at].need);
        if self.releases_are_ends() {
            return Head::new(&self.pools, now, &self.queue.jobs[at], self.running.releases(now));
        }
        Head::new(&self.pools, now, &self.planned(now, at), self.releases(now).into_iter())
    }

    /// Whether no end is rounded and no window comes before one.
    fn releases_are_ends(&self) -> bool {
        let rounds = self.site.as_ref().is_some_and(|site| site.settings().backfill.resolution_s > 0);
        !rounds && !self.pools.has_windows
    }

    /// The next job from a place in the queue on that might find room now.
    fn next_fitting(&self, from: usize) -> Option<usize> {
        let mut jobs = self.queue.jobs.range(from..);
        let found = match self.pools.single() {
            Some(free) => jobs.position(|job| u64::from(job.job.width) <= free),
            None => jobs.position(self.pools.might_fit()),
        };
        Some(from + found?)
    }

    /// The same beside the head.
    fn next_candidate(&self, now: SimTime, from: usize, head: &Head) -> Option<usize> {
        let Some(free) = self.pools.single() else { return self.next_fitting(from) };
        let (mut jobs, speed) = (self.queue.jobs.range(from..), self.pools.groups[0].speed);
        let found = jobs.position(|job| {
            let width = u64::from(job.job.width);
            width <= free && (width <= head.spare || job.job.end(now, speed) <= head.time)
        });
        Some(from + found?)
    }

    /// The running jobs in the order in which they are expected to leave their nodes, with these moments.
    pub(super) fn releases(&self, now: SimTime) -> Vec<(SimTime, &Run)> {
        if self.releases_are_ends() {
            return self.running.releases(now).collect();
        }
        let release = |run| (Run::release(run, now, &self.pools, self.site.as_deref()), run);
        let mut all: Vec<(SimTime, &Run)> = self.running.iter().map(release).collect();
        all.sort_by_key(|(end, run)| (*end, run.sequence));
        all
    }
}
