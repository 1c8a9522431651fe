//! Phase IV: construction of an admissible set of resources at one start.

use crate::{Candidates, Choice};
use dfrsim_model::Rng;
use dfrsim_model::coallocation::Request;
use rand::RngExt as _;
use std::cmp::Reverse;

/// Buffers of [`Selector::select_and_swap`].
#[derive(Debug, Default)]
pub(crate) struct Selector {
    /// Positions in the rest.
    order: Vec<usize>,
    ties: Vec<usize>,
}

impl Selector {
    /// Performs `SelectAndSwap`: chooses N of more than N candidates, those with the most of each
    /// property in turn. Then it swaps candidates until all totals are satisfied, or `effort` swaps
    /// per requested resource have been tried. The result need not be admissible.
    ///
    /// Two lines of the printed algorithm are interpreted according to the text: the inner loop runs
    /// *while* its condition holds (the listing says until), and the m-th candidate is only accessed
    /// if it exists.
    pub(crate) fn select_and_swap(
        &mut self,
        candidates: &Candidates,
        request: &Request,
        effort: usize,
        choice: &mut Choice,
        rng: &mut Rng,
    ) {
        self.select(candidates, request.resources, choice, rng);
        let attempts = request.resources * effort;
        // Number of swaps tried, and number of candidates without success since the last successful
        // swap.
        let (mut tried, mut failed) = (0, 0);
        let mut ordered_by = None;
        while !choice.is_admissible(request) && tried < attempts && failed < choice.rest.len() {
            let worst = self.most_violated(request, choice, rng);
            if ordered_by != Some(worst) {
                self.order_rest(candidates, choice, worst);
                ordered_by = Some(worst);
            }
            let into = self.order[failed];
            failed += 1;
            for next in 0..choice.chosen.len() {
                if tried == attempts {
                    break;
                }
                tried += 1;
                // Fisher-Yates shuffle of the chosen candidates, performed lazily.
                let drawn = rng.random_range(next..choice.chosen.len());
                choice.chosen.swap(next, drawn);
                if may_swap(candidates, request, choice, next, into) {
                    choice.swap(candidates, next, into);
                    failed = 0;
                    ordered_by = None;
                    break;
                }
            }
        }
    }

    /// Performs lines 3 to 7: each property in turn adds the candidate with the most of it; ties are
    /// broken at random.
    fn select(&mut self, candidates: &Candidates, count: usize, choice: &mut Choice, rng: &mut Rng) {
        choice.reset(candidates);
        for property in (0..candidates.properties()).cycle().take(count) {
            let free = |place: usize| candidates.free(choice.rest[place])[property];
            self.ties.clear();
            let mut most = 0;
            for place in 0..choice.rest.len() {
                let amount = free(place);
                if amount > most || self.ties.is_empty() {
                    self.ties.clear();
                    most = amount;
                }
                if amount == most {
                    self.ties.push(place);
                }
            }
            choice.choose(candidates, self.ties[rng.random_range(0..self.ties.len())]);
        }
    }

    /// Performs line 11: returns the property with the largest worst-case utilisation; ties are
    /// broken at random.
    fn most_violated(&mut self, request: &Request, choice: &Choice, rng: &mut Rng) -> usize {
        self.ties.clear();
        let mut most = f64::NEG_INFINITY;
        for property in 0..request.total.len() {
            let utilisation = choice.utilisation(request, property);
            if utilisation > most {
                self.ties.clear();
                most = utilisation;
            }
            if utilisation == most {
                self.ties.push(property);
            }
        }
        self.ties[rng.random_range(0..self.ties.len())]
    }

    /// Performs line 12: sorts the positions in the rest by decreasing free amount of a property.
    fn order_rest(&mut self, candidates: &Candidates, choice: &Choice, property: usize) {
        self.order.clear();
        self.order.extend(0..choice.rest.len());
        self.order.sort_unstable_by_key(|&place| {
            let candidate = choice.rest[place];
            (Reverse(candidates.free(candidate)[property]), candidate)
        });
    }
}

/// Checks the condition of line 16: the swap must not decrease a property whose total is not
/// satisfied, nor violate a satisfied one.
fn may_swap(candidates: &Candidates, request: &Request, choice: &Choice, out: usize, into: usize) -> bool {
    let (leaves, enters) = (candidates.free(choice.chosen[out]), candidates.free(choice.rest[into]));
    request.total.iter().enumerate().all(|(property, &total)| {
        let free = choice.free(property);
        free - leaves[property] + enters[property] >= free.min(total)
    })
}
