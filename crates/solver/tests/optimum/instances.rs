//! Random instances, following the two studies.

use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Rng, Seed, Share, Yield};
use rand::RngExt;
use rand_distr::{Distribution, Normal};

/// Parameters of a scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) nodes: usize,
    pub(crate) jobs: usize,
    /// Number of resources; half of them are fixed.
    pub(crate) dimensions: usize,
    pub(crate) sigma: f64,
    pub(crate) rho: f64,
    pub(crate) slack: f64,
}

/// Draws a normally distributed number, repeatedly until it is in [0, 1].
fn within(rng: &mut Rng, mean: f64, sigma: f64) -> f64 {
    let normal = Normal::new(mean, sigma).unwrap();
    loop {
        let value = normal.sample(rng);
        if (0.0..=1.0).contains(&value) {
            return value;
        }
    }
}

/// Draws a sample of a scenario of the dissertation (section 4.3).
pub(crate) fn dissertation(scenario: Scenario, sample: u64) -> Instance {
    let mut rng = Seed::new(1).fork("instances").numbered(sample).rng();
    let (fixed, jobs) = (scenario.dimensions / 2, scenario.jobs);
    let mut demands: Vec<Vec<f64>> = (0..jobs)
        .map(|_| (0..scenario.dimensions).map(|_| within(&mut rng, 0.5, scenario.sigma)).collect())
        .collect();
    for at in 0..fixed {
        let sum: f64 = demands.iter().map(|demand| demand[at]).sum();
        let scale = scenario.nodes as f64 * (1.0 - scenario.slack) / sum;
        demands.iter_mut().for_each(|demand| demand[at] *= scale);
    }
    let jobs = demands
        .iter()
        .map(|demand| OfflineJob {
            tasks: 1,
            demand: demand.iter().map(|part| (part * f64::from(Share::ONE.units())) as u32).collect(),
            least_yield: if rng.random_bool(scenario.rho) { Yield::from_ratio(1, 2) } else { Yield::ZERO },
        })
        .collect();
    Instance {
        fixed,
        fluid: scenario.dimensions - fixed,
        nodes: ordinary(scenario.nodes, scenario.dimensions),
        jobs,
    }
}

/// Draws a sample of a scenario of RR-6692 (section 4.1): `sigma` is the coefficient of variation of
/// memory and need.
pub(crate) fn rr6692(nodes: usize, jobs: usize, sigma: f64, slack: f64, sample: u64) -> Instance {
    let mut rng = Seed::new(2).fork("instances").numbered(sample).rng();
    let memory = nodes as f64 * (1.0 - slack) / jobs as f64;
    let one = f64::from(Share::ONE.units());
    let jobs = (0..jobs)
        .map(|_| {
            let demand = [within(&mut rng, memory, sigma * memory), within(&mut rng, 0.5, sigma * 0.5)];
            OfflineJob {
                tasks: 1,
                demand: demand.iter().map(|part| (part * one) as u32).collect(),
                least_yield: Yield::ZERO,
            }
        })
        .collect();
    Instance { fixed: 1, fluid: 1, nodes: ordinary(nodes, 2), jobs }
}

fn ordinary(nodes: usize, dimensions: usize) -> Vec<Box<[u32]>> {
    vec![vec![Share::ONE.units(); dimensions].into(); nodes]
}
