//! What happens to jobs that arrive, and to those that are tried again as if they did.

use super::FractionalScheduler;
use crate::fractional::OnSubmission;
use crate::fractional::admission;
use crate::fractional::nodes::{Nodes, Room, Task, Wanted};
use crate::fractional::priority::Ranked;
use dfrsim_cluster::{JobHandle, JobState, View};
use dfrsim_model::SimTime;

/// The nodes at a moment and after a number of changes of the mapping, without a number of the jobs that may leave them.
#[derive(Debug)]
pub(super) struct Vacated {
    at: (SimTime, u64),
    nodes: Box<dyn Nodes>,
    left: usize,
}

impl FractionalScheduler {
    pub(super) fn admit(&mut self, view: View<'_>, job: JobHandle) {
        match self.policy.on_submission {
            OnSubmission::Nothing | OnSubmission::Mcb => {}
            OnSubmission::Greedy => {
                self.mapper.place_greedily(view, job);
            }
            OnSubmission::GreedyP | OnSubmission::GreedyPM if self.unmarks_after_placing() => {
                self.place_then_unmark(view, job);
            }
            OnSubmission::GreedyP | OnSubmission::GreedyPM => {
                let spreads = self.policy.extensions.spread;
                if !(spreads && self.place_or_make_room(view, Wanted::spread(view, job))) {
                    self.place_or_make_room(view, Wanted::of(view, job));
                }
            }
        }
    }

    /// Places a job as it is wanted, if need be where others leave; whether that was possible.
    fn place_or_make_room(&mut self, view: View<'_>, wanted: Wanted) -> bool {
        if self.mapper.place(view, wanted) {
            return true;
        }
        let job = wanted.task.job;
        if self.mapper.holds(job) {
            return false;
        }
        self.rank_leavers(view);
        let ranker = self.mapper.ranker(view);
        let claim = ranker.claim(job, self.swap_factor(view, job));
        if self.mapper.site.is_none() && self.policy.extensions.retry.is_some() {
            // Many jobs are tried at one moment, and most find no room. Without levels those that may leave are the first ones.
            let leaving = self.leavers.partition_point(|&other| ranker.makes_leave(claim, other));
            if !self.have_room_without(view, leaving, wanted) {
                return false;
            }
        }
        let marked = admission::mark(&mut self.mapper, view, &self.leavers, wanted, claim);
        let Some(mut evicted) = marked else { return false };
        admission::unmark_beside(&mut self.mapper, view, &mut evicted, wanted);
        let placed = self.mapper.place(view, wanted);
        debug_assert!(placed, "room was made");
        if self.policy.on_submission == OnSubmission::GreedyPM {
            admission::move_where_free(&mut self.mapper, view, &evicted, &mut self.room);
        }
        self.evicted.extend(evicted);
        true
    }

    fn place_then_unmark(&mut self, view: View<'_>, job: JobHandle) {
        if self.mapper.holds(job) {
            return;
        }
        self.rank_leavers(view);
        let wanted = Wanted::of(view, job);
        let claim = self.mapper.ranker(view).claim(job, None);
        let marked = admission::mark(&mut self.mapper, view, &self.leavers, wanted, claim);
        let Some(marked) = marked else { return };
        let placed = self.mapper.place_greedily(view, job);
        debug_assert!(placed, "room was made");
        let mut evicted = std::mem::take(&mut self.evicted);
        evicted.extend(marked);
        let place = |job: JobHandle| self.leavers.iter().rev().position(|other| other.job() == job);
        evicted.sort_by_cached_key(|(job, _)| place(*job));
        admission::unmark_where_free(&mut self.mapper, view, &mut evicted);
        self.evicted = evicted;
    }

    /// Tries jobs on no node as if they arrived, by decreasing priority: all but those that did so at this moment.
    pub(super) fn retry(&mut self, view: View<'_>, is_new: impl Fn(JobHandle) -> bool) {
        if self.policy.extensions.retry.is_none() {
            return;
        }
        let rest = self.of_protected(view);
        // What is refused to paused jobs is not refused to those that wait, as these may displace more.
        let (mut room, mut room_of_paused, mut free) = (Room::default(), Room::default(), Room::default());
        rest.note(&mut room);
        let mut tried = Vec::new();
        let ranker = self.mapper.ranker(view);
        for job in view.jobs().iter().copied().filter(|job| !self.rejected.contains(job)) {
            // Those that were paused at this moment still count as running, and are left out.
            let is_tried = match view.job(job).state() {
                JobState::Waiting => true,
                JobState::Paused => self.policy.extensions.swap.is_some(),
                _ => false,
            };
            let is_meant = is_tried && !is_new(job) && !self.mapper.runs(job);
            if is_meant && rest.take(&mut room, Wanted::of(view, job)) {
                tried.push(ranker.of(job));
            }
        }
        Ranked::sort(&mut tried);
        let (mut lowest, mut is_changed) = (None, true);
        for job in tried.into_iter().map(|ranked| ranked.job()) {
            let ranker = self.mapper.ranker(view);
            if std::mem::take(&mut is_changed) {
                rest.note(&mut room_of_paused);
                self.mapper.nodes.note(&mut free);
                lowest = ranker.first_to_leave(self.mapper.placed());
            }
            let wanted = Wanted::of(view, job);
            let factor = self.swap_factor(view, job);
            let displaces = lowest.is_some_and(|other| ranker.makes_leave(ranker.claim(job, factor), other));
            let (nodes, room) = match factor {
                None => (&rest, &mut room),
                Some(_) if displaces => (&rest, &mut room_of_paused),
                Some(_) => (&self.mapper.nodes, &mut free),
            };
            if !nodes.take(room, wanted) || self.mapper.holds(job) {
                continue;
            }
            self.admit(view, job);
            is_changed = self.mapper.runs(job);
            if is_changed {
                continue;
            }
            // For those that follow there is no more room than for this one; but a site may rank a paused job before others that
            // displace more.
            match factor {
                None => room.refuse(wanted.task.memory, wanted.tasks),
                Some(_) if self.mapper.site.is_none() => {
                    room_of_paused.refuse(wanted.task.memory, wanted.tasks);
                }
                Some(_) => {}
            }
        }
    }

    /// By how much the priority of a paused job must exceed that of one that leaves for it.
    fn swap_factor(&self, view: View<'_>, job: JobHandle) -> Option<u32> {
        self.policy.extensions.swap.filter(|_| view.job(job).state() == JobState::Paused)
    }

    /// Ranks the jobs that are on nodes now or were so at the begin of this moment, and may give way to others as far as
    /// `/PAY` goes. At one moment that depends on which jobs they are and, at a site, on what is on nodes.
    fn rank_leavers(&mut self, view: View<'_>) {
        let state = (view.now(), self.mapper.involvements());
        if self.mapper.site.is_none() && self.leavers_at == Some(state) {
            return;
        }
        self.leavers_at = Some(state);
        let ranker = self.mapper.ranker(view);
        let mut leavers = std::mem::take(&mut self.leavers);
        leavers.clear();
        let giving_way = self.mapper.involved().filter(|&job| self.gives_way(view, job));
        leavers.extend(giving_way.map(|job| ranker.of(job)));
        leavers.sort_unstable();
        self.leavers = leavers;
    }

    /// Whether there would be room if this many of the jobs that may leave did so, the lowest ranks first. From one question to
    /// the next only the difference leaves or comes back.
    fn have_room_without(&mut self, view: View<'_>, leaving: usize, wanted: Wanted) -> bool {
        let state = (view.now(), self.mapper.changes());
        let (mapper, leavers) = (&self.mapper, &self.leavers);
        let on =
            |place: usize| (mapper.placement(leavers[place].job()), Task::of(view, leavers[place].job()));
        let vacated = match self.vacated.take() {
            Some(vacated) if vacated.at == state => vacated,
            _ => {
                let mut nodes = mapper.nodes.emptied();
                mapper.placed().for_each(|job| nodes.add(mapper.placement(job), Task::of(view, job)));
                Vacated { at: state, nodes, left: 0 }
            }
        };
        let Vacated { nodes, left, .. } = self.vacated.insert(vacated);
        while *left < leaving {
            let (placement, task) = on(*left);
            nodes.remove(placement, task);
            *left += 1;
        }
        while *left > leaving {
            *left -= 1;
            let (placement, task) = on(*left);
            nodes.add(placement, task);
        }
        nodes.room(wanted) >= u64::from(wanted.tasks)
    }

    /// The nodes with those jobs alone that `/PAY` protects.
    fn of_protected(&self, view: View<'_>) -> Box<dyn Nodes> {
        let mut nodes = self.mapper.nodes.emptied();
        for job in self.mapper.placed().filter(|&job| !self.gives_way(view, job)) {
            nodes.add(self.mapper.placement(job), Task::of(view, job));
        }
        nodes
    }

    /// When jobs on no node are tried again if no event occurs until then.
    pub(super) fn next_retry(&self, view: View<'_>) -> Option<SimTime> {
        let span = self.policy.extensions.retry?;
        let waits = self.jobs(view).any(|job| {
            !self.mapper.runs(job)
                && (view.job(job).state() == JobState::Waiting
                    || view.job(job).virtual_time().is_zero()
                    || self.policy.extensions.swap.is_some())
        });
        waits.then(|| view.now().saturating_add(span))
    }

    /// Whether a job may give way to others as far as `/PAY` goes.
    fn gives_way(&self, view: View<'_>, handle: JobHandle) -> bool {
        let paid = self.mapper.penalties[handle.index()].paid(view.now());
        let pay = self.policy.extensions.pay;
        pay.is_none_or(|most| self.outcomes.allow(view, view.job(handle), paid, most))
    }
}
