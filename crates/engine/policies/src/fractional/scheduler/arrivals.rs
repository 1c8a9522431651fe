//! What happens to jobs that arrive, and to those that are tried again as if they did.

use super::{FractionalScheduler, place_if_room};
use crate::fractional::admission::{self, Wanted};
use crate::fractional::mapping::Placed;
use crate::fractional::priority::Ranked;
use crate::fractional::readings::Unmarking;
use crate::fractional::room::Room;
use crate::fractional::{Extensions, OnSubmission};
use dfrsim_cluster::{JobHandle, JobState, View};
use dfrsim_model::{Share, SimTime, VirtualTime};

impl FractionalScheduler {
    pub(super) fn admit(&mut self, view: View<'_>, job: JobHandle) {
        let is_extended = self.policy.extensions != Extensions::NONE;
        match self.policy.on_submission {
            OnSubmission::Nothing | OnSubmission::Mcb => {}
            OnSubmission::Greedy => {
                self.mapping.place_greedily(view, job);
            }
            OnSubmission::GreedyP | OnSubmission::GreedyPM => match self.options.readings.unmarking {
                Unmarking::AfterPlacing if !is_extended => self.place_then_unmark(view, job),
                _ => self.admit_then_place(view, job),
            },
        }
    }

    fn admit_then_place(&mut self, view: View<'_>, job: JobHandle) {
        let tasks = view.job(job).tasks();
        if self.policy.extensions.spread {
            let need = view.job(job).cpu_need().units();
            let beside = Share::ONE.units().checked_div(need).unwrap_or(tasks);
            if self.place_or_make_room(view, job, beside.clamp(1, tasks)) {
                return;
            }
        }
        self.place_or_make_room(view, job, tasks);
    }

    /// Places a job with at most `most` tasks on a node, if need be where others leave; whether that was possible.
    fn place_or_make_room(&mut self, view: View<'_>, job: JobHandle, most: u32) -> bool {
        if self.mapping.place_spread(view, job, most) {
            return true;
        }
        self.rank_involved(view);
        let (extensions, priority) = (self.policy.extensions, self.priority());
        let safe = extensions.safe.map_or(VirtualTime::ZERO, VirtualTime::of);
        let limit = extensions.swap.filter(|_| view.job(job).state() == JobState::Paused);
        let limit = limit.map(|factor| Ranked::of(priority, view, job).priority() / f64::from(factor));
        let may_leave = |other: JobHandle| {
            extensions.length(view.job(other)) >= safe
                && limit.is_none_or(|limit| Ranked::of(priority, view, other).priority() < limit)
        };
        let wanted = Wanted::of(view, job, most);
        let marked = admission::mark(&mut self.mapping, view, &self.ranking, wanted, may_leave);
        let Some(mut evicted) = marked else { return false };
        admission::unmark_beside(&mut self.mapping, view, &mut evicted, wanted);
        let placed = self.mapping.place_spread(view, job, most);
        debug_assert!(placed, "room was made");
        if self.policy.on_submission == OnSubmission::GreedyPM {
            self.move_evicted(view, &evicted);
        }
        self.evicted.extend(evicted);
        true
    }

    fn place_then_unmark(&mut self, view: View<'_>, job: JobHandle) {
        self.rank_involved(view);
        let wanted = Wanted::of(view, job, view.job(job).tasks());
        let marked = admission::mark(&mut self.mapping, view, &self.ranking, wanted, |_| true);
        let Some(marked) = marked else { return };
        let placed = self.mapping.place_greedily(view, job);
        debug_assert!(placed, "room was made");
        let mut evicted = std::mem::take(&mut self.evicted);
        evicted.extend(marked);
        let place = |job: JobHandle| self.ranking.highest_first().position(|other| other == job);
        evicted.sort_by_cached_key(|(job, _)| place(*job));
        admission::unmark_where_free(&mut self.mapping, view, &mut evicted);
        self.evicted = evicted;
    }

    /// Jobs that were paused for others move instead where Greedy finds room.
    pub(super) fn move_evicted(&mut self, view: View<'_>, evicted: &[Placed]) {
        self.room.set(self.mapping.nodes.free_memory());
        for &(job, _) in evicted {
            place_if_room(&mut self.mapping, &mut self.room, view, job);
        }
    }

    /// Tries jobs on no node as if they arrived, by decreasing priority: all but those that did so at this moment.
    pub(super) fn retry(&mut self, view: View<'_>, is_new: impl Fn(JobHandle) -> bool) {
        if self.policy.extensions.retry.is_none() {
            return;
        }
        let (priority, mut room) = (self.priority(), self.room_to_make(view));
        self.room.set(self.mapping.nodes.free_memory());
        let running = self.mapping.placed().map(|job| Ranked::of(priority, view, job).priority());
        let lowest = running.min_by(f64::total_cmp).unwrap_or(f64::INFINITY);
        let mut tried = Vec::new();
        for &job in view.jobs() {
            let (asked, ranked) = (view.job(job), Ranked::of(priority, view, job));
            // Those that were paused at this moment still count as running, and are left out.
            let may_displace = match (asked.state(), self.policy.extensions.swap) {
                (JobState::Waiting, _) => true,
                (JobState::Paused, Some(factor)) => ranked.priority() / f64::from(factor) > lowest,
                _ => continue,
            };
            let room = if may_displace { &mut room } else { &mut self.room };
            if !is_new(job) && !self.mapping.runs(job) && room.takes(asked.memory(), asked.tasks()) {
                tried.push(ranked);
            }
        }
        tried.sort_unstable_by(|a, b| b.cmp(a));
        for job in tried.into_iter().map(|ranked| ranked.job()) {
            let (memory, tasks) = (view.job(job).memory(), view.job(job).tasks());
            if room.takes(memory, tasks) {
                self.admit(view, job);
                if !self.mapping.runs(job) {
                    // For those that follow there is no more room than for this one.
                    room.refuse(memory, tasks);
                }
            }
        }
    }

    /// The memory of all nodes that jobs may be on, but for that of running jobs that `/SAFE` protects.
    fn room_to_make(&self, view: View<'_>) -> Room {
        let safe = self.policy.extensions.safe.map_or(VirtualTime::ZERO, VirtualTime::of);
        let mut units = vec![Share::ONE.units(); self.mapping.available.count() as usize];
        for job in self.mapping.placed().filter(|&job| self.policy.extensions.length(view.job(job)) < safe) {
            for part in self.mapping.placement(job) {
                let memory = part.tasks * view.job(job).memory().units();
                units[part.indices()].iter_mut().for_each(|free| *free -= memory);
            }
        }
        let mut room = Room::default();
        let free = |units| Share::try_from_units(units).expect("a part of a node");
        room.set(units.into_iter().map(|units| (free(units), 1)));
        room
    }

    /// When jobs on no node are tried again if no event occurs until then.
    pub(super) fn next_retry(&self, view: View<'_>) -> Option<SimTime> {
        let span = self.policy.extensions.retry?;
        let waits = view.jobs().iter().any(|&job| {
            !self.mapping.runs(job)
                && (view.job(job).state() == JobState::Waiting
                    || view.job(job).virtual_time().is_zero()
                    || self.policy.extensions.swap.is_some())
        });
        waits.then(|| view.now().saturating_add(span))
    }
}
