//! State of a system at one time.

use dfrsim_cluster::{InitialState, InitialStateError, Memory, NodeRange, StartedBefore};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// Running and waiting jobs at one time. The run times of the jobs are not part of the state: a
/// forecast replaces them.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Time of the snapshot, counted as in the workload.
    pub at: SimTime,
    /// Running jobs, in order of submission.
    pub running: Vec<RunningJob>,
    /// Waiting jobs, in order of submission. They were submitted at the time of the snapshot or
    /// earlier.
    pub waiting: Vec<Job>,
    /// Dependencies of waiting jobs on other jobs of the snapshot.
    pub after: FxHashMap<JobId, Dependencies>,
    /// Positions of the jobs in the order of submission, if they are known. Otherwise jobs that
    /// were submitted at the same time are ordered by their numbers.
    pub order: FxHashMap<JobId, usize>,
    /// Memory of the policy, if its decisions depend on more than jobs and nodes. A snapshot
    /// with a memory is the state after the starts of its time, one without is the state before
    /// them.
    pub memory: Option<Memory>,
}

/// Time after a snapshot at which the starts of its time are complete.
pub(crate) const AFTER_STARTS: SimSpan = SimSpan::from_micros(1);

/// Job that runs at the time of a snapshot.
#[derive(Clone, Debug)]
pub struct RunningJob {
    /// The job.
    pub job: Job,
    /// Start, before the time of the snapshot.
    pub start: SimTime,
    /// Nodes of its tasks, in ascending order.
    pub on: Vec<NodeRange>,
    /// Devices of its tasks on each node, if it requests any.
    pub devices: Vec<(u32, OnDevices)>,
}

impl Snapshot {
    /// Returns the jobs, the running ones first, each with the time for which it has run.
    pub fn jobs(&self) -> impl Iterator<Item = (&Job, SimSpan)> {
        let elapsed = |it: &RunningJob| self.at.saturating_since(it.start);
        let running = self.running.iter().map(move |it| (&it.job, elapsed(it)));
        running.chain(self.waiting.iter().map(|job| (job, SimSpan::ZERO)))
    }

    /// Returns the time of the first decision: the time of the snapshot, or right after its
    /// starts.
    pub fn first_decision(&self) -> SimTime {
        let is_after = self.memory.is_some() || self.running.iter().any(|it| it.start == self.at);
        if is_after { self.at.saturating_add(AFTER_STARTS) } else { self.at }
    }

    /// Returns the state from which a simulation begins.
    ///
    /// # Errors
    /// If a running job starts after the snapshot.
    pub fn beginning(&self) -> Result<InitialState, InitialStateError> {
        let running = self.running.iter().map(|it| StartedBefore {
            job: it.job.id,
            start: it.start,
            on: it.on.clone(),
            devices: it.devices.clone(),
        });
        InitialState::new(self.first_decision(), running.collect())
    }
}
