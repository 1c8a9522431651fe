//! Replay of the past of a running system, before the first decision of a policy.

use crate::{
    Decision, InitialState, InitialStateError, JobHandle, JobState, Scheduler, Situation, StartedBefore, View,
};
use dfrsim_model::{JobId, Share, Yield};
use rustc_hash::FxHashMap;

/// Scheduler that starts the jobs of an [`InitialState`] at their own times, and leaves all decisions from
/// then on to a policy. The policy sees the past as one event at its first decision.
///
/// [`simulate`](crate::simulate) uses it if the options have a beginning. Programs with a main loop of
/// their own give it to their [`Simulation`](crate::Simulation) instead.
pub struct Replay<'a> {
    beginning: &'a InitialState,
    policy: &'a mut dyn Scheduler,
    /// Number of jobs of the past that have started.
    started: usize,
    handles: FxHashMap<JobId, JobHandle>,
    /// Jobs that were submitted and have not left.
    present: Vec<JobHandle>,
    discovered: Vec<(JobHandle, Share)>,
    is_over: bool,
    error: Option<InitialStateError>,
}

impl<'a> Replay<'a> {
    /// Creates the replay of a past, which a policy continues.
    pub fn new(beginning: &'a InitialState, policy: &'a mut dyn Scheduler) -> Replay<'a> {
        Replay {
            beginning,
            policy,
            started: 0,
            handles: FxHashMap::default(),
            present: Vec::new(),
            discovered: Vec::new(),
            is_over: false,
            error: None,
        }
    }

    /// Returns the reason for which the past is impossible, if it is. The simulation has failed then.
    #[must_use]
    pub fn error(self) -> Option<InitialStateError> {
        self.error
    }

    /// Notes the events of a time of the past, and starts the jobs that are due.
    fn replay(
        &mut self,
        situation: &Situation<'_>,
        decision: &mut Decision,
    ) -> Result<(), InitialStateError> {
        let (view, at) = (situation.view, self.beginning.at());
        if let Some(&ended) = situation.completed.first() {
            return Err(InitialStateError::EndsBefore(view.job(ended).id(), at));
        }
        for &handle in situation.submitted {
            self.handles.insert(view.job(handle).id(), handle);
            self.present.push(handle);
        }
        self.present.retain(|&handle| view.job(handle).state() != JobState::Lost);
        self.discovered.extend_from_slice(situation.discovered);
        let left = &self.beginning.running()[self.started..];
        let due = left.iter().take_while(|it| it.start <= view.now());
        for StartedBefore { job, start, on, devices } in due {
            let handle = self.handles.get(job).filter(|_| *start == view.now());
            let &handle = handle.ok_or(InitialStateError::NotSubmitted(*job))?;
            decision.start(handle, on.iter().copied(), Yield::ONE);
            if !devices.is_empty() {
                decision.on_devices(devices.iter().copied());
            }
            self.started += 1;
        }
        let next = self.beginning.running().get(self.started).map_or(at, |it| it.start);
        if view.now() < at {
            decision.wake_at(next);
        }
        Ok(())
    }

    /// Lets the policy make its first decision.
    fn hand_over(&mut self, view: View<'_>, all_submitted: bool, decision: &mut Decision) {
        let is_running = |handle: &JobHandle| view.job(*handle).state() == JobState::Running;
        self.present.sort_by_key(|&handle| view.job(handle).sequence());
        // A job that has lost its nodes since its start waits again.
        let (running, submitted): (Vec<_>, Vec<_>) = self.present.iter().partition(|it| is_running(it));
        let situation = Situation {
            view,
            completed: &[],
            submitted: &submitted,
            running: &running,
            interrupted: &[],
            discovered: &self.discovered,
            tick: false,
            all_submitted,
        };
        self.policy.decide(&situation, decision);
    }
}

impl Scheduler for Replay<'_> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let (now, at) = (situation.view.now(), self.beginning.at());
        if self.is_over || now > at && self.started == self.beginning.running().len() {
            self.is_over = true;
            return self.policy.decide(situation, decision);
        }
        if let Err(error) = self.replay(situation, decision) {
            decision.fail(error.to_string());
            self.error = Some(error);
        } else if now == at {
            self.is_over = true;
            self.hand_over(situation.view, situation.all_submitted, decision);
        }
    }
}
