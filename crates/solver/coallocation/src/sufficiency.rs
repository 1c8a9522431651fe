//! Phase II: the check of the totals on idle resources.

use crate::Grid;
use dfrsim_model::coallocation::Request;

/// Checks for each property that the N resources with the most of it would satisfy the total if they
/// were idle.
pub(crate) fn is_sufficient(grid: &Grid, request: &Request, sample: &[usize]) -> bool {
    let mut amounts = Vec::with_capacity(sample.len());
    request.total.iter().enumerate().all(|(property, &total)| {
        amounts.clear();
        amounts.extend(sample.iter().map(|&resource| grid.resources()[resource].capacity[property]));
        if request.resources < amounts.len() {
            amounts.select_nth_unstable_by(request.resources, |one, other| other.cmp(one));
            amounts.truncate(request.resources);
        }
        amounts.iter().sum::<u64>() >= total
    })
}
