//! Phase II, and what shows at once that no set of resources will do.

use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;

/// Scratch space of the tests.
#[derive(Debug, Default)]
pub(crate) struct Sufficiency {
    amounts: Vec<u64>,
    /// By property: the unit over the total.
    wholes: Vec<f64>,
}

/// The unit in which [`Sufficiency::of_candidates`] counts parts of a total.
const WHOLE: f64 = (1_u64 << 40) as f64;

impl Sufficiency {
    /// Phase II: whether, for each property, the N resources that have most of it have enough, were they free.
    pub(crate) fn of_sample(&mut self, grid: &Grid, request: &Request, sample: &[usize]) -> bool {
        request.total.iter().enumerate().all(|(property, &total)| {
            self.amounts.clear();
            self.amounts.extend(sample.iter().map(|&resource| grid.resources()[resource].capacity[property]));
            self.largest_sum(request.resources) >= total
        })
    }

    /// Whether N candidates might meet all totals: surely not if the N with most of one property do not meet its total,
    /// or the N best by the sum of their parts of all totals are not as good as all totals together.
    pub(crate) fn of_candidates(&mut self, candidates: &Candidates, request: &Request) -> bool {
        let properties = candidates.properties();
        let each = |property: usize| (0..candidates.len()).map(move |it| candidates.free(it)[property]);
        let any_fails = (0..properties).any(|property| {
            self.amounts.clear();
            self.amounts.extend(each(property));
            self.largest_sum(request.resources) < request.total[property]
        });
        if any_fails {
            return false;
        }
        self.wholes.clear();
        self.wholes.extend(request.total.iter().map(|&total| WHOLE / total.max(1) as f64));
        // A candidate's part is rounded up and the whole is exact, so nothing that suffices is refused.
        let part = |((&free, &total), whole): ((&u64, &u64), &f64)| {
            if free >= total { WHOLE as u64 } else { (free as f64 * whole) as u64 + 1 }
        };
        let parts = |candidate: usize| -> u64 {
            candidates.free(candidate).iter().zip(&request.total).zip(&self.wholes).map(part).sum()
        };
        self.amounts.clear();
        self.amounts.extend((0..candidates.len()).map(parts));
        self.largest_sum(request.resources) >= WHOLE as u64 * properties as u64
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
