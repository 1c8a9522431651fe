//! The optimum by complete search.

use crate::candidates::utilisation;
use crate::starts::Starts;
use crate::{Candidates, Grid};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// The best there is on a set of resources (section 2): the earliest start, and the best factor with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// The earliest start at which some set of resources is admissible.
    pub start: SimTime,
    /// The largest estimated utilisation factor of the admissible sets at that start.
    pub factor: f64,
}

/// The optimum over these resources, or `None` if no set is admissible at any start.
///
/// Examines every set of N resources, by branch and bound: a branch is left when its totals are out of reach, or when
/// no completion can have a better factor. Exact for any N; the time grows with the number of sets, 3,003 for 5 of 15.
///
/// # Panics
///
/// If [`Grid::check_request`] would refuse the request, or a resource does not exist.
pub fn optimum(grid: &Grid, request: &Request, resources: &[usize]) -> Option<Optimum> {
    let accepted = |resource: &usize| request.accepts(&grid.resources()[*resource]);
    let resources: Vec<usize> = resources.iter().copied().filter(accepted).collect();
    let mut candidates = Candidates::default();
    let mut starts = Starts::new(grid, request, resources, true);
    while let Some(start) = starts.next_sufficient(&mut candidates) {
        if let Some(factor) = Search::new(&candidates, request).best() {
            return Some(Optimum { start, factor });
        }
    }
    None
}

/// The search at one start. Candidates are decided on one after the other: taken or not.
struct Search<'a> {
    candidates: &'a Candidates,
    request: &'a Request,
    /// Those that are used most first, so that good sets are met early.
    order: Vec<usize>,
    /// By position in the order, number of candidates still to take, and property.
    ahead: Vec<Ahead>,
    best: Option<f64>,
}

/// What this many candidates from a position on can come to at the most and at the least.
#[derive(Clone, Copy, Debug, Default)]
struct Ahead {
    most_free: u64,
    least_free: u64,
    most_capacity: u64,
}

/// Keeps bounds on the safe side of rounding errors: of a few products and quotients.
const ROUNDING: f64 = 1.0 + 1e-12;

impl<'a> Search<'a> {
    fn new(candidates: &'a Candidates, request: &'a Request) -> Search<'a> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        let alone = |candidate: usize| -> f64 {
            let amounts = candidates.capacity(candidate).iter().zip(candidates.free(candidate));
            amounts.map(|(&capacity, &free)| utilisation(capacity, free, 0)).product()
        };
        order.sort_by(|&one, &other| alone(other).total_cmp(&alone(one)));
        let mut search = Search { candidates, request, order, ahead: Vec::new(), best: None };
        search.look_ahead();
        search
    }

    /// The best factor of all admissible sets.
    fn best(mut self) -> Option<f64> {
        let none = vec![0; self.candidates.properties()];
        self.branch(0, self.request.resources, &none, &none);
        self.best
    }

    fn look_ahead(&mut self) {
        let (properties, count) = (self.candidates.properties(), self.request.resources);
        let mut free = vec![Vec::new(); properties];
        let mut capacity = vec![Vec::new(); properties];
        let mut ahead = vec![Ahead::default(); (self.order.len() + 1) * (count + 1) * properties];
        for position in (0..self.order.len()).rev() {
            for property in 0..properties {
                let candidate = self.order[position];
                insert_sorted(&mut free[property], self.candidates.free(candidate)[property]);
                insert_sorted(&mut capacity[property], self.candidates.capacity(candidate)[property]);
                let mut sums = Ahead::default();
                for taken in 1..=count.min(free[property].len()) {
                    let last = free[property].len() - taken;
                    sums.most_free += free[property][last];
                    sums.least_free += free[property][taken - 1];
                    sums.most_capacity += capacity[property][last];
                    ahead[(position * (count + 1) + taken) * properties + property] = sums;
                }
            }
        }
        self.ahead = ahead;
    }

    fn branch(&mut self, position: usize, to_take: usize, free: &[u64], capacity: &[u64]) {
        if to_take == 0 {
            // The bound of the last step was exact but for its margin.
            let factor = self.factor(free.iter().zip(capacity).map(|(&free, &capacity)| (free, capacity)));
            let admissible = free.iter().zip(&self.request.total).all(|(free, total)| free >= total);
            if admissible && self.best.is_none_or(|best| factor > best) {
                self.best = Some(factor);
            }
            return;
        }
        if self.order.len() - position < to_take || !self.promises(position, to_take, free, capacity) {
            return;
        }
        let candidate = self.order[position];
        let sum =
            |sums: &[u64], more: &[u64]| -> Vec<u64> { sums.iter().zip(more).map(|(a, b)| a + b).collect() };
        let with_free = sum(free, self.candidates.free(candidate));
        let with_capacity = sum(capacity, self.candidates.capacity(candidate));
        self.branch(position + 1, to_take - 1, &with_free, &with_capacity);
        self.branch(position + 1, to_take, free, capacity);
    }

    /// Whether some completion might be admissible and better than the best so far.
    fn promises(&self, position: usize, to_take: usize, free: &[u64], capacity: &[u64]) -> bool {
        let properties = self.candidates.properties();
        let row = (position * (self.request.resources + 1) + to_take) * properties;
        let ahead = &self.ahead[row..row + properties];
        let reaches = ahead.iter().zip(free).zip(&self.request.total);
        if !reaches.into_iter().all(|((ahead, free), total)| free + ahead.most_free >= *total) {
            return false;
        }
        // A utilisation is 1 - (free - total) / capacity: at most that with the least free of the largest capacity.
        let bound = ahead.iter().zip(free).zip(capacity).zip(&self.request.total).map(
            |(((ahead, free), capacity), &total)| {
                ((free + ahead.least_free).max(total), capacity + ahead.most_capacity)
            },
        );
        let bound = self.factor(bound);
        self.best.is_none_or(|best| bound * ROUNDING > best)
    }

    /// The utilisation factor of what is free of a capacity, property by property.
    fn factor(&self, amounts: impl Iterator<Item = (u64, u64)>) -> f64 {
        let each = |((free, capacity), &total): ((u64, u64), &u64)| utilisation(capacity, free, total);
        amounts.zip(&self.request.total).map(each).product()
    }
}

fn insert_sorted(values: &mut Vec<u64>, value: u64) {
    values.insert(values.partition_point(|&other| other < value), value);
}
