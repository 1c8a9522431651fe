//! The effect of a decision.
//!
//! All changes are made before any is reported, since the speed of a job may depend on what happens to others.

use super::{FIRST_JOB, Simulation, WAKE_UP};
use crate::decision::{Change, Decision, Verb};
use crate::followers::Until;
use crate::job_table::ActiveJob;
use crate::{JobHandle, JobState, NeedModel, Observer, Occurrence, Placement};
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::platform::Interruption;
use dfrsim_model::{Job, SimSpan, SimTime, VirtualTime, Yield};

/// What a change did beside its plain effect.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// This many tasks changed their node.
    Moved(u32),
    /// The job has kept the first work, and lost the second.
    Kept(SimSpan, VirtualTime),
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Applies a decision that has been checked; the node totals already hold it.
    pub(super) fn apply(&mut self, now: SimTime, decision: &Decision) {
        self.effects.clear();
        for change in &decision.changes {
            let effect = self.make(now, change, decision.placement(change));
            self.effects.push(effect);
        }
        let needs_are_exact = self.options.needs == NeedModel::Exact;
        if !needs_are_exact {
            self.settle_speeds(now);
        }
        for (place, change) in decision.changes.iter().enumerate() {
            self.report(now, change, decision.placement(change), self.effects[place]);
        }
        if !needs_are_exact {
            self.report_speeds(now);
        }
        match decision.wake_up {
            Some(time) => self.events.schedule(WAKE_UP, EventKey::new(time, Rank::Tick, 0)),
            None => self.events.cancel(WAKE_UP),
        }
    }

    /// Makes a change.
    fn make(&mut self, now: SimTime, change: &Change, placement: Placement<'_>) -> Effect {
        let penalty = self.options.penalty;
        if let Some(state) = change.verb.leaves_in() {
            self.leave(change.job, state);
            return Effect::Moved(0);
        }
        if change.verb == Verb::Requeue {
            let rule = self.interruption().unwrap_or(Interruption::Requeue);
            let (_, kept, lost) = self.jobs.get_mut(change.job).interrupt(now, rule);
            return Effect::Kept(kept, lost);
        }
        let active = self.jobs.get_mut(change.job);
        let moved = match change.verb {
            Verb::Migrate => active.placement().moved_to(placement),
            _ => 0,
        };
        if let Some(unequal) = self.unequal.as_ref().filter(|_| change.verb.places()) {
            active.node_speed = unequal.speed_on(placement);
        }
        active.change_yield(now, change.job_yield);
        if change.verb.places() {
            active.placement.clear();
            active.placement.extend_from_slice(placement.ranges());
        }
        match change.verb {
            Verb::Start => {
                active.state = JobState::Running;
                active.first_start.get_or_insert(now);
                active.runs_since = now;
                if !active.restart.is_zero() {
                    active.begin_penalty(now, active.restart);
                }
            }
            Verb::Resume => {
                active.state = JobState::Running;
                active.begin_penalty(now, penalty);
            }
            Verb::Migrate if moved > 0 => {
                active.migrations += 1;
                active.begin_penalty(now, penalty);
            }
            Verb::Pause => {
                active.state = JobState::Paused;
                active.preemptions += 1;
                active.remaining = active.after_pause(penalty);
                active.placement.clear();
            }
            Verb::Migrate | Verb::SetYield => {}
            Verb::Reject | Verb::Kill | Verb::Lose | Verb::Requeue => unreachable!("it is made above"),
        }
        Effect::Moved(moved)
    }

    /// Reports a change that was made, and schedules the events that follow from it.
    fn report(&mut self, now: SimTime, change: &Change, placement: Placement<'_>, effect: Effect) {
        if change.verb.leaves_in().is_some() {
            return self.report_departure(now, change);
        }
        let active = self.jobs.get_mut(change.job);
        let memory = |tasks: u32| f64::from(tasks) * active.job.memory.as_f64();
        // Where nodes differ, their speed is no part of the yield.
        let speed = if active.node_speed == Yield::ONE { active.speed } else { active.job_yield };
        let occurrence = match change.verb {
            Verb::Start => Occurrence::Started(placement, speed),
            Verb::Resume => Occurrence::Resumed(placement, speed),
            Verb::Pause => Occurrence::Paused(memory(active.job.tasks)),
            Verb::Migrate | Verb::SetYield | Verb::Requeue => match effect {
                Effect::Moved(0) => Occurrence::YieldChanged(speed),
                Effect::Moved(tasks) => Occurrence::Migrated(placement, speed, tasks, memory(tasks)),
                Effect::Kept(kept, lost) => Occurrence::Interrupted(&active.job, kept, lost),
            },
            Verb::Reject | Verb::Kill | Verb::Lose => unreachable!("the job has left above"),
        };
        self.observer.observe(now, active.sequence, occurrence);
        active.reported_speed = speed;
        schedule_completion(&mut self.events, change.job, active);
        if change.verb == Verb::Start {
            self.release_later(now, change.job, Until::Start);
        }
    }

    /// Reports that a job was rejected, killed or lost, and lets its handle be given to another one.
    fn report_departure(&mut self, now: SimTime, change: &Change) {
        let active = self.jobs.get_mut(change.job);
        active.killed |= change.verb == Verb::Kill;
        let sequence = active.sequence;
        match change.verb {
            Verb::Reject => self.observer.observe(now, sequence, Occurrence::Rejected),
            Verb::Lose => {
                let lost = active.virtual_time(now);
                self.observer.observe(now, sequence, Occurrence::Lost(&active.record(now), lost));
            }
            _ => self.observer.observe(now, sequence, Occurrence::Killed(&active.record(now))),
        }
        self.events.cancel(Slot(FIRST_JOB + change.job.0));
        self.release_later(now, change.job, Until::End);
        self.jobs.release(change.job);
    }

    /// The jobs that follow one that leaves or starts by a decision.
    fn release_later(&mut self, now: SimTime, handle: JobHandle, what: Until) {
        if self.followers.are_used() {
            // The submissions of this moment are over.
            let earliest = now.saturating_add(SimSpan::from_micros(1));
            let active = self.jobs.get(handle);
            let released = self.followers.release((active.job.id, active.sequence), what, now, earliest);
            self.followers.released.extend(released);
        }
    }

    /// Gives CPU that is left unused to those that need more.
    fn settle_speeds(&mut self, now: SimTime) {
        self.speeds.compute(&self.jobs);
        for &(handle, speed) in self.speeds.all() {
            let active = self.jobs.get_mut(handle);
            if active.speed != speed {
                active.change_speed(now, speed);
            }
        }
    }

    /// Reports the speeds that changed although no decision changed the yield.
    fn report_speeds(&mut self, now: SimTime) {
        for &(handle, speed) in self.speeds.all() {
            let active = self.jobs.get_mut(handle);
            if active.reported_speed != speed {
                active.reported_speed = speed;
                self.observer.observe(now, active.sequence, Occurrence::YieldChanged(speed));
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
