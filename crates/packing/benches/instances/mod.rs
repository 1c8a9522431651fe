//! Random instances of the dissertation's study (section 4.3).

use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Rng, Share, Yield};
use rand::RngExt as _;
use std::f64::consts::TAU;

/// What an instance is drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) nodes: usize,
    pub(crate) jobs: usize,
    /// Resources; half of them fixed, half fluid.
    pub(crate) dimensions: usize,
    /// Standard deviation of all amounts, whose mean is 0.5.
    pub(crate) sigma: f64,
    /// The probability of a least yield of 0.5.
    pub(crate) rho: f64,
    /// The part of all nodes that requirements leave free.
    pub(crate) slack: f64,
}

/// From a normal distribution, drawn again until it is in [0, 1]; by the method of Box and Muller.
fn amount(sigma: f64, rng: &mut Rng) -> f64 {
    loop {
        let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
        let amount = 0.5 + sigma * (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos();
        if (0.0..=1.0).contains(&amount) {
            return amount;
        }
    }
}

pub(crate) fn instance(scenario: Scenario, rng: &mut Rng) -> Instance {
    let Scenario { nodes, jobs, dimensions, sigma, rho, slack } = scenario;
    let fixed = dimensions / 2;
    let one = f64::from(Share::ONE.units());
    let mut amounts: Vec<Vec<f64>> =
        (0..jobs).map(|_| (0..dimensions).map(|_| amount(sigma, rng)).collect()).collect();
    for d in 0..fixed {
        let sum: f64 = amounts.iter().map(|job| job[d]).sum();
        let factor = nodes as f64 * (1.0 - slack) / sum;
        amounts.iter_mut().for_each(|job| job[d] *= factor);
    }
    let least_yield =
        |rng: &mut Rng| if rng.random_bool(rho) { Yield::from_ratio(1, 2) } else { Yield::ZERO };
    Instance {
        fixed,
        fluid: dimensions - fixed,
        nodes: vec![vec![Share::ONE.units(); dimensions].into(); nodes],
        jobs: amounts
            .into_iter()
            .map(|job| OfflineJob {
                tasks: 1,
                demand: job.into_iter().map(|amount| (amount * one) as u32).collect(),
                least_yield: least_yield(rng),
            })
            .collect(),
    }
}
