//! The minimum yield of tasks on nodes whose loads are known.

use crate::rigid::{Rigid, SCALE};
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// [`minimum_yield`](crate::minimum_yield) of tasks, given as indices of their jobs, on nodes of which the loads are known and kept: `load` gives
/// what the tasks on a node take of a resource. `needs` is only there to be used again.
pub(crate) fn of_tasks(
    instance: &Instance,
    rigid: &Rigid,
    tasks: &[u32],
    nodes: &[u32],
    needs: &mut Vec<i64>,
    load: impl Fn(usize, usize) -> i64,
) -> Yield {
    let Instance { fixed, fluid, ref jobs, .. } = *instance;
    needs.clear();
    needs.resize(instance.nodes.len() * fluid, 0);
    for (&job, &node) in tasks.iter().zip(nodes) {
        let demand = &jobs[job as usize].demand[fixed..];
        for (sum, &need) in needs[node as usize * fluid..].iter_mut().zip(demand) {
            *sum += i64::from(need);
        }
    }
    let mut minimum = Yield::ONE;
    for (node, needs) in needs.chunks_exact(fluid).enumerate() {
        for (resource, &need) in (fixed..).zip(needs) {
            // A load is a sum of parts of the needs, and within the capacity.
            let load = load(node, resource);
            let free = (rigid.capacity(node)[resource] - load) as u128;
            minimum = limited(minimum, free, ((need as u128) << SCALE) - load as u128);
        }
    }
    minimum
}

/// The largest yield, at most `limit`, at which `elastic` times the yield stays within `free`; both in units of 2^-20
/// amounts.
fn limited(limit: Yield, free: u128, elastic: u128) -> Yield {
    // Most nodes are not the worst one, and a product is much cheaper than a quotient.
    if elastic * u128::from(limit.units()) <= free << SCALE {
        return limit;
    }
    // Below the limit, so it fits.
    Yield::try_from_units(((free << SCALE) / elastic) as u32).expect("a quotient below a yield is a yield")
}
