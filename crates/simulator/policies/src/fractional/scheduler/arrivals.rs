//! Reaction to arriving jobs, and to jobs that are retried as if they arrived.

use super::FractionalScheduler;
use crate::fractional::OnSubmission;
use crate::fractional::admission;
use crate::fractional::nodes::{FreeMemory, Nodes, PlacementRequest, Task};
use crate::fractional::priority::Ranked;
use dfrsim_cluster::{JobHandle, JobState, View};
use dfrsim_model::SimTime;

/// Copy of the nodes, at a time and mapping version, from which the first `left` victims have been
/// removed.
#[derive(Debug)]
pub(super) struct TrialNodes {
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
            OnSubmission::GreedyP | OnSubmission::GreedyPM if self.restores_after_placing() => {
                self.preempt_then_restore(view, job);
            }
            OnSubmission::GreedyP | OnSubmission::GreedyPM => {
                let spreads = self.policy.extensions.spread;
                if !(spreads && self.place_or_preempt(view, PlacementRequest::spread(view, job))) {
                    self.place_or_preempt(view, PlacementRequest::of(view, job));
                }
            }
        }
    }

    /// Places a job as requested, preempting others if necessary; returns whether that was possible.
    fn place_or_preempt(&mut self, view: View<'_>, wanted: PlacementRequest) -> bool {
        if self.mapper.place(view, wanted) {
            return true;
        }
        let job = wanted.task.job;
        if self.mapper.is_blocked(job) {
            return false;
        }
        self.rank_victims(view);
        let ranker = self.mapper.ranker(view);
        let claim = ranker.claim(job, self.swap_factor(view, job));
        if self.mapper.site.is_none() && self.policy.extensions.retry.is_some() {
            // Fast rejection: many jobs are tried in one decision, and most do not fit. Without
            // preemption levels, the possible victims are a prefix.
            let leaving = self.victims.partition_point(|&other| ranker.may_preempt(claim, other));
            if !self.fits_without(view, leaving, wanted) {
                return false;
            }
        }
        let marked = admission::select_victims(&mut self.mapper, view, &self.victims, wanted, claim);
        let Some(mut evicted) = marked else { return false };
        admission::keep_if_fits(&mut self.mapper, view, &mut evicted, wanted);
        let placed = self.mapper.place(view, wanted);
        debug_assert!(placed, "the preempted jobs must have released enough memory");
        if self.policy.on_submission == OnSubmission::GreedyPM {
            admission::migrate_victims(&mut self.mapper, view, &evicted, &mut self.free_memory);
        }
        self.evicted.extend(evicted);
        true
    }

    fn preempt_then_restore(&mut self, view: View<'_>, job: JobHandle) {
        if self.mapper.is_blocked(job) {
            return;
        }
        self.rank_victims(view);
        let wanted = PlacementRequest::of(view, job);
        let claim = self.mapper.ranker(view).claim(job, None);
        let marked = admission::select_victims(&mut self.mapper, view, &self.victims, wanted, claim);
        let Some(marked) = marked else { return };
        let placed = self.mapper.place_greedily(view, job);
        debug_assert!(placed, "the preempted jobs must have released enough memory");
        let mut evicted = std::mem::take(&mut self.evicted);
        evicted.extend(marked);
        let place = |job: JobHandle| self.victims.iter().rev().position(|other| other.job() == job);
        evicted.sort_by_cached_key(|(job, _)| place(*job));
        admission::restore_in_place(&mut self.mapper, view, &mut evicted);
        self.evicted = evicted;
    }

    /// Retries unplaced jobs as if they arrived, by decreasing priority, except those that have just
    /// arrived.
    pub(super) fn retry(&mut self, view: View<'_>, is_new: impl Fn(JobHandle) -> bool) {
        if self.policy.extensions.retry.is_none() {
            return;
        }
        let rest = self.protected_nodes(view);
        // Rejections of paused jobs do not apply to waiting jobs, as these may preempt more.
        let (mut room, mut room_of_paused, mut free) =
            (FreeMemory::default(), FreeMemory::default(), FreeMemory::default());
        rest.store_free_memory(&mut room);
        let mut tried = Vec::new();
        let ranker = self.mapper.ranker(view);
        for job in view.jobs().iter().copied().filter(|job| !self.rejected.contains(job)) {
            // Jobs paused in the current decision still have the state running, and are excluded.
            let is_tried = match view.job(job).state() {
                JobState::Waiting => true,
                JobState::Paused => self.policy.extensions.swap.is_some(),
                _ => false,
            };
            let is_meant = is_tried && !is_new(job) && !self.mapper.is_placed(job);
            if is_meant && rest.fits(&mut room, PlacementRequest::of(view, job)) {
                tried.push(ranker.rank(job));
            }
        }
        Ranked::sort(&mut tried);
        let (mut lowest, mut is_changed) = (None, true);
        for job in tried.into_iter().map(|ranked| ranked.job()) {
            let ranker = self.mapper.ranker(view);
            if std::mem::take(&mut is_changed) {
                rest.store_free_memory(&mut room_of_paused);
                self.mapper.nodes.store_free_memory(&mut free);
                lowest = ranker.first_victim(self.mapper.placed());
            }
            let wanted = PlacementRequest::of(view, job);
            let factor = self.swap_factor(view, job);
            let displaces = lowest.is_some_and(|other| ranker.may_preempt(ranker.claim(job, factor), other));
            let (nodes, room) = match factor {
                None => (&rest, &mut room),
                Some(_) if displaces => (&rest, &mut room_of_paused),
                Some(_) => (&self.mapper.nodes, &mut free),
            };
            if !nodes.fits(room, wanted) || self.mapper.is_blocked(job) {
                continue;
            }
            self.admit(view, job);
            is_changed = self.mapper.is_placed(job);
            if is_changed {
                continue;
            }
            // A later job cannot fit either, unless a site ranks a paused job before others that may
            // preempt more.
            match factor {
                None => room.reject(wanted.task.memory, wanted.tasks),
                Some(_) if self.mapper.site.is_none() => {
                    room_of_paused.reject(wanted.task.memory, wanted.tasks);
                }
                Some(_) => {}
            }
        }
    }

    /// Returns the factor by which the priority of a paused job must exceed that of its victims;
    /// `None` if the job is not paused.
    fn swap_factor(&self, view: View<'_>, job: JobHandle) -> Option<u32> {
        self.policy.extensions.swap.filter(|_| view.job(job).state() == JobState::Paused)
    }

    /// Ranks the possible victims: jobs that are placed, or were so at the start of this decision,
    /// as far as `/PAY` allows. Within one decision the ranking changes only with the set of these
    /// jobs and, at a site, with the placed ones.
    fn rank_victims(&mut self, view: View<'_>) {
        let state = (view.now(), self.mapper.involved_version());
        if self.mapper.site.is_none() && self.victims_version == Some(state) {
            return;
        }
        self.victims_version = Some(state);
        let ranker = self.mapper.ranker(view);
        let mut leavers = std::mem::take(&mut self.victims);
        leavers.clear();
        let giving_way = self.mapper.involved().filter(|&job| self.can_be_preempted(view, job));
        leavers.extend(giving_way.map(|job| ranker.rank(job)));
        leavers.sort_unstable();
        self.victims = leavers;
    }

    /// Returns whether the requested tasks would fit if the `leaving` lowest-ranked victims were
    /// preempted. Updates the copy of the nodes incrementally from one call to the next.
    fn fits_without(&mut self, view: View<'_>, leaving: usize, wanted: PlacementRequest) -> bool {
        let state = (view.now(), self.mapper.version());
        let (mapper, leavers) = (&self.mapper, &self.victims);
        let on =
            |place: usize| (mapper.placement(leavers[place].job()), Task::of(view, leavers[place].job()));
        let vacated = match self.vacated.take() {
            Some(vacated) if vacated.at == state => vacated,
            _ => {
                let mut nodes = mapper.nodes.without_tasks();
                mapper.placed().for_each(|job| nodes.add(mapper.placement(job), Task::of(view, job)));
                TrialNodes { at: state, nodes, left: 0 }
            }
        };
        let TrialNodes { nodes, left, .. } = self.vacated.insert(vacated);
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
        nodes.fit_count(wanted) >= u64::from(wanted.tasks)
    }

    /// Returns the nodes with only the jobs that `/PAY` protects from preemption.
    fn protected_nodes(&self, view: View<'_>) -> Box<dyn Nodes> {
        let mut nodes = self.mapper.nodes.without_tasks();
        for job in self.mapper.placed().filter(|&job| !self.can_be_preempted(view, job)) {
            nodes.add(self.mapper.placement(job), Task::of(view, job));
        }
        nodes
    }

    /// Returns the time of the next retry of unplaced jobs if no event comes before.
    pub(super) fn next_retry(&self, view: View<'_>) -> Option<SimTime> {
        let span = self.policy.extensions.retry?;
        let waits = self.jobs(view).any(|job| {
            !self.mapper.is_placed(job)
                && (view.job(job).state() == JobState::Waiting
                    || view.job(job).virtual_time().is_zero()
                    || self.policy.extensions.swap.is_some())
        });
        waits.then(|| view.now().saturating_add(span))
    }

    /// Returns whether `/PAY` allows the job to be preempted.
    fn can_be_preempted(&self, view: View<'_>, handle: JobHandle) -> bool {
        let paid = self.mapper.penalties[handle.index()].paid(view.now());
        let pay = self.policy.extensions.pay;
        pay.is_none_or(|most| self.outcomes.may_preempt(view, view.job(handle), paid, most))
    }
}
