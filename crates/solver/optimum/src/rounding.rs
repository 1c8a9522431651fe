//! Randomised rounding: RRND and RRNDNZ.

use crate::loads::Loads;
use crate::relaxation::Split;
use dfrsim_model::offline::{Instance, Solved};
use dfrsim_model::{Seed, Yield};
use rand::RngExt;

/// A part no larger than this is the zero of a solver.
pub(crate) const ZERO: f64 = 1e-9;

/// What RRNDNZ puts for zero.
const RAISED: f64 = 0.01;

/// The probability that replaces a part of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    /// Zero, so that a task goes only where the vertex has some of it: RRND.
    Kept,
    /// 0.01: RRNDNZ (RR-6692: RRNZ).
    Raised,
}

/// Rounds a vertex (dissertation, section 4.2.3; RR-6692, section 3.2): each task, in the order of the jobs, goes to a node
/// at random, with the probability of its part there, among the nodes that can take its fixed requirements and guaranteed
/// needs. `None` if there is no such node for some task.
///
/// The seed is that of this one attempt: `Seed::fork("RRND").numbered(instance)`, say.
pub fn rounded(instance: &Instance, vertex: &Split, zeros: Zeros, seed: Seed) -> Option<Solved> {
    let mut rng = seed.fork("rounding").rng();
    let mut loads = Loads::new(instance, Yield::ZERO);
    for (&job, parts) in vertex.tasks.iter().zip(&vertex.parts) {
        // To draw, strike out a node that cannot and draw again is to draw among those that can.
        let fitting = parts.iter().enumerate().filter(|&(node, _)| loads.fits(job, node));
        let (some, none): (Vec<_>, Vec<_>) = fitting.partition(|&(_, &part)| part > ZERO);
        let whole: f64 = some.iter().map(|&(_, &part)| part).sum();
        let raised = match zeros {
            Zeros::Kept => 0.0,
            Zeros::Raised => RAISED * none.len() as f64,
        };
        // The first number says whether the second draws among the parts or the zeros: so both algorithms do the same with
        // a seed until RRNDNZ draws a zero.
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
    loads.placed()
}
