//! Instances of the dissertation.

use super::truncated::TruncatedNormal;
use super::{Scenario, slacks, unit_nodes, units};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Rng, Seed, Yield};
use rand::RngExt as _;

/// A scenario of the dissertation (section 4.3): serial jobs with fixed requirements, scaled to a
/// slack, and fluid needs, both normally distributed; some jobs have a quality of service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DissertationScenario {
    /// Number of nodes (N).
    pub nodes: u32,
    /// Number of jobs (J).
    pub jobs: u32,
    /// Number of resources (D), even. The first half is fixed, the second half fluid.
    pub dimensions: u32,
    /// Standard deviation of the normal distribution of requirements and needs, whose mean is 0.5;
    /// values outside of [0, 1] are redrawn.
    pub sigma: f64,
    /// Probability that a job requires at least half of its yield.
    pub rho: f64,
    /// Fraction of every fixed resource, summed over the nodes, that the jobs leave free.
    pub slack: f64,
}

/// Treatments of requirements that scaling raises above a whole node.
///
/// The dissertation (section 4.3) does not specify this. Its problem has requirements in [0, 1]
/// (sections 4.1 and 4.1.2), and its authors' simulator truncates them (flexsched, first commit of
/// its public repository, `genprob.py`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requirements {
    /// Truncated to a whole node, so that slightly more than the slack stays free.
    #[default]
    Truncated,
    /// Unchanged: no node can hold the job, and the instance has no solution. (Values above 4.55
    /// nodes are truncated to that, the maximum of 32 bits.)
    Kept,
}

/// Interpretations of the distribution of amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Amounts {
    /// Values of the normal distribution in [0, 1], exact to the units of the model.
    #[default]
    Drawn,
    /// The method of its authors' simulator (flexsched, first commit of its public repository,
    /// `genprob.py`): values below 0.01 are redrawn too, and all amounts are finally rounded to
    /// three decimals.
    Simulated,
}

impl DissertationScenario {
    /// Returns the published scenarios on this number of nodes. Jobs vary slowest, then resources,
    /// deviations and qualities of service; the slack varies fastest.
    pub(super) fn grid(nodes: u32, jobs: &[u32]) -> Vec<Scenario> {
        let mut scenarios = Vec::new();
        for &jobs in jobs {
            for dimensions in [2, 4, 6] {
                for sigma in [0.25, 0.5, 1.0] {
                    for rho in [0.0, 0.25, 0.5] {
                        scenarios.extend(slacks().map(|slack| Self {
                            nodes,
                            jobs,
                            dimensions,
                            sigma,
                            rho,
                            slack,
                        }));
                    }
                }
            }
        }
        scenarios.into_iter().map(Scenario::Dissertation).collect()
    }

    /// Generates the instance of this seed with the default interpretation.
    pub fn instance(&self, seed: Seed) -> Instance {
        self.instance_as(seed, Requirements::default(), Amounts::default())
    }

    /// Generates the instance of this seed with the given interpretations.
    ///
    /// Each resource is drawn from its own random stream, and so are the qualities of service.
    pub fn instance_as(&self, seed: Seed, requirements: Requirements, read: Amounts) -> Instance {
        let half = self.dimensions as usize / 2;
        let amounts: Vec<Vec<u32>> = (0..2 * half)
            .map(|dimension| {
                let mut rng = seed.fork("resource").numbered(dimension as u64).rng();
                let mut amounts = self.draw(&mut rng, read);
                if dimension < half {
                    self.scale(&mut amounts, requirements);
                }
                if read == Amounts::Simulated {
                    amounts.iter_mut().for_each(|amount| *amount = (*amount * 1e3).round() / 1e3);
                }
                amounts.into_iter().map(units).collect()
            })
            .collect();
        let mut quality = seed.fork("quality of service").rng();
        let jobs = (0..self.jobs as usize).map(|job| OfflineJob {
            tasks: 1,
            demand: amounts.iter().map(|amounts| amounts[job]).collect(),
            least_yield: if quality.random_bool(self.rho) { Yield::from_ratio(1, 2) } else { Yield::ZERO },
        });
        Instance { fixed: half, fluid: half, nodes: unit_nodes(self.nodes, 2 * half), jobs: jobs.collect() }
    }

    /// Draws the amounts of all jobs for one resource.
    fn draw(&self, rng: &mut Rng, read: Amounts) -> Vec<f64> {
        let least = if read == Amounts::Simulated { 0.01 } else { 0.0 };
        let normal = TruncatedNormal::new(0.5, self.sigma).with_minimum(least);
        (0..self.jobs).map(|_| normal.draw(rng)).collect()
    }

    /// Scales requirements by a common factor, so that their sum leaves the slack free.
    fn scale(&self, amounts: &mut [f64], requirements: Requirements) {
        let sum: f64 = amounts.iter().sum();
        let factor = f64::from(self.nodes) * (1.0 - self.slack) / sum;
        let most = match requirements {
            Requirements::Truncated => 1.0,
            Requirements::Kept => f64::INFINITY,
        };
        for amount in amounts {
            *amount = (*amount * factor).min(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::InstanceSet;
    use dfrsim_model::Share;

    #[test]
    fn the_published_grid_is_complete() {
        for set in [InstanceSet::Dissertation, InstanceSet::DissertationSmall] {
            let scenarios = set.scenarios();
            assert_eq!(scenarios.len(), 729);
            for (index, one) in scenarios.iter().enumerate() {
                assert!(scenarios[..index].iter().all(|other| other != one));
            }
        }
        let Some(&Scenario::Dissertation(last)) = InstanceSet::Dissertation.scenarios().last() else {
            panic!("scenarios of the dissertation")
        };
        let expected =
            DissertationScenario { nodes: 64, jobs: 500, dimensions: 6, sigma: 1.0, rho: 0.5, slack: 0.9 };
        assert_eq!(last, expected);
    }

    #[test]
    fn the_fixed_resources_leave_the_slack_free_and_the_fluid_ones_are_unscaled() {
        for index in [0, 85, 364, 728] {
            let set = InstanceSet::Dissertation;
            let Scenario::Dissertation(scenario) = set.scenarios()[index as usize] else { unreachable!() };
            let seed = set.seed(Seed::new(5), index, 3);
            let instance = scenario.instance_as(seed, Requirements::Kept, Amounts::Drawn);
            assert_eq!(instance.jobs.len(), scenario.jobs as usize);
            assert_eq!(instance.nodes.len(), 64);
            assert_eq!(instance.dimensions(), scenario.dimensions as usize);
            let sum = |dimension: usize| -> f64 {
                instance.jobs.iter().map(|job| f64::from(job.demand[dimension])).sum::<f64>()
                    / f64::from(Share::ONE.units())
            };
            for dimension in 0..instance.fixed {
                // Rounding reduces each job by less than a unit.
                let wanted = 64.0 * (1.0 - scenario.slack);
                assert!((wanted - 1e-6..=wanted + 1e-9).contains(&sum(dimension)));
            }
            for dimension in instance.fixed..instance.dimensions() {
                let mean = sum(dimension) / f64::from(scenario.jobs);
                assert!((mean - 0.5).abs() < 0.15, "{mean}");
                assert!(instance.jobs.iter().all(|job| job.demand[dimension] <= Share::ONE.units()));
            }
            let constrained = instance.jobs.iter().filter(|job| job.least_yield > Yield::ZERO).count();
            let part = constrained as f64 / f64::from(scenario.jobs);
            assert!((part - scenario.rho).abs() < 0.2, "{part}");
        }
    }

    /// A single job on 3 nodes with a slack of 0.1 demands 2.7 nodes, whatever is drawn.
    #[test]
    fn a_requirement_above_a_node_is_cut_or_kept() {
        let scenario =
            DissertationScenario { nodes: 3, jobs: 1, dimensions: 2, sigma: 0.5, rho: 1.0, slack: 0.1 };
        let instance = scenario.instance_as(Seed::new(1), Requirements::Kept, Amounts::Drawn);
        let wanted = u64::from(Share::ONE.units()) * 27 / 10;
        assert!(u64::from(instance.jobs[0].demand[0]).abs_diff(wanted) <= 1);
        assert_eq!(instance.jobs[0].least_yield, Yield::from_ratio(1, 2));
        let cut = scenario.instance(Seed::new(1));
        assert_eq!(cut.jobs[0].demand[0], Share::ONE.units());
        assert_eq!(cut.jobs[0].demand[1], instance.jobs[0].demand[1]);
    }

    /// Samples, scenarios and seeds give different instances. The test also detects changes of the
    /// random streams.
    #[test]
    fn golden_amounts() {
        let set = InstanceSet::Dissertation;
        let first = |study, scenario, sample| {
            let instance = set.instance(Seed::new(study), scenario, sample).unwrap();
            (instance.jobs[0].demand[0], instance.jobs[0].demand[1])
        };
        let found = [first(1, 0, 0), first(2, 0, 0), first(1, 1, 0), first(1, 0, 1)];
        assert_eq!(found, GOLDEN);
        assert_eq!(set.instance(Seed::new(1), 729, 0), None);
    }
    const GOLDEN: [(u32, u32); 4] = [
        (933_016_132, 623_022_708),
        (337_080_442, 771_377_025),
        (615_578_897, 404_224_437),
        (535_082_629, 661_390_302),
    ];
}
