//! Phase V: improvement of the utilisation at the same start.

use crate::{Candidates, Choice};
use dfrsim_model::Rng;
use dfrsim_model::coallocation::Request;
use rand::RngExt as _;

/// Tries `effort` random swaps per requested resource, and accepts those that keep the choice
/// admissible without decreasing the utilisation factor. Returns the final utilisation factor.
pub(crate) fn improve(
    candidates: &Candidates,
    request: &Request,
    effort: usize,
    choice: &mut Choice,
    rng: &mut Rng,
) -> f64 {
    let mut best = choice.factor(request);
    if choice.rest.is_empty() {
        return best;
    }
    for _ in 0..request.resources * effort {
        let out = rng.random_range(0..choice.chosen.len());
        let into = rng.random_range(0..choice.rest.len());
        choice.swap(candidates, out, into);
        let factor = choice.is_admissible(request).then(|| choice.factor(request));
        match factor.filter(|factor| *factor >= best) {
            Some(factor) => best = factor,
            None => choice.swap(candidates, out, into),
        }
    }
    best
}
