//! Exact demands of tasks and capacities of nodes.

use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping};

/// Returns the capacity of a node, in the units of
/// [`OfflineJob::sizes_at`](dfrsim_model::offline::OfflineJob::sizes_at).
pub(crate) fn node_capacity(amount: u32) -> u64 {
    u64::from(amount) << Yield::BITS
}

/// Computes the total demand of all tasks for each resource.
pub(crate) fn total_demand(instance: &Instance, scaled: Yield) -> Vec<u128> {
    let mut taken = vec![0; instance.dimensions()];
    for job in &instance.jobs {
        let takes = taken.iter_mut().zip(job.sizes_at(instance.fixed, scaled));
        takes.for_each(|(taken, takes)| *taken += u128::from(takes) * u128::from(job.tasks));
    }
    taken
}

/// Returns the largest yield for which the monotone predicate `fits` is true; `None` if it is false
/// even at 0. `fits` must be true at every yield below one at which it is true.
pub(crate) fn largest_yield(mut fits: impl FnMut(Yield) -> bool) -> Option<Yield> {
    if !fits(Yield::ZERO) {
        return None;
    }
    let (mut fit, mut too_much) = (0, Yield::ONE.units() + 1);
    while too_much - fit > 1 {
        let middle = fit + (too_much - fit) / 2;
        if Yield::try_from_units(middle).is_some_and(&mut fits) {
            fit = middle;
        } else {
            too_much = middle;
        }
    }
    Yield::try_from_units(fit)
}

/// Computes the minimum scaled yield of a mapping: the largest one that all jobs can have at once.
/// Returns `None` if a node is overloaded even at 0, by fixed requirements or by needs that quality
/// of service guarantees.
///
/// The result is exact: the largest multiple of 2^-20 at which, with unscaled yields rounded down,
/// no capacity is exceeded. A search for the best mapping must use this definition, since it adds up
/// loads at a given yield. The result may exceed the minimum yield of the packing algorithms, a
/// quotient that is rounded down once, by one unit.
///
/// ```
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
/// use dfrsim_optimum::mapping_yield;
///
/// let demand = [2, 6].into();
/// let job = OfflineJob { tasks: 3, demand, least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 1, fluid: 1, nodes: vec![[10, 10].into(); 2], jobs: vec![job] };
/// let place = |node, tasks| NodeTasks { node: NodeId(node), tasks };
/// // Two tasks need 12 of 10.
/// assert_eq!(mapping_yield(&instance, &vec![vec![place(0, 2), place(1, 1)]]), Some(Yield::from_ratio(10, 12)));
/// ```
pub fn mapping_yield(instance: &Instance, mapping: &Mapping) -> Option<Yield> {
    let dimensions = instance.dimensions();
    let mut loads = vec![0u128; instance.nodes.len() * dimensions];
    largest_yield(|scaled| {
        loads.fill(0);
        for (job, places) in instance.jobs.iter().zip(mapping) {
            for (at, takes) in job.sizes_at(instance.fixed, scaled).enumerate() {
                for place in places {
                    loads[place.node.index() * dimensions + at] +=
                        u128::from(takes) * u128::from(place.tasks);
                }
            }
        }
        let offers = instance.nodes.iter().flatten();
        loads.iter().zip(offers).all(|(&load, &offer)| load <= u128::from(node_capacity(offer)))
    })
}
