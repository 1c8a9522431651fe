//! Phase II: whether the resources would do if they were free.

use crate::Grid;
use dfrsim_model::coallocation::Request;

/// Phase II: whether, for each property, the N resources that have most of it have enough, were they free.
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
