//! Instances of RR-6692.

use super::truncated::TruncatedNormal;
use super::{Scenario, slacks, unit_nodes, units};
use dfrsim_model::offline::{Instance, OfflineJob};
use dfrsim_model::{Seed, Yield};
use dfrsim_workload::lublin::{LublinParameters, Mode, arrivals};
use std::num::NonZeroU32;

/// Interpretations of the memory slack in RR-6692's instances; its section 4.1 is ambiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Scaling: requirements are drawn with a mean of 0.5, redrawn outside of [0, 1], and scaled by
    /// a common factor, so that "the total amount of free memory, or memory slack", is that of the
    /// scenario in every instance, and the mean requirement is H (1 - slack) / J. This is the method
    /// of its authors' generator (flexsched, first commit of its public repository,
    /// `genparallelprob.c`). Requirements that scaling raises above a whole node stay there.
    #[default]
    Scaled,
    /// Distribution: requirements are drawn with a mean of H (1 - slack) / J and redrawn outside of
    /// [0, 1]. The free memory of an instance varies; on average it is less than the slack if values
    /// are redrawn.
    Drawn,
}

/// A scenario of RR-6692 (sections 4.1 and 5.2): memory and CPU, both normally distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rr6692Scenario {
    /// Number of nodes (H); at least 1.
    pub nodes: u32,
    /// Total number of tasks (J for serial jobs).
    pub tasks: u32,
    /// True if jobs may have more than one task.
    pub parallel: bool,
    /// Coefficient of variation of the memory requirements.
    pub memory_variation: f64,
    /// Coefficient of variation of the CPU needs.
    pub cpu_variation: f64,
    /// Fraction of the memory that stays free: the mean requirement is H (1 - slack) / J.
    pub slack: f64,
}

impl Rr6692Scenario {
    /// Returns the published scenarios. Tasks vary slowest, then the variations of memory and CPU;
    /// the slack varies fastest.
    pub(super) fn grid(nodes: u32, tasks: &[u32], parallel: bool) -> Vec<Scenario> {
        let mut scenarios = Vec::new();
        for &tasks in tasks {
            for memory_variation in [0.25, 0.75] {
                for cpu_variation in [0.25, 0.75] {
                    scenarios.extend(slacks().map(|slack| Self {
                        nodes,
                        tasks,
                        parallel,
                        memory_variation,
                        cpu_variation,
                        slack,
                    }));
                }
            }
        }
        scenarios.into_iter().map(Scenario::Rr6692).collect()
    }

    /// Generates the instance of this seed with the default interpretation of the slack, by scaling.
    pub fn instance(&self, seed: Seed) -> Instance {
        self.instance_as(seed, Memory::default())
    }

    /// Generates the instance of this seed with a given interpretation of the slack.
    ///
    /// Requirements outside of [0, 1] are redrawn. The sizes of parallel jobs follow the typeless
    /// Lublin model on this number of nodes until the number of tasks is reached; the last job is
    /// reduced to the missing tasks.
    pub fn instance_as(&self, seed: Seed, reading: Memory) -> Instance {
        let wanted = f64::from(self.nodes) * (1.0 - self.slack);
        let mean = match reading {
            Memory::Drawn => (wanted / f64::from(self.tasks)).min(1.0),
            Memory::Scaled => 0.5,
        };
        let memory = TruncatedNormal::new(mean, mean * self.memory_variation);
        let cpu = TruncatedNormal::new(0.5, 0.5 * self.cpu_variation);
        let (mut memory_stream, mut cpu_stream) = (seed.fork("memory").rng(), seed.fork("cpu").rng());
        let sizes = self.sizes(seed.fork("sizes"));
        let memories: Vec<f64> = sizes.iter().map(|_| memory.draw(&mut memory_stream)).collect();
        let factor = match reading {
            Memory::Drawn => 1.0,
            Memory::Scaled => {
                wanted
                    / sizes
                        .iter()
                        .zip(&memories)
                        .map(|(&tasks, memory)| f64::from(tasks) * memory)
                        .sum::<f64>()
            }
        };
        let jobs = sizes.into_iter().zip(memories).map(|(tasks, memory)| OfflineJob {
            tasks,
            demand: [units(memory * factor), units(cpu.draw(&mut cpu_stream))].into(),
            least_yield: Yield::ZERO,
        });
        Instance { fixed: 1, fluid: 1, nodes: unit_nodes(self.nodes, 2), jobs: jobs.collect() }
    }

    /// Returns the number of tasks of each job.
    fn sizes(&self, seed: Seed) -> Vec<u32> {
        let Some(nodes) = NonZeroU32::new(self.nodes).filter(|_| self.parallel) else {
            return vec![1; self.tasks as usize];
        };
        let parameters = LublinParameters { nodes, mode: Mode::Typeless, ..LublinParameters::default() };
        let mut missing = self.tasks;
        let sizes = arrivals(&parameters, seed).map_while(|arrival| {
            let size = arrival.size.min(missing);
            missing -= size;
            (size > 0).then_some(size)
        });
        sizes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::InstanceSet;
    use dfrsim_model::Share;

    #[test]
    fn the_published_numbers_of_instances() {
        for (set, instances) in [
            (InstanceSet::Rr6692Small, 1_440),
            (InstanceSet::Rr6692Large, 10_800),
            (InstanceSet::Rr6692Parallel, 10_800),
        ] {
            assert_eq!(set.scenarios().len() * set.samples() as usize, instances);
        }
    }

    #[test]
    fn means_are_those_of_the_scenario() {
        let scenario = Rr6692Scenario {
            nodes: 64,
            tasks: 20_000,
            parallel: false,
            memory_variation: 0.25,
            cpu_variation: 0.25,
            slack: 0.4,
        };
        let instance = scenario.instance_as(Seed::new(7), Memory::Drawn);
        let mean = |dimension: usize| {
            let sum: f64 = instance.jobs.iter().map(|job| f64::from(job.demand[dimension])).sum();
            sum / f64::from(Share::ONE.units()) / 20_000.0
        };
        // The distributions extend to four deviations from their means; the tolerance is five
        // standard errors.
        assert!((mean(0) / (64.0 * 0.6 / 20_000.0) - 1.0).abs() < 0.009, "{}", mean(0));
        assert!((mean(1) - 0.5).abs() < 0.0045, "{}", mean(1));
    }

    #[test]
    fn parallel_jobs_have_all_tasks_and_fit_the_cluster() {
        let mut tasks_of_jobs = Vec::new();
        for sample in 0..20 {
            let instance = InstanceSet::Rr6692Parallel.instance(Seed::new(1), 107, sample).unwrap();
            let tasks: Vec<u32> = instance.jobs.iter().map(|job| job.tasks).collect();
            assert_eq!(tasks.iter().sum::<u32>(), 500);
            assert!(tasks.iter().all(|tasks| (1..=64).contains(tasks)));
            tasks_of_jobs.extend(tasks);
        }
        let parallel = tasks_of_jobs.iter().filter(|&&tasks| tasks > 1).count() as f64;
        // A quarter of the model's jobs are serial.
        assert!((parallel / tasks_of_jobs.len() as f64 - 0.756).abs() < 0.06);
    }

    #[test]
    fn scaled_memory_leaves_the_slack_free() {
        for (set, nodes) in [(InstanceSet::Rr6692Small, 4.0), (InstanceSet::Rr6692Parallel, 64.0)] {
            for (index, scenario) in set.scenarios().into_iter().enumerate().step_by(13) {
                let Scenario::Rr6692(of) = scenario else { panic!("a scenario of RR-6692") };
                let instance = of.instance_as(set.seed(Seed::new(3), index as u32, 0), Memory::Scaled);
                let memory = |job: &OfflineJob| f64::from(job.tasks) * f64::from(job.demand[0]);
                let sum = instance.jobs.iter().map(memory).sum::<f64>() / f64::from(Share::ONE.units());
                // Rounding reduces each task by less than a unit.
                assert!((0.0..1e-6).contains(&(nodes * (1.0 - of.slack) + 1e-9 - sum)), "{index}: {sum}");
            }
        }
    }

    #[test]
    fn golden_amounts() {
        let demand = |set: InstanceSet| {
            let (scenario, seed) = (set.scenarios()[3], set.seed(Seed::new(1), 3, 2));
            let Scenario::Rr6692(scenario) = scenario else { panic!("a scenario of RR-6692") };
            scenario.instance_as(seed, Memory::Drawn).jobs[0].demand.to_vec()
        };
        assert_eq!(demand(InstanceSet::Rr6692Small), GOLDEN[0]);
        assert_eq!(demand(InstanceSet::Rr6692Parallel), GOLDEN[1]);
    }
    const GOLDEN: [[u32; 2]; 2] = [[234_764_419, 355_942_313], [325_662_523, 535_202_521]];
}
