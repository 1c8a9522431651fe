//! The largest weighted average of the yields above given floors: a linear program.

use super::contested::{Contested, Part};
use super::dual_simplex::DualSimplex;

/// How far sums of yields may be off, relatively to a node's CPU, for being equal.
const TOLERANCE: f64 = 1e-12;

/// How much more the first job counts than the last, relatively, so that nearly always there is just one optimum.
/// This costs the average far less than the rounding of yields does.
const PREFERENCE: f64 = 1.0 / (1 << 24) as f64;

/// Maximises the sum of weight * yield. Between optima it prefers higher yields of earlier jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct AverageProgram {
    /// For each job: its floor, at most 1, at which all nodes have room for all jobs.
    floors: Vec<f64>,
    /// For each job: what a unit of its yield is worth; positive.
    weights: Vec<f64>,
    ceilings: Vec<f64>,
    /// The contested nodes that matter.
    open: Vec<u32>,
    simplex: DualSimplex,
}

impl AverageProgram {
    /// Jobs with these floors and weights.
    pub(super) fn set(&mut self, jobs: impl Iterator<Item = (f64, f64)>) {
        self.floors.clear();
        self.weights.clear();
        for (floor, weight) in jobs {
            self.floors.push(floor);
            self.weights.push(weight);
        }
    }

    /// The yields, to within a few of their last binary digits.
    pub(super) fn solve(&mut self, contested: &Contested) -> &[f64] {
        self.close_nodes(contested);
        // By content, so that the numbers of nodes do not matter, nor how many nodes have the same tasks.
        self.open.sort_unstable_by_key(|&node| contested.node(node as usize));
        self.open.dedup_by_key(|node| contested.node(*node as usize));
        let count = self.weights.len() as f64;
        for (place, weight) in self.weights.iter_mut().enumerate() {
            *weight *= 1.0 + PREFERENCE * ((count - place as f64) / count).sqrt();
        }
        self.simplex.solve(contested, &self.open, &self.floors, &self.ceilings, &self.weights)
    }

    /// Finds the nodes that still matter when the jobs of all nodes that are full already stay at their floors.
    fn close_nodes(&mut self, contested: &Contested) {
        let AverageProgram { floors, ceilings, open, .. } = self;
        let sum = |parts: &[Part], yields: &[f64]| -> f64 {
            parts.iter().map(|part| part.load as f64 * yields[part.job as usize]).sum()
        };
        ceilings.clear();
        ceilings.resize(floors.len(), 1.0);
        open.clear();
        open.extend(0..contested.len() as u32);
        open.retain(|&node| {
            let (parts, capacity) = contested.node(node as usize);
            let full = capacity as f64 - sum(parts, floors) <= TOLERANCE * capacity as f64;
            if full {
                for part in parts {
                    ceilings[part.job as usize] = floors[part.job as usize];
                }
            }
            !full
        });
        open.retain(|&node| {
            let (parts, capacity) = contested.node(node as usize);
            sum(parts, ceilings) - capacity as f64 > TOLERANCE * capacity as f64
        });
    }
}
