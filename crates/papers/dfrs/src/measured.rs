//! Measurements of a simulation, from which its rows are made.

use crate::waits::RunWaits;
use dfrsim_cluster::{DeviceFigures, EnergyFigures, Observer, Occurrence, SleepFigures, Summary};
use dfrsim_model::{Job, SimSpan, SimTime};

/// Measurements of one simulation.
#[derive(Debug)]
pub(crate) struct Measurements {
    pub(crate) summary: Summary,
    /// Lower bound for each tau, if the submit times depend on the policy.
    pub(crate) bounds: Option<Vec<f64>>,
    /// Waits of subsets of the jobs as JSON, if the scenario requests them.
    pub(crate) waits: Option<String>,
    /// Waits of the jobs that ran, if the setting is the first one and waits are requested.
    pub(crate) of_jobs: Option<RunWaits>,
    /// Values of the program's own metrics as JSON, if the scenario requests them.
    pub(crate) own: Option<String>,
    /// Figures of the devices of the nodes, if they have any.
    pub(crate) devices: Option<DeviceFigures>,
    /// Energy of the nodes, if their power is known.
    pub(crate) energy: Option<EnergyFigures>,
    /// Figures of nodes that sleep, if there are any.
    pub(crate) sleep: Option<SleepFigures>,
    /// Use of the resources that the cluster has as a whole as JSON, if it has any.
    pub(crate) common: Option<String>,
}

/// Submitted jobs, with their actual submit and run times.
#[derive(Debug, Default)]
pub(crate) struct Submissions(Vec<Job>);

impl Submissions {
    /// Computes the lower bound of these jobs for each tau.
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
