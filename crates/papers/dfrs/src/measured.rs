//! What a simulation leaves for its rows.

use dfrsim_cluster::{Observer, Occurrence, Summary};
use dfrsim_model::{Job, SimSpan, SimTime};

/// What a simulation measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) summary: Summary,
    /// The bound for each tau, where the times of submission depend on the policy.
    pub(crate) bounds: Option<Vec<f64>>,
    /// The waits of parts of the jobs, if the scenario asks for them.
    pub(crate) waits: Option<String>,
    /// The metrics of the program, if the scenario asks for them.
    pub(crate) own: Option<String>,
}

/// The jobs as they were submitted, with the run times that they really get.
#[derive(Debug, Default)]
pub(crate) struct Submissions(Vec<Job>);

impl Submissions {
    /// The bound of these jobs for each tau.
    pub(crate) fn bounds(&self, bound: impl Fn(&[Job], SimSpan) -> f64, taus: &[SimSpan]) -> Vec<f64> {
        taus.iter().map(|&tau| bound(&self.0, tau)).collect()
    }
}

impl Observer for Submissions {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Submitted(job, _) = occurrence {
            self.0.push(job.clone());
        }
    }
}
