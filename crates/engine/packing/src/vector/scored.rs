//! Nodes that are filled one after the other, each with the item that suits what it has left best (Panigrahy, Talwar, Uyeda and
//! Wieder, Heuristics for vector bin packing, 2011).

use super::Options;
use super::algorithm::{Algorithm, Rule};
use super::demands::{Demands, read_nodes};
use super::engine::Solve;
use super::yields::search;
use crate::filling::{NodeRuns, fits, reduce};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};

/// Scores are of amounts without this many of their bits, so that they fit 128.
const FINE: u32 = 20;

/// The algorithm for vectors of width D, with memory that is used again from instance to instance.
#[derive(Debug, Default)]
pub(super) struct Scored<const D: usize> {
    demands: Demands<D>,
    nodes: NodeRuns<D>,
    /// How many tasks of each job have no node yet.
    left: Vec<u64>,
    /// The jobs of which there are some.
    open: Vec<u32>,
    /// Job and node of each task, as tried and as found last.
    tried: Vec<(u32, u32)>,
    found: Vec<(u32, u32)>,
}

impl<const D: usize> Scored<D> {
    /// What a resource counts for: the mean of what tasks ask of it.
    fn weights(&self) -> [u128; D] {
        let tasks: u128 = self.demands.tasks().iter().map(|&tasks| u128::from(tasks)).sum();
        let own = self.demands.sizes().iter().zip(self.demands.tasks());
        let mut sums = [0; D];
        for (size, &tasks) in own {
            for (sum, &size) in sums.iter_mut().zip(size) {
                *sum += u128::from(size >> FINE) * u128::from(tasks);
            }
        }
        sums.map(|sum| sum / tasks.max(1))
    }

    /// How badly an item suits what is free; the least is best.
    fn misfit(rule: Rule, weights: &[u128; D], free: &[u64; D], size: &[u64; D]) -> u128 {
        let by_resource = (0..D).map(|d| {
            if rule == Rule::DotProduct {
                weights[d] * u128::from(free[d] >> FINE) * u128::from(size[d] >> FINE)
            } else {
                let rest = u128::from((free[d] - size[d]) >> FINE);
                weights[d] * rest * rest
            }
        });
        let sum = by_resource.sum();
        if rule == Rule::DotProduct { u128::MAX - sum } else { sum }
    }

    fn packs_at(&mut self, rule: Rule, scaled: Yield) -> bool {
        self.demands.size_at(scaled);
        let weights = self.weights();
        let Scored { demands, nodes, left, open, tried, found } = self;
        left.clear();
        left.extend_from_slice(demands.tasks());
        open.clear();
        open.extend((0..left.len() as u32).filter(|&job| left[job as usize] > 0));
        tried.clear();
        let mut node = 0;
        for run in nodes.runs() {
            for _ in 0..run.nodes {
                let mut free = nodes.kinds()[run.kind as usize];
                loop {
                    let sizes = demands.sizes();
                    let fitting = open.iter().filter(|&&job| fits(&sizes[job as usize], &free));
                    let misfit = |job: u32| Self::misfit(rule, &weights, &free, &sizes[job as usize]);
                    let Some(job) = fitting.copied().min_by_key(|&job| (misfit(job), job)) else { break };
                    reduce(&mut free, &sizes[job as usize], 1);
                    tried.push((job, node));
                    left[job as usize] -= 1;
                    if left[job as usize] == 0 {
                        open.retain(|&other| other != job);
                    }
                }
                node += 1;
            }
        }
        let packed = open.is_empty();
        if packed {
            std::mem::swap(tried, found);
        }
        packed
    }
}

impl<const D: usize> Solve for Scored<D> {
    fn solve(&mut self, algorithm: Algorithm, instance: &Instance, options: Options) -> Option<Solved> {
        self.demands.read(instance);
        read_nodes(instance, &mut self.nodes);
        let packs_at = |at| self.packs_at(algorithm.rule, at);
        let probed = search(instance, options.precision, options.probes, packs_at)?;
        let parts = self.found.iter().map(|&(job, node)| (job as usize, node, 1));
        let mapping = mapping_of(instance.jobs.len(), parts);
        Some(options.claimed.solved(probed, instance, mapping))
    }
}
