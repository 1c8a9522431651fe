//! State of a system at one moment.

use dfrsim_cluster::{Beginning, BeginningError, NodeRange, StartedBefore};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime};
use rustc_hash::FxHashMap;

/// Running and waiting jobs at one moment. The run times of the jobs are not part of the state: a
/// forecast replaces them.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Time, in that of the workload.
    pub at: SimTime,
    /// Running jobs, in order of submission.
    pub running: Vec<RunningJob>,
    /// Waiting jobs, in order of submission; all submitted by the moment.
    pub waiting: Vec<Job>,
    /// Dependencies of waiting jobs on others of the moment.
    pub after: FxHashMap<JobId, Dependencies>,
}

/// Job that runs at a moment.
#[derive(Clone, Debug)]
pub struct RunningJob {
    /// The job.
    pub job: Job,
    /// Time of its start, before the moment.
    pub start: SimTime,
    /// Nodes of its tasks, in ascending order.
    pub on: Vec<NodeRange>,
    /// Devices of its tasks on each node, if it requests any.
    pub devices: Vec<(u32, OnDevices)>,
}

impl Moment {
    /// Returns the jobs, the running ones first, each with the time for which it has run.
    pub fn jobs(&self) -> impl Iterator<Item = (&Job, SimSpan)> {
        let elapsed = |it: &RunningJob| self.at.saturating_since(it.start);
        let running = self.running.iter().map(move |it| (&it.job, elapsed(it)));
        running.chain(self.waiting.iter().map(|job| (job, SimSpan::ZERO)))
    }

    /// Returns the state from which a simulation begins.
    ///
    /// # Errors
    /// If a running job starts at the moment or later.
    pub fn beginning(&self) -> Result<Beginning, BeginningError> {
        let running = self.running.iter().map(|it| StartedBefore {
            job: it.job.id,
            start: it.start,
            on: it.on.clone(),
            devices: it.devices.clone(),
        });
        Beginning::new(self.at, running.collect())
    }
}
