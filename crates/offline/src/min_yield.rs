//! The minimum yield of a mapping.

use crate::rigid::Rigid;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping};

/// Fixed point of demands at a yield: an amount times a [`Yield`], like [`CpuUse`](dfrsim_model::CpuUse).
pub(crate) const SCALE: u32 = Yield::BITS;

/// The largest minimum scaled yield that a mapping allows, exact; nothing if a node cannot even hold what its tasks
/// require and their least yields.
///
/// On each node and for each fluid resource the sum of need * (least + yield * (1 - least)) over the tasks must not
/// exceed the capacity, so the yield is what the least yields leave, divided by the sum of need * (1 - least),
/// rounded down to [`Yield`] units once: the jobs do get it, and no more is attainable without another mapping
/// (dissertation, section 4.1; RR-6692, section 2.3). Jobs that no resource holds back, such as those with a least
/// yield of 1, have a scaled yield of 1. The yield is that of exact unscaled yields; when these are
/// [rounded down](dfrsim_model::offline::OfflineJob::unscaled), a unit more may fit.
///
/// A mapping is taken as it stands, complete or not; panics if it names a job or node that the instance has not.
///
/// ```
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
/// use dfrsim_offline::minimum_yield;
///
/// // One node, and two jobs with needs of 0.8, one of which must have half of it: (1 - 0.4) / (0.8 + 0.4) = 1/2.
/// let job = |least_yield| OfflineJob { tasks: 1, demand: [800].into(), least_yield };
/// let jobs = vec![job(Yield::ZERO), job(Yield::from_ratio(1, 2))];
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[1_000].into()], jobs };
/// let on_the_node = vec![NodeTasks { node: NodeId(0), tasks: 1 }];
/// let mapping = vec![on_the_node.clone(), on_the_node];
/// assert_eq!(minimum_yield(&instance, &mapping), Some(Yield::from_ratio(1, 2)));
/// ```
#[must_use]
pub fn minimum_yield(instance: &Instance, mapping: &Mapping) -> Option<Yield> {
    let dimensions = instance.dimensions();
    let mut taken = vec![0_u128; instance.nodes.len() * dimensions];
    let mut elastic = vec![0_u128; instance.nodes.len() * dimensions];
    for (job, placement) in instance.jobs.iter().zip(mapping) {
        for at in placement {
            for (dimension, &demand) in job.demand.iter().enumerate() {
                let cell = at.node.index() * dimensions + dimension;
                let full = (u128::from(demand) * u128::from(at.tasks)) << SCALE;
                let rigid = if dimension < instance.fixed {
                    full
                } else {
                    u128::from(demand) * u128::from(at.tasks) * u128::from(job.least_yield.units())
                };
                taken[cell] += rigid;
                elastic[cell] += full - rigid;
            }
        }
    }
    let capacities = instance.nodes.iter().flatten().map(|&capacity| u128::from(capacity) << SCALE);
    let mut minimum = Yield::ONE;
    for ((capacity, taken), elastic) in capacities.zip(taken).zip(elastic) {
        minimum = limited(minimum, capacity.checked_sub(taken)?, elastic);
    }
    Some(minimum)
}

/// The same for tasks, given as indices of their jobs, on nodes of which the loads are known and kept: `load` gives
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
