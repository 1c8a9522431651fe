//! Judgement of the forecasts of the weeks before a moment.

use super::{History, MomentRows, Predictor, outcomes};
use crate::forecast::Method;
use crate::score::{LEVELS, Scores};
use dfrsim_cluster::SimulationError;
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_policies::Setup;

/// Judgement of the forecasts of the last weeks.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// Number of moments that were forecast.
    pub moments: usize,
    /// Part of the starts within the 80 % intervals.
    pub coverage: f64,
    /// Levels of the draws that are the calibrated quantiles of [`LEVELS`].
    pub levels: [f64; 3],
    /// Kind of prediction to use: the forecast, unless its intervals cover too few of the starts; then
    /// the better one of the predictions from past waits.
    pub used: Predictor,
}

/// Time before the moment in which forecasts are judged, and the least past of each.
const JUDGED: SimSpan = SimSpan::from_secs(35 * 86_400);
const LEAST_PAST: SimSpan = SimSpan::from_secs(7 * 86_400);

/// Number of moments that are judged, the least number, and that of simulations of each.
const MOMENTS: usize = 40;
const LEAST_MOMENTS: usize = 10;
const DRAWS: u32 = 100;

/// Coverage below which the rules do not describe the site.
pub const LEAST_COVERAGE: f64 = 0.7;

impl History<'_> {
    /// Judges the forecasts of the weeks before a moment by the starts that are known then; `None` if
    /// there are too few.
    ///
    /// # Errors
    /// The errors of the simulations.
    pub fn judge(
        &self,
        setup: &Setup,
        at: SimTime,
        (method, seed): (Method, Seed),
    ) -> Result<Option<Judgement>, SimulationError> {
        let Some((first, _)) = self.span() else { return Ok(None) };
        let from = SimTime::from_micros(at.micros().saturating_sub(JUDGED.micros()));
        let from = from.max(first.saturating_add(LEAST_PAST));
        let (mut moments, _) = self.draw_moments((from, at), MOMENTS, seed.fork("judgement"));
        self.remember(setup, &mut moments)?;
        let method = Method { draws: method.draws.min(DRAWS), ..method };
        let mut compared = self.backtest(setup, &moments, (method, seed.fork("judgement")), || ())?;
        for moment in &mut compared {
            moment.rows.retain(|row| row.start <= at);
        }
        compared.retain(|moment| !moment.rows.is_empty());
        Ok((compared.len() >= LEAST_MOMENTS).then(|| Judgement::of(&compared)))
    }
}

impl Judgement {
    fn of(compared: &[MomentRows]) -> Judgement {
        let scores = |predictor| Scores::of(&outcomes(compared, predictor));
        let coverage = scores(Predictor::Forecast).coverage.mean;
        let loss = |predictor| scores(predictor).log_loss.mean;
        let used = if coverage >= LEAST_COVERAGE {
            Predictor::Forecast
        } else if loss(Predictor::SimilarWaits) <= loss(Predictor::Bounds) {
            Predictor::SimilarWaits
        } else {
            Predictor::Bounds
        };
        Judgement { moments: compared.len(), coverage, levels: levels(compared), used }
    }
}

/// Returns the levels of the draws below which the given parts of the starts were. With few moments
/// they stay close to the given parts.
fn levels(compared: &[MomentRows]) -> [f64; 3] {
    let of_moment = |moment: &MomentRows| {
        let weight = 1.0 / moment.rows.len() as f64;
        moment.rows.iter().map(|row| (row.position, weight)).collect::<Vec<(f64, f64)>>()
    };
    let mut positions: Vec<(f64, f64)> = compared.iter().flat_map(of_moment).collect();
    positions.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (all, count) = (compared.len() as f64, compared.len() as f64);
    let trust = count / (count + MOMENTS as f64);
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
