//! Simulation driven from outside: another program decides when jobs arrive and leave.

use super::{FIRST_JOB, Simulation, SimulationError};
use crate::{JobHandle, JobState, Observer, Occurrence};
use dfrsim_model::event_queue::Slot;
use dfrsim_model::{Job, SimTime};

/// Interface for programs that have no list of jobs but supply the events themselves. There may be
/// several decisions at one time, each on the events since the previous one.
///
/// ```
/// use dfrsim_cluster::{Decision, JobState, Options, Simulation};
/// # use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};
/// # let job = |id| Job { id: JobId(id), submit: SimTime::from_secs(5), tasks: 1, cpu_need: Share::ONE,
/// #     memory: Share::ZERO, run_time: SimSpan::from_secs(60), requested_time: None, user: None, origin: dfrsim_model::Origin::UNKNOWN };
/// let mut cluster = Simulation::new(1, Options::default(), [], ())?;
/// let mut decision = Decision::default();
/// cluster.advance_to(SimTime::from_secs(5))?;
/// let [first, second] = [cluster.submit_now(job(1))?, cluster.submit_now(job(2))?];
/// decision.start(first, [NodeTasks { node: NodeId(0), tasks: 1 }], Yield::ONE);
/// cluster.decide(&mut decision)?;
/// cluster.withdraw(second);
/// assert_eq!((cluster.next_event_time(), cluster.situation().view.jobs()), (Some(SimTime::from_secs(65)), &[first][..]));
/// cluster.advance_to(SimTime::from_secs(65))?;
/// assert_eq!(cluster.situation().view.job(first).state(), JobState::Completed);
/// # Ok::<(), dfrsim_cluster::SimulationError>(())
/// ```
impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// Returns the time of the next event.
    pub fn next_event_time(&self) -> Option<SimTime> {
        self.events.peek().map(|(key, _)| key.time())
    }

    /// Advances to a time no later than the next event, and applies the events of that time.
    ///
    /// # Errors
    /// If a job is invalid.
    pub fn advance_to(&mut self, moment: SimTime) -> Result<(), SimulationError> {
        self.clear_events();
        self.now = moment;
        self.tick = self.apply_events(moment)?;
        Ok(())
    }

    /// Submits a job now; its own submit time must be the current time.
    ///
    /// # Errors
    /// If the jobs in the system may now run for longer than can be simulated.
    pub fn submit_now(&mut self, job: Job) -> Result<JobHandle, SimulationError> {
        self.clear_decided_events();
        self.submit(self.now, job)
    }

    /// Removes a job in any state from the system; it is reported as rejected or killed. No
    /// situation tells the policy about it: if the policy has seen the job, the caller must inform
    /// it. If the job lost its nodes, the policy must have seen that before.
    pub fn withdraw(&mut self, handle: JobHandle) {
        self.clear_decided_events();
        self.submitted.retain(|&other| other != handle);
        let active = self.jobs.get(handle);
        let sequence = active.sequence;
        let state = if active.state == JobState::Waiting {
            self.observer.observe(self.now, sequence, Occurrence::Rejected);
            JobState::Rejected
        } else {
            self.observer.observe(self.now, sequence, Occurrence::Killed(&active.record(self.now)));
            self.release_nodes(handle);
            JobState::Killed
        };
        self.events.cancel(Slot(FIRST_JOB + handle.0));
        self.remove_job(handle, state);
        self.jobs.release(handle);
    }

    /// Adds a job that might arrive now: the view contains it, but it is not in the system. It must
    /// be [dropped](Simulation::drop_considered) before the next decision.
    pub fn consider(&mut self, job: Job) -> JobHandle {
        let estimate = self.options.estimates.estimate(&job, self.options.seed);
        let handle = self.jobs.insert_hypothetical(job, estimate, &self.options, self.interruption());
        if let Some(unequal) = &mut self.unequal {
            unequal.submit(handle, &self.jobs.get(handle).job);
        }
        handle
    }
    /// Drops a job added by [`Simulation::consider`].
    pub fn drop_considered(&mut self, handle: JobHandle) {
        self.jobs.release(handle);
    }

    /// Clears the events that have already been decided on, so that the next decision does not see
    /// them again.
    fn clear_decided_events(&mut self) {
        if self.is_decided {
            self.clear_events();
        }
    }
}
