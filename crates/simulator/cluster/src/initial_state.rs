//! State of a running system from which a simulation begins.

use crate::NodeRange;
use dfrsim_model::event::Record;
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{JobId, SimTime};

/// State of a running system that a policy takes over: the time of its first decision, and the jobs
/// that run then.
///
/// The simulation replays the past of these jobs: they are submitted and start at their own times.
/// The other jobs that were submitted before the first decision wait. The policy sees the running
/// jobs in [`Situation::running`](crate::Situation::running).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitialState {
    at: SimTime,
    running: Vec<StartedBefore>,
}

/// Job that started before the first decision and still runs then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedBefore {
    /// Number in the workload.
    pub job: JobId,
    /// Time of its start, before the first decision.
    pub start: SimTime,
    /// Nodes of its tasks, in ascending order.
    pub on: Vec<NodeRange>,
    /// Devices of its tasks on each node; empty if it requests none, or if the rule of the platform
    /// chooses them.
    pub devices: Vec<(u32, OnDevices)>,
}

/// Reason for which a simulation cannot begin from a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InitialStateError {
    /// A running job starts at the time of the first decision or later.
    #[error("job {0} runs when the simulation begins, and cannot start at that time or later")]
    StartsLater(JobId),
    /// A job that runs is not among those submitted before its start.
    #[error("job {0} runs when the simulation begins, but is not submitted by the time of its start")]
    NotSubmitted(JobId),
    /// A job would have ended before the first decision.
    #[error("job {0} runs when the simulation begins at {1} s, although its run time is over before")]
    EndsBefore(JobId, SimTime),
    /// The simulation is advanced by another program, without a [`Replay`](crate::Replay).
    #[error("a simulation that another program advances begins with an idle cluster, not from a state")]
    NotReplayed,
}

impl InitialState {
    /// Creates the state at this time, with the jobs that run then.
    ///
    /// # Errors
    /// If one of them does not start before this time.
    pub fn new(at: SimTime, mut running: Vec<StartedBefore>) -> Result<InitialState, InitialStateError> {
        if let Some(late) = running.iter().find(|it| it.start >= at) {
            return Err(InitialStateError::StartsLater(late.job));
        }
        running.sort_by_key(|it| it.start);
        Ok(InitialState { at, running })
    }

    /// Returns the time of the first decision.
    #[must_use]
    pub fn at(&self) -> SimTime {
        self.at
    }

    /// Creates the record of the beginning.
    #[must_use]
    pub fn record(&self) -> Record<'static> {
        Record::Begin { first_decision_us: self.at.micros() }
    }

    /// Returns the jobs that run at that time, in the order of their starts.
    #[must_use]
    pub fn running(&self) -> &[StartedBefore] {
        &self.running
    }
}
