//! Replay of the past of a running system, up to the first decision.

use super::{Simulation, SimulationError};
use crate::{Beginning, BeginningError, Decision, JobHandle, JobState, Observer, StartedBefore};
use dfrsim_model::{Job, JobId, Yield};
use rustc_hash::FxHashMap;

impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Submits the jobs of the past, starts those that run, and advances to the time of the first
    /// decision.
    #[cold]
    pub(super) fn begin(&mut self, beginning: &Beginning) -> Result<(), SimulationError> {
        let (at, mut starts) = (beginning.at(), beginning.running().iter().peekable());
        let mut handles = FxHashMap::default();
        let mut decision = Decision::default();
        let (mut waiting, mut running) = (Vec::new(), Vec::new());
        loop {
            let event = self.events.peek().map(|(key, _)| key.time());
            let next = [event, starts.peek().map(|it| it.start)].into_iter().flatten().min();
            let Some(time) = next.filter(|&time| time <= at) else { break };
            self.now = time;
            self.apply_events(time)?;
            if let Some(&ended) = self.completed.first() {
                return Err(BeginningError::EndsBefore(self.jobs.get(ended).job.id, at).into());
            }
            for handle in self.submitted.drain(..) {
                handles.insert(self.jobs.get(handle).job.id, handle);
                waiting.push(handle);
            }
            while let Some(it) = starts.next_if(|it| it.start == time) {
                running.push(start(it, &handles, &mut decision)?);
            }
            self.decide(&mut decision)?;
            self.release_lost();
        }
        self.now = at;
        self.is_decided = false;
        running.sort_by_key(|&handle| self.jobs.get(handle).sequence);
        let is_running = |&handle: &JobHandle| self.jobs.get(handle).state == JobState::Running;
        // A job that has lost its nodes since its start waits again.
        running.retain(is_running);
        waiting.retain(|handle| !is_running(handle));
        (self.submitted, self.running) = (waiting, running);
        Ok(())
    }
}

/// Decides on the start of a job that runs.
fn start(
    it: &StartedBefore,
    handles: &FxHashMap<JobId, JobHandle>,
    decision: &mut Decision,
) -> Result<JobHandle, SimulationError> {
    let &handle = handles.get(&it.job).ok_or(BeginningError::NotSubmitted(it.job))?;
    decision.start(handle, it.on.iter().copied(), Yield::ONE);
    if !it.devices.is_empty() {
        decision.on_devices(it.devices.iter().copied());
    }
    Ok(handle)
}
