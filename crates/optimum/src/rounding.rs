//! Randomised rounding: RRND and RRNDNZ.

use crate::loads::Loads;
use crate::outcome::Placed;
use crate::relaxation::Split;
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use rand::RngExt;

/// A part no larger than this is the zero of a solver.
pub(crate) const ZERO: f64 = 1e-9;

/// What stands for a part of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// Zero, so that a task goes only where the vertex has some of it: RRND.
    Kept,
    /// 0.01: RRNDNZ (RR-6692: RRNZ).
    Raised,
}

/// Rounds a vertex (dissertation, section 4.2.3; RR-6692, section 3.2): each task, in the order of the jobs, goes to a node
/// at random, with the probability of its part there, among the nodes that can take its fixed requirements and guaranteed
/// needs. Nothing if there is no such node for some task.
///
/// The seed is that of this one attempt: `Seed::fork("RRND").numbered(instance)`, say.
#[must_use]
pub fn rounded(instance: &Instance, vertex: &Split, zeros: Zeros, seed: Seed) -> Option<Placed> {
    let mut rng = seed.fork("rounding").rng();
    let mut loads = Loads::new(instance, Yield::ZERO);
    let raised = match zeros {
        Zeros::Kept => 0.0,
        Zeros::Raised => 0.01,
    };
    for (&job, parts) in vertex.tasks.iter().zip(&vertex.parts) {
        // To draw, strike out a node that cannot and draw again is to draw among those that can.
        let weights: Vec<f64> = parts
            .iter()
            .enumerate()
            .map(|(node, &part)| match (loads.fits(job, node), part > ZERO) {
                (false, _) => 0.0,
                (true, false) => raised,
                (true, true) => part,
            })
            .collect();
        let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
        let mut last = None;
        for (node, &weight) in weights.iter().enumerate().filter(|entry| *entry.1 > 0.0) {
            last = Some(node);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        loads.place(job, last?);
    }
    loads.placed()
}
