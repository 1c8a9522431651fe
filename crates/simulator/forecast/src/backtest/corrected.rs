//! Plans that are corrected by the quantiles of their own past errors.

use super::{Predictor, SnapshotRows};
use crate::score::{LEVELS, log};
use dfrsim_model::SimTime;

/// Errors of a plan in log time.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// Start of each job, at which its error becomes known, with the error and its weight.
    all: Vec<(SimTime, f64, f64)>,
}

impl Errors {
    /// Computes the corrected plans of all snapshots: each plan is multiplied by the quantiles
    /// of the ratios of waits to plans that were known at the time.
    pub(super) fn correct(snapshots: &mut [SnapshotRows]) {
        let corrected =
            [Predictor::CorrectedRequests, Predictor::CorrectedMedians, Predictor::CorrectedLastTwo];
        for predictor in corrected {
            let mut errors = Errors::default();
            for snapshot in &mut *snapshots {
                let quantiles = errors.quantiles(snapshot.at);
                let (at, weight) = (snapshot.at, 1.0 / snapshot.rows.len().max(1) as f64);
                for row in &mut snapshot.rows {
                    let outcome = row.outcome(at, predictor);
                    let planned = log(outcome.predicted[1]);
                    errors.all.push((row.start, log(outcome.actual) - planned, weight));
                    row.predicted[predictor as usize] = quantiles.map(|error| (planned + error).exp());
                }
            }
        }
    }

    /// Returns the quantiles of the errors that are known at a time; zero without any.
    fn quantiles(&self, at: SimTime) -> [f64; 3] {
        let mut known: Vec<(f64, f64)> = self
            .all
            .iter()
            .filter(|(start, ..)| *start <= at)
            .map(|&(_, error, weight)| (error, weight))
            .collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = known.iter().map(|(_, weight)| weight).sum();
        LEVELS.map(|level| {
            let mut sum = 0.0;
            let found = known.iter().find(|(_, weight)| {
                sum += weight;
                sum >= level * all
            });
            found.map_or(0.0, |(error, _)| *error)
        })
    }
}
