//! Phase IV: an admissible set of resources at one start.

use crate::{Candidates, Choice};
use dfrsim_model::Rng;
use dfrsim_model::coallocation::Request;
use rand::RngExt as _;
use std::cmp::Reverse;

/// Scratch space of [`Selector::select_and_swap`].
#[derive(Debug, Default)]
pub(crate) struct Selector {
    /// Places in the rest.
    order: Vec<usize>,
    ties: Vec<usize>,
}

impl Selector {
    /// `SelectAndSwap`: chooses N of more than N candidates, those with much of each property in turn, then exchanges
    /// some until all totals are met or `effort` exchanges a resource have been tried. What it leaves may not be
    /// admissible.
    ///
    /// Two lines of the printed algorithm are read as the text beside it means them: the inner loop goes on *while* its
    /// condition holds (it says until), and the m-th candidate is only looked for while there is one.
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
        // How many exchanges were tried, and how many candidates without success since the last that succeeded.
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
                // A random order of the chosen, made as it is needed.
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

    /// Lines 3 to 7: each property in turn takes the candidate with most of it, one of them if there are several.
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
            choice.take(candidates, self.ties[rng.random_range(0..self.ties.len())]);
        }
    }

    /// Line 11: the property with the largest worst-case utilisation, one of them if there are several.
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

    /// Line 12: the places in the rest, those with most of a property first.
    fn order_rest(&mut self, candidates: &Candidates, choice: &Choice, property: usize) {
        self.order.clear();
        self.order.extend(0..choice.rest.len());
        self.order.sort_unstable_by_key(|&place| {
            let candidate = choice.rest[place];
            (Reverse(candidates.free(candidate)[property]), candidate)
        });
    }
}

/// Line 16: whether after an exchange no property that lacks something has less, and none that has enough too little.
fn may_swap(candidates: &Candidates, request: &Request, choice: &Choice, out: usize, into: usize) -> bool {
    let (leaves, enters) = (candidates.free(choice.chosen[out]), candidates.free(choice.rest[into]));
    request.total.iter().enumerate().all(|(property, &total)| {
        let free = choice.free(property);
        free - leaves[property] + enters[property] >= free.min(total)
    })
}
