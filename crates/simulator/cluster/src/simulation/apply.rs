//! Application of decisions.
//!
//! All changes are applied before any is reported, since the speed of a job may depend on changes to
//! other jobs.

use super::{FIRST_JOB, Simulation, WAKE_UP};
use crate::decision::{Action, Change, Decision};
use crate::followers::DependencyEvent;
use crate::job_table::ActiveJob;
use crate::{JobHandle, JobState, NeedModel, Observer, Occurrence, Pace, Placement};
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::platform::Interruption;
use dfrsim_model::{Job, SimSpan, SimTime, VirtualTime, Yield};

/// Outcome of a change that its report needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// Number of tasks that changed node, and the new speed level of the job, if that has changed.
    Moved(u32, Option<u8>),
    /// Work that an interrupted job kept, and work that it lost.
    Kept(SimSpan, VirtualTime),
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Applies a decision that has been checked; the node totals already include it.
    pub(super) fn apply(&mut self, now: SimTime, decision: &Decision) {
        self.effects.clear();
        self.wake_nodes(now, decision);
        for (place, change) in decision.changes.iter().enumerate() {
            let woken = self.woken.get(place).copied().unwrap_or(SimSpan::ZERO);
            let effect = self.apply_change(now, change, decision.placement(change), woken);
            self.effects.push(effect);
        }
        let needs_are_exact = self.options.needs == NeedModel::Exact;
        if !needs_are_exact {
            self.redistribute_cpu(now);
        }
        for (place, change) in decision.changes.iter().enumerate() {
            self.report(now, change, decision.placement(change), self.effects[place]);
            if let Some(woken) = self.woken.get(place).copied().filter(|woken| !woken.is_zero()) {
                let sequence = self.jobs.get(change.job).sequence;
                self.observer.observe(now, sequence, Occurrence::Woken(woken));
            }
        }
        if !needs_are_exact {
            self.report_speeds(now);
        }
        match decision.wake_up {
            Some(time) => self.events.schedule(WAKE_UP, EventKey::new(time, Rank::Tick, 0)),
            None => self.events.cancel(WAKE_UP),
        }
    }

    /// Moves jobs between nodes that may sleep, and notes how long each has to wait for its nodes.
    fn wake_nodes(&mut self, now: SimTime, decision: &Decision) {
        let Some(states) = self.unequal.as_mut().and_then(|unequal| unequal.sleep.as_mut()) else { return };
        self.woken.clear();
        for change in &decision.changes {
            let (active, to) = (self.jobs.get(change.job), decision.placement(change));
            let goes = active.state == JobState::Running && change.action != Action::SetYield;
            if goes {
                states.leave(now, active.placement(), |_, _| ());
            }
            let woken = match change.action.has_placement() {
                true => states.enter(now, to),
                false => SimSpan::ZERO,
            };
            let moves = change.action != Action::Migrate || active.placement().moved_to(to) > 0;
            self.woken.push(if moves { woken } else { SimSpan::ZERO });
        }
    }

    /// Applies one change to the job, which has to wait for its nodes.
    fn apply_change(
        &mut self,
        now: SimTime,
        change: &Change,
        placement: Placement<'_>,
        woken: SimSpan,
    ) -> Effect {
        let penalty = self.options.penalty;
        if let Some(state) = change.action.final_state() {
            self.remove_job(change.job, state);
            return Effect::Moved(0, None);
        }
        if change.action == Action::Requeue {
            let rule = self.interruption().unwrap_or(Interruption::Requeue);
            let (_, kept, lost) = self.jobs.get_mut(change.job).interrupt(now, rule);
            return Effect::Kept(kept, lost);
        }
        let active = self.jobs.get_mut(change.job);
        let moved = match change.action {
            Action::Migrate => {
                let of_devices =
                    self.unequal.as_ref().and_then(|unequal| unequal.moved(change.job, active.placement()));
                of_devices.unwrap_or_else(|| active.placement().moved_to(placement))
            }
            _ => 0,
        };
        let level = change.level_after(active.level);
        if let Some(unequal) = &self.unequal {
            if change.action.has_placement() {
                active.node_speed = unequal.speed_on(placement, level);
            } else if change.action == Action::SetYield && level != active.level {
                active.node_speed = unequal.speed_on(active.placement(), level);
            }
        }
        let new_level = (level != active.level).then_some(level);
        active.level = level;
        active.change_yield(now, change.job_yield);
        if change.action.has_placement() {
            active.placement.clear();
            active.placement.extend_from_slice(placement.ranges());
        }
        match change.action {
            Action::Start => {
                active.state = JobState::Running;
                active.first_start.get_or_insert(now);
                active.observable_from = now;
                let penalty = active.restart + woken;
                if !penalty.is_zero() {
                    active.begin_penalty(now, penalty);
                }
            }
            Action::Resume => {
                active.state = JobState::Running;
                active.begin_penalty(now, penalty + woken);
            }
            Action::Migrate if moved > 0 => {
                active.migrations += 1;
                active.begin_penalty(now, penalty + woken);
            }
            Action::Pause => {
                active.state = JobState::Paused;
                active.preemptions += 1;
                active.remaining = active.after_pause(penalty);
                active.placement.clear();
            }
            Action::Migrate | Action::SetYield => {}
            Action::Reject | Action::Kill | Action::Lose | Action::Requeue => {
                unreachable!("it is made above")
            }
        }
        Effect::Moved(moved, new_level)
    }

    /// Reports an applied change to the observer, and schedules the events that follow from it.
    fn report(&mut self, now: SimTime, change: &Change, placement: Placement<'_>, effect: Effect) {
        if change.action.final_state().is_some() {
            return self.report_departure(now, change);
        }
        let active = self.jobs.get_mut(change.job);
        let memory = |tasks: u32| f64::from(tasks) * active.job.memory.as_f64();
        // The reported yield does not include the speed of the nodes, if nodes differ.
        let speed = if active.node_speed == Yield::ONE { active.speed } else { active.job_yield };
        let level = if let Effect::Moved(_, level) = effect { level } else { None };
        let pace = Pace { job_yield: speed, level };
        let occurrence = match change.action {
            Action::Start => Occurrence::Started(placement, pace),
            Action::Resume => Occurrence::Resumed(placement, pace),
            Action::Pause => Occurrence::Paused(memory(active.job.tasks)),
            Action::Migrate | Action::SetYield | Action::Requeue => match effect {
                Effect::Moved(0, _) => Occurrence::YieldChanged(pace),
                Effect::Moved(tasks, _) => Occurrence::Migrated(placement, pace, tasks, memory(tasks)),
                Effect::Kept(kept, lost) => Occurrence::Interrupted(&active.job, kept, lost),
            },
            Action::Reject | Action::Kill | Action::Lose => unreachable!("the job has left above"),
        };
        self.observer.observe(now, active.sequence, occurrence);
        active.reported_speed = speed;
        schedule_completion(&mut self.events, change.job, active);
        if let Some(unequal) = self.unequal.as_ref().filter(|_| change.action.has_placement()) {
            let devices = unequal.devices(change.job);
            if !devices.is_empty() {
                self.observer.observe(now, active.sequence, Occurrence::Bound(devices));
            }
        }
        if change.action == Action::Start {
            self.release_dependents(now, change.job, DependencyEvent::Start);
        }
    }

    /// Reports that a job was rejected, killed or lost, and releases its handle.
    fn report_departure(&mut self, now: SimTime, change: &Change) {
        let active = self.jobs.get_mut(change.job);
        active.killed |= change.action == Action::Kill;
        let sequence = active.sequence;
        match change.action {
            Action::Reject => self.observer.observe(now, sequence, Occurrence::Rejected),
            Action::Lose => {
                let lost = active.virtual_time(now);
                self.observer.observe(now, sequence, Occurrence::Lost(&active.record(now), lost));
            }
            _ => self.observer.observe(now, sequence, Occurrence::Killed(&active.record(now))),
        }
        self.events.cancel(Slot(FIRST_JOB + change.job.0));
        self.release_dependents(now, change.job, DependencyEvent::End);
        self.jobs.release(change.job);
    }

    /// Releases the dependents of a job that leaves or starts by a decision.
    fn release_dependents(&mut self, now: SimTime, handle: JobHandle, what: DependencyEvent) {
        if self.followers.is_used() {
            // The submissions of the current time have already been handled.
            let earliest = now.saturating_add(SimSpan::from_micros(1));
            let active = self.jobs.get(handle);
            let released = self.followers.release((active.job.id, active.sequence), what, now, earliest);
            self.followers.released.extend(released);
        }
    }

    /// Redistributes unused CPU to jobs that need more.
    fn redistribute_cpu(&mut self, now: SimTime) {
        self.speeds.compute(&self.jobs);
        for &(handle, speed) in self.speeds.all() {
            let active = self.jobs.get_mut(handle);
            if active.speed != speed {
                active.change_speed(now, speed);
            }
        }
    }

    /// Reports speeds that changed without a change of the yield.
    fn report_speeds(&mut self, now: SimTime) {
        for &(handle, speed) in self.speeds.all() {
            let active = self.jobs.get_mut(handle);
            if active.reported_speed != speed {
                active.reported_speed = speed;
                self.observer.observe(now, active.sequence, Occurrence::YieldChanged(speed.into()));
                schedule_completion(&mut self.events, handle, active);
            }
        }
    }
}

/// Schedules the completion of a job, or cancels it if the job makes no progress.
fn schedule_completion(events: &mut EventQueue, handle: JobHandle, active: &ActiveJob) {
    let slot = Slot(FIRST_JOB + handle.0);
    let running = active.state == JobState::Running && active.speed > Yield::ZERO;
    match active.completion().filter(|_| running) {
        Some(time) => events.schedule(slot, EventKey::new(time, Rank::Completion, active.sequence)),
        None => events.cancel(slot),
    }
}
