//! The fewest nodes that keep a yield, and the jobs that are admitted with it.

use super::answer::{Admitted, Answered, Fewest};
use super::checked;
use crate::commands::solve::state::Loaded;
use crate::commands::solve::time_limit::within;
use crate::failure::Failure;
use dfrsim_adaptation::Adapter;
use dfrsim_model::offline::{Adaptation, Instance, OfflineJob};
use dfrsim_model::{NodeId, Yield};
use dfrsim_optimum::{FewestNodes, fewest_nodes, fewest_nodes_by, mapping_yield};
use dfrsim_vector_packing::vector;
use dfrsim_vector_packing::{Algorithm, Outcome, Probes, Settings, Solved, VectorOptions, minimum_yield};
use std::time::{Duration, Instant};

/// A yield to keep, the settings of the algorithms that are tried, and how long each may take.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) wanted: Yield,
    pub(super) settings: Settings,
    pub(super) limit: Duration,
}

/// A mapping with this yield by annealing, of jobs that are all new.
fn annealed_at(instance: &Instance, wanted: Yield) -> Option<Solved> {
    let jobs = instance.jobs.len();
    let problem =
        Adaptation { instance: instance.clone(), current: vec![Vec::new(); jobs], cost: vec![0; jobs] };
    let found = Adapter::new().annealing(Adapter::MOVES).cheapest_for(&problem, wanted)?;
    Some(Solved { mapping: found.mapping, minimum_yield: found.minimum_yield })
}

/// What was tried, the mapping onto the fewest nodes, and if none was found, why.
pub(super) type Found = (Vec<Fewest>, Option<Solved>, &'static str);

impl Goal {
    /// The yield that an algorithm reaches on an instance, if it keeps the yield and the independent checker finds no fault.
    fn packed(self, instance: &Instance, algorithm: Algorithm) -> Result<Option<Yield>, Failure> {
        let outcome = algorithm.solve(instance, &self.settings);
        let Outcome::Solved(Solved { mapping, minimum_yield }) = outcome else { return Ok(None) };
        checked(algorithm, instance, &mapping, minimum_yield)?;
        Ok((minimum_yield >= self.wanted).then_some(minimum_yield))
    }

    /// A mapping of an algorithm with this yield: that is what every job gets in any case, so that the algorithm need not look for more.
    fn packed_at(self, instance: &Instance, algorithm: Algorithm) -> Option<Solved> {
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

    /// Which nodes are enough for each algorithm, with a number below which none can do; and the mapping onto the fewest. Nodes of a
    /// state have names. Where VP_EJECT fails on the best choices of nodes, annealing tries them again.
    pub(super) fn fewest(
        self,
        instance: &Instance,
        state: Option<&Loaded<'_>>,
        algorithms: &[Algorithm],
    ) -> Result<Found, Failure> {
        let (mut tried, mut best) = (Vec::new(), None::<FewestNodes>);
        for &algorithm in algorithms {
            let begin = Instant::now();
            let all = instance.clone();
            let found = within(self.limit, &algorithm.to_string(), move || self.fewest_by(&all, algorithm));
            let timed_out = found.is_none();
            let found = found.flatten();
            if let Some(found) = &found {
                checked(algorithm, instance, &found.placed.mapping, self.wanted)?;
            }
            let name = |node: &NodeId| {
                state.map_or_else(|| node.to_string(), |loaded| loaded.state.nodes[node.index()].name.clone())
            };
            tried.push(Fewest {
                algorithm: algorithm.to_string(),
                nodes: found.as_ref().map(|found| found.nodes.len()),
                on: found.as_ref().map(|found| found.nodes.iter().map(name).collect()),
                at_least: found.as_ref().map(|found| found.at_least),
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
            "no algorithm keeps the yield on all nodes within the limit of time"
        } else {
            "no algorithm keeps the yield on all nodes"
        };
        let solved = |FewestNodes { placed, .. }| Solved {
            minimum_yield: minimum_yield(instance, &placed.mapping).unwrap_or(placed.minimum_yield),
            ..placed
        };
        Ok((tried, best.map(solved), missed))
    }

    /// The fewest nodes that are enough for an algorithm.
    fn fewest_by(self, instance: &Instance, algorithm: Algorithm) -> Option<FewestNodes> {
        if algorithm == Algorithm::Optimum {
            return fewest_nodes(instance, self.wanted, &self.settings.limits);
        }
        fewest_nodes_by(instance, self.wanted, |chosen, is_again| match (is_again, algorithm) {
            (false, _) => self.packed_at(chosen, algorithm),
            (true, Algorithm::Vector(vector::Algorithm::EJECT)) => annealed_at(chosen, self.wanted),
            // A second try is the first once more.
            (true, _) => None,
        })
    }

    /// Which jobs are admitted, in the order of the file, if each is refused with which an algorithm does not keep the yield of
    /// all (RR-6692, section 2.1).
    pub(super) fn admitted(self, instance: &Instance, algorithms: &[Algorithm]) -> Result<Answered, Failure> {
        let mut tried = Vec::new();
        for &algorithm in algorithms {
            let (name, all) = (algorithm.to_string(), instance.clone());
            let found = within(self.limit, &name, move || self.admitted_by(&all, algorithm));
            let late = || Failure::Result(format!("{name}: no answer within {} s", self.limit.as_secs_f64()));
            tried.push(found.ok_or_else(late)??);
        }
        Ok(Answered::Admission { wanted: self.wanted.as_f64(), algorithms: tried })
    }

    fn admitted_by(self, instance: &Instance, algorithm: Algorithm) -> Result<Admitted, Failure> {
        let mut admitted = Instance { jobs: Vec::new(), ..instance.clone() };
        let (mut refused, mut reached) = (Vec::new(), Yield::ONE);
        for (number, job) in instance.jobs.iter().enumerate() {
            admitted.jobs.push(job.clone());
            match self.packed(&admitted, algorithm)? {
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
