//! Minimum number of nodes for a yield, and admission of jobs at a yield.

use super::answer::{Admitted, Fewest, PackAnswer};
use super::check_packing;
use crate::commands::solve::state::Loaded;
use crate::commands::solve::time_limit::run_within;
use crate::failure::Failure;
use dfrsim_adaptation::Adapter;
use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
use dfrsim_model::{NodeId, Yield};
use dfrsim_optimum::{FewestNodes, fewest_nodes, fewest_nodes_by, mapping_yield};
use dfrsim_vector_packing::vector;
use dfrsim_vector_packing::{
    Algorithm, Offered, Outcome, Probes, Settings, Solved, VectorOptions, minimum_yield,
};
use std::time::{Duration, Instant};

/// Required yield, the settings of the algorithms, and the time limit of each.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) wanted: Yield,
    pub(super) settings: Settings,
    pub(super) limit: Duration,
}

/// Searches for a mapping with this yield by annealing, treating all jobs as new.
fn anneal_at(instance: &Instance, wanted: Yield) -> Option<Solved> {
    let jobs = instance.jobs.len();
    let problem =
        Adaptation { instance: instance.clone(), current: vec![Vec::new(); jobs], cost: vec![0; jobs] };
    let found = Adapter::new().annealing(Adapter::MOVES).cheapest_for(&problem, wanted)?;
    Some(Solved { mapping: found.mapping, minimum_yield: found.minimum_yield })
}

/// Results of all algorithms, the mapping onto the fewest nodes, and the message if none was found.
pub(super) type FewestOutcome = (Vec<Fewest>, Option<Solved>, &'static str);

impl Goal {
    /// Runs an algorithm on an instance, and returns its yield if it is at least the required one.
    /// Fails if the independent checker finds a violation.
    fn yield_if_reached(self, instance: &Instance, algorithm: &Offered) -> Result<Option<Yield>, Failure> {
        let outcome = algorithm.solve(instance, &self.settings);
        let Outcome::Solved(Solved { mapping, minimum_yield }) = outcome else { return Ok(None) };
        check_packing(algorithm, instance, &mapping, minimum_yield)?;
        Ok((minimum_yield >= self.wanted).then_some(minimum_yield))
    }

    /// Runs an algorithm on an instance in which the least yield of every job is the required one,
    /// so that the algorithm need not search for a higher yield.
    fn pack_at(self, instance: &Instance, algorithm: &Offered) -> Option<Solved> {
        let vector =
            VectorOptions { probes: Probes::EndsFirst, precision: Yield::ONE, ..self.settings.vector };
        let settings = Settings { vector, ..self.settings };
        let lifted = |job: &OfflineJob| OfflineJob { least_yield: job.unscaled(self.wanted), ..job.clone() };
        let jobs = instance.jobs.iter().map(lifted).collect();
        let outcome = algorithm.solve(&Instance { jobs, ..instance.clone() }, &settings);
        let Outcome::Solved(Solved { mapping, .. }) = outcome else { return None };
        let minimum_yield = mapping_yield(instance, &mapping).filter(|&reached| reached >= self.wanted)?;
        Some(Solved { mapping, minimum_yield })
    }

    /// Finds the fewest nodes with which each algorithm reaches the yield, with a lower bound, and
    /// the mapping onto the fewest. Nodes of a state are reported by name. If VP_EJECT fails on the
    /// best choices of nodes, annealing tries them again.
    pub(super) fn fewest(
        self,
        instance: &Instance,
        state: Option<&Loaded<'_>>,
        algorithms: &[Offered],
    ) -> Result<FewestOutcome, Failure> {
        let (mut tried, mut best) = (Vec::new(), None::<FewestNodes>);
        for algorithm in algorithms {
            let begin = Instant::now();
            let (all, packer) = (instance.clone(), algorithm.clone());
            let found = run_within(self.limit, &algorithm.to_string(), move || self.fewest_by(&all, &packer));
            let timed_out = found.is_none();
            let found = found.flatten();
            if let Some(found) = &found {
                check_packing(algorithm, instance, &found.placed.mapping, self.wanted)?;
            }
            let name = |node: &NodeId| {
                state.map_or_else(|| node.to_string(), |loaded| loaded.state.nodes[node.index()].name.clone())
            };
            tried.push(Fewest {
                algorithm: algorithm.to_string(),
                nodes: found.as_ref().map(|found| found.nodes.len()),
                on: found.as_ref().map(|found| found.nodes.iter().map(name).collect()),
                at_least: found.as_ref().map(|found| found.lower_bound),
                timed_out,
                time_ms: begin.elapsed().as_secs_f64() * 1e3,
            });
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.nodes.len() < best.nodes.len())
            {
                best = Some(found);
            }
        }
        let missed = if tried.iter().any(|fewest| fewest.timed_out) {
            "no algorithm reaches the yield within the time limit, even on all nodes"
        } else {
            "no algorithm reaches the yield, even on all nodes"
        };
        let solved = |FewestNodes { placed, .. }| Solved {
            minimum_yield: minimum_yield(instance, &placed.mapping).unwrap_or(placed.minimum_yield),
            ..placed
        };
        Ok((tried, best.map(solved), missed))
    }

    /// Finds the fewest nodes with which an algorithm reaches the yield.
    fn fewest_by(self, instance: &Instance, algorithm: &Offered) -> Option<FewestNodes> {
        if algorithm.is(Algorithm::Optimum) {
            return fewest_nodes(instance, self.wanted, &self.settings.limits);
        }
        let is_eject = algorithm.is(Algorithm::Vector(vector::Algorithm::EJECT));
        fewest_nodes_by(instance, self.wanted, |chosen, is_again| match (is_again, is_eject) {
            (false, _) => self.pack_at(chosen, algorithm),
            (true, true) => anneal_at(chosen, self.wanted),
            // These algorithms are deterministic: a second attempt would repeat the first.
            (true, false) => None,
        })
    }

    /// Admits jobs in the order of the file; a job is refused if the algorithm does not reach the
    /// yield of all jobs with it (RR-6692, section 2.1).
    pub(super) fn admit(self, instance: &Instance, algorithms: &[Offered]) -> Result<PackAnswer, Failure> {
        let mut tried = Vec::new();
        for algorithm in algorithms {
            let (name, all, packer) = (algorithm.to_string(), instance.clone(), algorithm.clone());
            let found = run_within(self.limit, &name, move || self.admit_by(&all, &packer));
            let late = || Failure::Result(format!("{name}: no answer within {} s", self.limit.as_secs_f64()));
            tried.push(found.ok_or_else(late)??);
        }
        Ok(PackAnswer::Admission { wanted: self.wanted.as_f64(), algorithms: tried })
    }

    fn admit_by(self, instance: &Instance, algorithm: &Offered) -> Result<Admitted, Failure> {
        let mut admitted = Instance { jobs: Vec::new(), ..instance.clone() };
        let (mut refused, mut reached) = (Vec::new(), Yield::ONE);
        for (number, job) in instance.jobs.iter().enumerate() {
            admitted.jobs.push(job.clone());
            match self.yield_if_reached(&admitted, algorithm)? {
                Some(minimum) => reached = minimum,
                None => {
                    admitted.jobs.pop();
                    refused.push(number);
                }
            }
        }
        Ok(Admitted {
            algorithm: algorithm.to_string(),
            admitted: admitted.jobs.len(),
            minimum_yield: reached.as_f64(),
            refused,
        })
    }
}
