//! Upper bound on the minimum yield from the relaxed linear program.

use crate::amounts::{largest_yield, node_capacity, total_demand};
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// Computes LPBOUND (dissertation, section 4.2.3; RR-6692, section 3.1): the largest minimum yield
/// at which the total demand for each resource does not exceed the total capacity. Returns `None` if
/// fixed requirements and guaranteed needs alone exceed it, so that the instance has no solution.
///
/// On identical nodes this is the optimum of the relaxed program, attained by spreading every job
/// evenly; on other nodes it is an upper bound on that optimum. The result is exact in units of
/// 2^-20: the printed closed form rounded down, except that unscaled yields are rounded down too,
/// like in [`OfflineJob::unscaled`](dfrsim_model::offline::OfflineJob::unscaled), so that with
/// quality of service the result may be some units larger.
///
/// ```
/// use dfrsim_model::Yield;
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_optimum::lp_bound;
///
/// let demand = [3, 6].into();
/// let job = OfflineJob { tasks: 3, demand, least_yield: Yield::ZERO };
/// let mut instance = Instance { fixed: 1, fluid: 1, nodes: vec![[5, 5].into(); 2], jobs: vec![job] };
/// // 18 needed of 10; with a fourth task, 12 required of 10.
/// assert_eq!(lp_bound(&instance), Some(Yield::from_ratio(10, 18)));
/// instance.jobs[0].tasks = 4;
/// assert_eq!(lp_bound(&instance), None);
/// ```
pub fn lp_bound(instance: &Instance) -> Option<Yield> {
    largest_yield(|scaled| fits_together(instance, scaled))
}

/// Computes a tighter bound, which also requires each task to fit alone on some node.
pub(crate) fn simple_bound(instance: &Instance) -> Option<Yield> {
    largest_yield(|scaled| fits_together(instance, scaled) && each_fits_alone(instance, scaled))
}

fn fits_together(instance: &Instance, scaled: Yield) -> bool {
    total_demand(instance, scaled).into_iter().enumerate().all(|(at, taken)| {
        let offers = instance.nodes.iter().map(|node| u128::from(node_capacity(node[at])));
        taken <= offers.sum()
    })
}

fn each_fits_alone(instance: &Instance, scaled: Yield) -> bool {
    instance.jobs.iter().all(|job| {
        let takes: Vec<u64> = job.sizes_at(instance.fixed, scaled).collect();
        instance
            .nodes
            .iter()
            .any(|node| node.iter().zip(&takes).all(|(&offer, &take)| take <= node_capacity(offer)))
    })
}
