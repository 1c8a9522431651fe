//! Linear program for the largest weighted average of the yields above given floors.

use super::contested::{Contested, Part};
use super::dual_simplex::DualSimplex;

/// Relative difference, in terms of a node's CPU, up to which sums of yields count as equal.
const TOLERANCE: f64 = 1e-12;

/// Relative extra weight of the first job over the last, so that the optimum is nearly always
/// unique. It costs the average far less than the rounding of yields does.
const PREFERENCE: f64 = 1.0 / (1 << 24) as f64;

/// Linear program that maximises the sum of weight * yield. Ties between optima are broken in favour
/// of earlier jobs.
#[derive(Clone, Debug, Default)]
pub(super) struct AverageProgram {
    /// Floor of each job, at most 1. At their floors the jobs fit on all nodes.
    floors: Vec<f64>,
    /// Weight of each job: value of a unit of its yield; positive.
    weights: Vec<f64>,
    ceilings: Vec<f64>,
    /// Indices of the contested nodes that can still limit a yield.
    open: Vec<u32>,
    simplex: DualSimplex,
}

impl AverageProgram {
    /// Sets the floors and weights of the jobs.
    pub(super) fn set(&mut self, jobs: impl Iterator<Item = (f64, f64)>) {
        self.floors.clear();
        self.weights.clear();
        for (floor, weight) in jobs {
            self.floors.push(floor);
            self.weights.push(weight);
        }
    }

    /// Solves the program; returns the yields, exact to within a few of their last binary digits.
    pub(super) fn solve(&mut self, contested: &Contested) -> &[f64] {
        self.close_nodes(contested);
        // Sorting by content makes the result independent of node numbers and of the number of nodes
        // with the same tasks.
        self.open.sort_unstable_by_key(|&node| contested.node(node as usize));
        self.open.dedup_by_key(|node| contested.node(*node as usize));
        let count = self.weights.len() as f64;
        for (place, weight) in self.weights.iter_mut().enumerate() {
            *weight *= 1.0 + PREFERENCE * ((count - place as f64) / count).sqrt();
        }
        self.simplex.solve(contested, &self.open, &self.floors, &self.ceilings, &self.weights)
    }

    /// Finds the nodes that still matter once the jobs on all full nodes are fixed at their floors.
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
