//! A cluster whose jobs come and go by the word of a program above it.

use super::{FIRST_JOB, Simulation, SimulationError};
use crate::{JobHandle, JobState, Observer, Occurrence};
use dfrsim_model::event_queue::Slot;
use dfrsim_model::{Job, SimTime};

/// For programs that have no list of jobs but say what happens when. At a moment there may be several decisions, each on what happened
/// since the one before.
///
/// ```
/// use dfrsim_cluster::{Decision, JobState, Options, Simulation};
/// # use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};
/// # let job = |id| Job { id: JobId(id), submit: SimTime::from_secs(5), tasks: 1, cpu_need: Share::ONE,
/// #     memory: Share::ZERO, run_time: SimSpan::from_secs(60), requested_time: None, user: None, origin: dfrsim_model::Origin::UNKNOWN };
/// let mut cluster = Simulation::new(1, Options::default(), [], ())?;
/// let mut decision = Decision::default();
/// cluster.go_to(SimTime::from_secs(5))?;
/// let [first, second] = [cluster.submit_now(job(1))?, cluster.submit_now(job(2))?];
/// decision.start(first, [NodeTasks { node: NodeId(0), tasks: 1 }], Yield::ONE);
/// cluster.decide(&mut decision)?;
/// cluster.withdraw(second);
/// assert_eq!((cluster.next_moment(), cluster.situation().view.jobs()), (Some(SimTime::from_secs(65)), &[first][..]));
/// cluster.go_to(SimTime::from_secs(65))?;
/// assert_eq!(cluster.situation().view.job(first).state(), JobState::Completed);
/// # Ok::<(), dfrsim_cluster::SimulationError>(())
/// ```
impl<I: Iterator<Item = Job>, O: Observer> Simulation<I, O> {
    /// The next moment at which something happens.
    pub fn next_moment(&self) -> Option<SimTime> {
        self.events.peek().map(|(key, _)| key.time())
    }

    /// Goes on to a moment, no later than the next at which something happens, and lets that happen.
    ///
    /// # Errors
    /// If a job is not valid.
    pub fn go_to(&mut self, moment: SimTime) -> Result<(), SimulationError> {
        self.forget();
        self.now = moment;
        self.tick = self.apply_events(moment)?;
        Ok(())
    }

    /// A job arrives now; what it says of its submission must be that.
    ///
    /// # Errors
    /// If with it the jobs in the system may run for longer than can be simulated.
    pub fn submit_now(&mut self, job: Job) -> Result<JobHandle, SimulationError> {
        self.begin_decision();
        self.submit(self.now, job)
    }

    /// A job leaves the system in any state, as one that is rejected or killed. The policy must know without a situation
    /// that says so, if it has seen the job; it must have seen that one lost its nodes.
    pub fn withdraw(&mut self, handle: JobHandle) {
        self.begin_decision();
        self.submitted.retain(|&other| other != handle);
        let active = self.jobs.get(handle);
        let sequence = active.sequence;
        let state = if active.state == JobState::Waiting {
            self.observer.observe(self.now, sequence, Occurrence::Rejected);
            JobState::Rejected
        } else {
            self.observer.observe(self.now, sequence, Occurrence::Killed(&active.record(self.now)));
            self.vacate(handle);
            JobState::Killed
        };
        self.events.cancel(Slot(FIRST_JOB + handle.0));
        self.leave(handle, state);
        self.jobs.release(handle);
    }

    /// A job that might arrive now: the view has it, but it is not in the system. To be [forgotten](Simulation::drop_considered) before
    /// the next decision.
    pub fn consider(&mut self, job: Job) -> JobHandle {
        let estimate = self.options.estimates.estimate(&job, self.options.seed);
        let handle = self.jobs.consider(job, estimate, &self.options, self.interruption());
        if let Some(unequal) = &mut self.unequal {
            unequal.submit(handle, &self.jobs.get(handle).job);
        }
        handle
    }
    /// Forgets a job that might have arrived.
    pub fn drop_considered(&mut self, handle: JobHandle) {
        self.jobs.release(handle);
    }

    /// What was decided on is no news for the next decision.
    fn begin_decision(&mut self) {
        if self.is_decided {
            self.forget();
        }
    }
}
