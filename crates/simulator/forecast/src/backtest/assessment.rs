//! Assessment of the forecasts of the weeks before a snapshot.

use super::{History, Predictor, SnapshotRows, outcomes};
use crate::forecast::Method;
use crate::score::{LEVELS, Scores};
use dfrsim_cluster::SimulationError;
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_policies::Setup;

/// Assessment of the forecasts of recent weeks.
#[derive(Clone, Copy, Debug)]
pub struct Assessment {
    /// Number of snapshots that were forecast.
    pub snapshots: usize,
    /// Fraction of the starts within the 80 % intervals.
    pub coverage: f64,
    /// Levels of the simulated quantiles that are the calibrated quantiles of [`LEVELS`].
    pub levels: [f64; 3],
    /// Kind of prediction to use: the forecast, unless its intervals cover too few of the
    /// starts; then the better of the two predictions from past waits.
    pub used: Predictor,
}

/// Time before the snapshot in which forecasts are assessed, and the shortest history that each
/// needs.
const ASSESSED: SimSpan = SimSpan::from_secs(35 * 86_400);
const MIN_HISTORY: SimSpan = SimSpan::from_secs(7 * 86_400);

/// Number of snapshots that are assessed, the smallest number that suffices, and the number of
/// simulations of each.
const SNAPSHOTS: usize = 40;
const MIN_SNAPSHOTS: usize = 10;
const DRAWS: u32 = 100;

/// Coverage below which the rules are taken not to describe the site.
pub const MIN_COVERAGE: f64 = 0.7;

impl History<'_> {
    /// Assesses the forecasts of the weeks before a time by the starts that are known at that
    /// time; `None` if there are too few.
    ///
    /// # Errors
    /// The errors of the simulations.
    pub fn assess(
        &self,
        setup: &Setup,
        at: SimTime,
        (method, seed): (Method, Seed),
    ) -> Result<Option<Assessment>, SimulationError> {
        let Some((first, _)) = self.span() else { return Ok(None) };
        let from = SimTime::from_micros(at.micros().saturating_sub(ASSESSED.micros()));
        let from = from.max(first.saturating_add(MIN_HISTORY));
        let (mut snapshots, _) = self.draw_snapshots((from, at), SNAPSHOTS, seed.fork("judgement"));
        self.remember(setup, &mut snapshots)?;
        let method = Method { draws: method.draws.min(DRAWS), ..method };
        let mut compared = self.backtest(setup, &snapshots, (method, seed.fork("judgement")), || ())?;
        for snapshot in &mut compared {
            snapshot.rows.retain(|row| row.start <= at);
        }
        compared.retain(|snapshot| !snapshot.rows.is_empty());
        Ok((compared.len() >= MIN_SNAPSHOTS).then(|| Assessment::of(&compared)))
    }
}

impl Assessment {
    fn of(compared: &[SnapshotRows]) -> Assessment {
        let scores = |predictor| Scores::of(&outcomes(compared, predictor));
        let coverage = scores(Predictor::Forecast).coverage.mean;
        let loss = |predictor| scores(predictor).log_loss.mean;
        let used = if coverage >= MIN_COVERAGE {
            Predictor::Forecast
        } else if loss(Predictor::SimilarWaits) <= loss(Predictor::Bounds) {
            Predictor::SimilarWaits
        } else {
            Predictor::Bounds
        };
        Assessment { snapshots: compared.len(), coverage, levels: levels(compared), used }
    }
}

/// Returns the levels of the draws that have these fractions of the actual starts below them. With
/// few snapshots they are close to the fractions themselves.
fn levels(compared: &[SnapshotRows]) -> [f64; 3] {
    let of_snapshot = |snapshot: &SnapshotRows| {
        let weight = 1.0 / snapshot.rows.len() as f64;
        snapshot.rows.iter().map(|row| (row.position, weight)).collect::<Vec<(f64, f64)>>()
    };
    let mut positions: Vec<(f64, f64)> = compared.iter().flat_map(of_snapshot).collect();
    positions.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (all, count) = (compared.len() as f64, compared.len() as f64);
    let trust = count / (count + SNAPSHOTS as f64);
    LEVELS.map(|level| {
        let mut sum = 0.0;
        let found = positions.iter().find(|(_, weight)| {
            sum += weight;
            sum >= level * all
        });
        let found = found.map_or(level, |(position, _)| *position);
        (level + trust * (found - level)).clamp(0.005, 0.995)
    })
}
