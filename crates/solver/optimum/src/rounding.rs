//! Randomised rounding: RRND and RRNDNZ.

use crate::loads::Loads;
use crate::relaxation::Split;
use dfrsim_model::offline::{Instance, Solved};
use dfrsim_model::{Seed, Yield};
use rand::RngExt;

/// Largest fraction that counts as zero, given the tolerance of solvers.
pub const ZERO: f64 = 1e-9;

/// Probability that RRNDNZ substitutes for zero.
const RAISED_PROBABILITY: f64 = 0.01;

/// Treatments of zero fractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// RRND: the probability stays 0, so that a task is placed only on nodes that have a fraction of
    /// it.
    Kept,
    /// RRNDNZ (RR-6692: RRNZ): the probability is 0.01.
    Raised,
}

/// Rounds a vertex (dissertation, section 4.2.3; RR-6692, section 3.2). Each task, in the order of
/// jobs, is placed on a random node, with the probability of its fraction there, among the nodes
/// that have the capacity for its fixed requirements and guaranteed needs. Returns `None` if a task
/// fits on no node.
///
/// `seed` must be specific to this attempt, such as `Seed::fork("RRND").numbered(instance)`.
pub fn rounded(instance: &Instance, vertex: &Split, zeros: Zeros, seed: Seed) -> Option<Solved> {
    let mut rng = seed.fork("rounding").rng();
    let mut loads = Loads::new(instance, Yield::ZERO);
    for (&job, parts) in vertex.tasks.iter().zip(&vertex.parts) {
        // Drawing among the feasible nodes is equivalent to redrawing until the node is feasible.
        let fitting = parts.iter().enumerate().filter(|&(node, _)| loads.fits(job, node));
        let (some, none): (Vec<_>, Vec<_>) = fitting.partition(|&(_, &part)| part > ZERO);
        let whole: f64 = some.iter().map(|&(_, &part)| part).sum();
        let raised = match zeros {
            Zeros::Kept => 0.0,
            Zeros::Raised => RAISED_PROBABILITY * none.len() as f64,
        };
        // The first number decides if the second one draws among the positive fractions or the
        // zeros. So with equal seeds, both algorithms make the same choices until RRNDNZ draws a
        // zero.
        let (which, place): (f64, f64) = (rng.random(), rng.random());
        let node = if which * (whole + raised) < whole {
            let mut left = place * whole;
            let reached = some.iter().find(|&&(_, &part)| {
                left -= part;
                left < 0.0
            });
            reached.or(some.last())?.0
        } else if raised > 0.0 {
            none[((place * none.len() as f64) as usize).min(none.len() - 1)].0
        } else {
            return None;
        };
        loads.place(job, node);
    }
    loads.solution()
}
