//! Effects of node outages on jobs.

use super::{FIRST_JOB, PLATFORM, Simulation, SimulationError};
use crate::platform::ChangedNodes;
use crate::{Interrupted, JobHandle, JobState, Observer, Occurrence, PlatformChange};
use dfrsim_model::event_queue::{EventKey, Rank, Slot};
use dfrsim_model::platform::Interruption;
use dfrsim_model::{Job, SimTime};

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Applies all steps of the platform at this time; a job that loses one node loses all of them.
    pub(super) fn change_platform(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let (platform, observer) = (
            self.platform.as_mut().expect("platform changes are scheduled only if nodes may go down"),
            &mut self.observer,
        );
        let announce = |window: &_| observer.observe_platform(now, PlatformChange::Announced(window));
        let ChangedNodes { down, up, drained, undrained } = platform.step(now, announce);
        self.schedule_platform();
        if let Some(states) = self.unequal.as_mut().and_then(|unequal| unequal.sleep.as_mut()) {
            states.go_down(&down);
            states.come_up(now, &up, |_, _| ());
        }
        if !down.is_empty() {
            self.observer.observe_platform(now, PlatformChange::Down(&down));
            self.interrupt_jobs_on_down_nodes(now)?;
        }
        if !up.is_empty() {
            self.observer.observe_platform(now, PlatformChange::Up(&up));
        }
        if !drained.is_empty() {
            self.observer.observe_platform(now, PlatformChange::Drained(&drained));
        }
        if !undrained.is_empty() {
            self.observer.observe_platform(now, PlatformChange::Undrained(&undrained));
        }
        Ok(())
    }

    /// Schedules the next step of the platform, if there is one.
    pub(super) fn schedule_platform(&mut self) {
        if let Some(time) = self.platform.as_ref().and_then(|platform| platform.next_step()) {
            self.events.schedule(PLATFORM, EventKey::new(time, Rank::PlatformChange, 0));
        }
    }

    fn interrupt_jobs_on_down_nodes(&mut self, now: SimTime) -> Result<(), SimulationError> {
        let platform =
            self.platform.as_ref().expect("platform changes are scheduled only if nodes may go down");
        let rule = platform.interruption();
        let mut affected = self.jobs.in_system().to_vec();
        affected.retain(|&handle| {
            let job = self.jobs.get(handle);
            job.state == JobState::Running && platform.has_down(job.placement())
        });
        for handle in affected {
            self.events.cancel(Slot(FIRST_JOB + handle.0));
            self.release_nodes(handle);
            let active = self.jobs.get_mut(handle);
            let (on, kept, lost) = active.interrupt(now, rule);
            let (id, sequence) = (active.job.id, active.sequence);
            if rule == Interruption::Lose {
                self.observer.observe(now, sequence, Occurrence::Lost(&active.record(now), lost));
                self.remove_job(handle, JobState::Lost);
                // The user of a lost job still submits the jobs that depend on it.
                self.submit_dependents(id, sequence, now)?;
            } else {
                self.observer.observe(now, sequence, Occurrence::Interrupted(&active.job, kept, lost));
            }
            self.interrupted.push(Interrupted { job: handle, on });
        }
        Ok(())
    }

    /// Releases the handles of lost jobs for reuse.
    pub(super) fn release_lost(&mut self) {
        for Interrupted { job, .. } in self.interrupted.drain(..) {
            if self.jobs.get(job).state == JobState::Lost {
                self.jobs.release(job);
            }
        }
    }

    /// Releases the nodes of a job.
    pub(super) fn release_nodes(&mut self, handle: JobHandle) {
        let active = self.jobs.get(handle);
        let (placement, at) = (active.placement(), active.job_yield);
        let pace = active.pace();
        self.nodes.remove(placement, active.believed_need, active.job.memory, at);
        if let Some(unequal) = &mut self.unequal {
            unequal.sleep.iter_mut().for_each(|states| states.leave(self.now, placement, |_, _| ()));
            unequal.remove(handle, placement, pace);
            unequal.unbind(handle);
        }
    }
}
