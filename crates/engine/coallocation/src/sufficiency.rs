//! Phase II: whether the resources would do if they were free.

use crate::Grid;
use dfrsim_model::coallocation::Request;

/// Scratch space of the test.
#[derive(Debug, Default)]
pub(crate) struct Sufficiency {
    amounts: Vec<u64>,
}

impl Sufficiency {
    /// Phase II: whether, for each property, the N resources that have most of it have enough, were they free.
    pub(crate) fn of_sample(&mut self, grid: &Grid, request: &Request, sample: &[usize]) -> bool {
        request.total.iter().enumerate().all(|(property, &total)| {
            self.amounts.clear();
            self.amounts.extend(sample.iter().map(|&resource| grid.resources()[resource].capacity[property]));
            self.largest_sum(request.resources) >= total
        })
    }

    /// The sum of the `count` largest amounts.
    fn largest_sum(&mut self, count: usize) -> u64 {
        if count < self.amounts.len() {
            self.amounts.select_nth_unstable_by(count, |one, other| other.cmp(one));
            self.amounts.truncate(count);
        }
        self.amounts.iter().sum()
    }
}
