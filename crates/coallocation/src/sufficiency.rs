//! Phase II, and what shows at once that no set of resources will do.

use crate::{Candidates, Grid};
use dfrsim_model::coallocation::Request;

/// Scratch space of the tests.
#[derive(Debug, Default)]
pub(crate) struct Sufficiency {
    amounts: Vec<u64>,
}

/// The unit in which [`Sufficiency::of_candidates`] counts parts of a total.
const WHOLE: u64 = 1 << 40;

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
        // A candidate's part is rounded up and the whole is exact, so nothing that suffices is refused.
        let part = |(&free, &total): (&u64, &u64)| {
            if free >= total {
                WHOLE
            } else {
                (free as u128 * u128::from(WHOLE)).div_ceil(u128::from(total)) as u64
            }
        };
        self.amounts.clear();
        self.amounts.extend(
            (0..candidates.len())
                .map(|it| candidates.free(it).iter().zip(&request.total).map(part).sum::<u64>()),
        );
        self.largest_sum(request.resources) >= WHOLE * properties as u64
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
