//! The optimum by complete search.

use crate::candidates::utilisation;
use crate::starts::Starts;
use crate::{Candidates, Grid};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::Request;

/// Optimum on a set of resources (section 2): the earliest start, and the best factor at that start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// Earliest start at which some set of resources is admissible.
    pub start: SimTime,
    /// Largest estimated utilisation factor of the admissible sets at that start.
    pub factor: f64,
}

/// Computes the optimum over these resources; `None` if no set is admissible at any start.
///
/// Enumerates all sets of N resources by branch and bound. A branch is pruned if its totals are out
/// of reach, or if no completion can have a better factor. The result is exact for any N; the time
/// grows with the number of sets, such as 3,003 for 5 of 15.
///
/// # Panics
///
/// If [`Grid::check_request`] would reject the request, or a resource does not exist.
pub fn optimum(grid: &Grid, request: &Request, resources: &[usize]) -> Option<Optimum> {
    let accepted = |resource: &usize| request.accepts(&grid.resources()[*resource]);
    let resources: Vec<usize> = resources.iter().copied().filter(accepted).collect();
    let mut candidates = Candidates::default();
    let mut starts = Starts::new(grid, request, resources);
    while let Some(start) = starts.next_with_candidates(&mut candidates) {
        if let Some(factor) = Search::new(&candidates, request).best() {
            return Some(Optimum { start, factor });
        }
    }
    None
}

/// Branch and bound at one start. Each level decides on one candidate: chosen or not.
struct Search<'a> {
    candidates: &'a Candidates,
    request: &'a Request,
    /// Candidates by decreasing utilisation, so that good sets are found early.
    order: Vec<usize>,
    /// Bounds by position in the order, number of candidates still to choose, and property.
    sum_bounds: Vec<SumBounds>,
    best: Option<f64>,
}

/// Bounds on the sums over this number of candidates from a position on.
#[derive(Clone, Copy, Debug, Default)]
struct SumBounds {
    most_free: u64,
    least_free: u64,
    most_capacity: u64,
}

/// Margin that keeps bounds valid despite the rounding errors of a few products and quotients.
const ROUNDING: f64 = 1.0 + 1e-12;

impl<'a> Search<'a> {
    fn new(candidates: &'a Candidates, request: &'a Request) -> Search<'a> {
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        let alone = |candidate: usize| -> f64 {
            let amounts = candidates.capacity(candidate).iter().zip(candidates.free(candidate));
            amounts.map(|(&capacity, &free)| utilisation(capacity, free, 0)).product()
        };
        order.sort_by(|&one, &other| alone(other).total_cmp(&alone(one)));
        let mut search = Search { candidates, request, order, sum_bounds: Vec::new(), best: None };
        search.compute_sum_bounds();
        search
    }

    /// Returns the best factor of all admissible sets.
    fn best(mut self) -> Option<f64> {
        let none = vec![0; self.candidates.properties()];
        self.branch(0, self.request.resources, &none, &none);
        self.best
    }

    fn compute_sum_bounds(&mut self) {
        let (properties, count) = (self.candidates.properties(), self.request.resources);
        let mut free = vec![Vec::new(); properties];
        let mut capacity = vec![Vec::new(); properties];
        let mut ahead = vec![SumBounds::default(); (self.order.len() + 1) * (count + 1) * properties];
        for position in (0..self.order.len()).rev() {
            for property in 0..properties {
                let candidate = self.order[position];
                insert_sorted(&mut free[property], self.candidates.free(candidate)[property]);
                insert_sorted(&mut capacity[property], self.candidates.capacity(candidate)[property]);
                let mut sums = SumBounds::default();
                for taken in 1..=count.min(free[property].len()) {
                    let last = free[property].len() - taken;
                    sums.most_free += free[property][last];
                    sums.least_free += free[property][taken - 1];
                    sums.most_capacity += capacity[property][last];
                    ahead[(position * (count + 1) + taken) * properties + property] = sums;
                }
            }
        }
        self.sum_bounds = ahead;
    }

    fn branch(&mut self, position: usize, to_take: usize, free: &[u64], capacity: &[u64]) {
        if to_take == 0 {
            // A leaf was checked by its bound only up to the rounding margin.
            let factor = self.factor(free.iter().zip(capacity).map(|(&free, &capacity)| (free, capacity)));
            let admissible = free.iter().zip(&self.request.total).all(|(free, total)| free >= total);
            if admissible && self.best.is_none_or(|best| factor > best) {
                self.best = Some(factor);
            }
            return;
        }
        if self.order.len() - position < to_take || !self.may_improve(position, to_take, free, capacity) {
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

    /// Returns true if some completion might be admissible and better than the incumbent.
    fn may_improve(&self, position: usize, to_take: usize, free: &[u64], capacity: &[u64]) -> bool {
        let properties = self.candidates.properties();
        let row = (position * (self.request.resources + 1) + to_take) * properties;
        let ahead = &self.sum_bounds[row..row + properties];
        let reaches = ahead.iter().zip(free).zip(&self.request.total);
        if !reaches.into_iter().all(|((ahead, free), total)| free + ahead.most_free >= *total) {
            return false;
        }
        // A utilisation is 1 - (free - total) / capacity, so the smallest free amount and the
        // largest capacity bound it from above.
        let bound = ahead.iter().zip(free).zip(capacity).zip(&self.request.total).map(
            |(((ahead, free), capacity), &total)| {
                ((free + ahead.least_free).max(total), capacity + ahead.most_capacity)
            },
        );
        let bound = self.factor(bound);
        self.best.is_none_or(|best| bound * ROUNDING > best)
    }

    /// Computes the utilisation factor from pairs of free amount and capacity, one per property.
    fn factor(&self, amounts: impl Iterator<Item = (u64, u64)>) -> f64 {
        let each = |((free, capacity), &total): ((u64, u64), &u64)| utilisation(capacity, free, total);
        amounts.zip(&self.request.total).map(each).product()
    }
}

fn insert_sorted(values: &mut Vec<u64>, value: u64) {
    values.insert(values.partition_point(|&other| other < value), value);
}
