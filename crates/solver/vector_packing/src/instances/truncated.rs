//! The normal distribution truncated to [0, 1].

use dfrsim_model::Rng;
use rand_distr::{Distribution as _, Normal};

/// A normal distribution truncated to [0, 1], or from a minimum to 1, by redrawing.
///
/// Its mean differs from that of the normal distribution, unless that is 0.5 and the minimum is 0.
pub(super) struct TruncatedNormal {
    normal: Normal<f64>,
    least: f64,
}

impl TruncatedNormal {
    /// Creates a distribution truncated to [0, 1]. `mean` must be in [0, 1]; then at least a third
    /// of the draws are accepted, whatever the deviation.
    pub(super) fn new(mean: f64, deviation: f64) -> TruncatedNormal {
        let normal = Normal::new(mean, deviation).expect("scenarios have finite deviations");
        TruncatedNormal { normal, least: 0.0 }
    }
    /// Sets the minimum value.
    pub(super) fn with_minimum(self, least: f64) -> TruncatedNormal {
        TruncatedNormal { least, ..self }
    }
    pub(super) fn draw(&self, rng: &mut Rng) -> f64 {
        loop {
            let value = self.normal.sample(rng);
            if (self.least..=1.0).contains(&value) {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::Seed;

    /// The density is symmetric about 0.5, with variance s^2 (1 - 2 z phi(z) / (2 Phi(z) - 1)) at z = 0.5 / s: for s
    /// = 0.5, z = 1, phi = 0.241971 and 2 Phi - 1 = 0.682689, so the deviation is 0.5 * sqrt(1 - 0.708870) =
    /// 0.269782.
    #[test]
    fn draws_are_those_of_the_normal_distribution_that_lie_inside() {
        let mut rng = Seed::new(1).rng();
        let normal = TruncatedNormal::new(0.5, 0.5);
        let draws: Vec<f64> = (0..100_000).map(|_| normal.draw(&mut rng)).collect();
        assert!(draws.iter().all(|draw| (0.0..=1.0).contains(draw)));
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 1e5;
        // The tolerance is five standard errors.
        assert!((mean - 0.5).abs() < 0.0043, "{mean}");
        assert!((variance.sqrt() - 0.269_782).abs() < 0.003, "{}", variance.sqrt());
    }
}
