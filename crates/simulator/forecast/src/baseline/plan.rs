//! Plans: one simulation of the snapshot with one run time for each job and no later submissions.

use crate::forecast::Prepared;
use crate::past::{Distribution, Past};
use dfrsim_cluster::SimulationError;
use dfrsim_model::{Job, SimSpan, SimTime};

/// Run times that a plan assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The requested times, as in `squeue --start`.
    Requests,
    /// The medians of the distributions of the past.
    Medians,
    /// The mean of the last two run times of the user (Tsafrir, Etsion and Feitelson 2007).
    LastTwo,
}

/// Durations by which a prediction that proved too short is extended (the same paper).
const EXTENSIONS: [u64; 11] = [60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 72_000, 180_000, 360_000];

impl Plan {
    /// All plans.
    pub const ALL: [Plan; 3] = [Plan::Requests, Plan::Medians, Plan::LastTwo];

    /// Returns the planned time from the snapshot to the start of each waiting job; `None` for
    /// a job that does not start.
    ///
    /// # Errors
    /// The errors of the simulation.
    pub fn waits(
        self,
        prepared: &Prepared<'_>,
        past: &Past,
        distributions: &[&Distribution],
    ) -> Result<Vec<Option<SimSpan>>, SimulationError> {
        let snapshot = prepared.snapshot();
        let run_time = |((job, elapsed), distribution): ((&Job, SimSpan), &&Distribution)| {
            let run_time = match self {
                Plan::Requests => job.requested_time.unwrap_or_else(|| distribution.quantile(1.0)),
                Plan::Medians => distribution.quantile(0.5),
                Plan::LastTwo => last_two(past, job, (snapshot.at, elapsed)),
            };
            run_time.max(elapsed.saturating_add(SimSpan::from_secs(1)))
        };
        let run_times: Vec<SimSpan> = snapshot.jobs().zip(distributions).map(run_time).collect();
        let starts = prepared.starts(&run_times, std::iter::empty())?;
        Ok(starts.into_iter().map(|start| Some(start?.since(snapshot.at))).collect())
    }
}

/// Predicts a run time from the last two jobs of the user that have ended.
fn last_two(past: &Past, job: &Job, (at, elapsed): (SimTime, SimSpan)) -> SimSpan {
    let most = job.requested_time.unwrap_or(SimSpan::MAX);
    let last: Vec<SimSpan> = past.of_user(job, at).rev().take(2).map(|it| it.job.run_time).collect();
    let sum: u64 = last.iter().map(|span| span.micros()).sum();
    let Some(mut predicted) = sum.checked_div(last.len() as u64).map(SimSpan::from_micros) else {
        return if most == SimSpan::MAX { SimSpan::from_secs(3_600) } else { most };
    };
    for step in EXTENSIONS {
        if predicted > elapsed {
            break;
        }
        predicted = predicted.saturating_add(SimSpan::from_secs(step));
    }
    predicted.min(most)
}
