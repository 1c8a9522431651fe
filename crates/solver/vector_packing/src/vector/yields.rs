//! Yields from sums over nodes, and the search for the largest yield.

use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping, OfflineJob, Solved};
use dfrsim_packing::yield_search::SearchRange;

/// Demand of tasks for one resource: a constant part, and a part proportional to the scaled yield.
/// In units of 2^-20 [`Share`](dfrsim_model::Share) units.
#[derive(Clone, Copy, Debug, Default)]
struct Demand {
    constant: u128,
    fluid: u128,
}

impl Demand {
    fn add(&mut self, job: &OfflineJob, resource: usize, fixed: usize, tasks: u64) {
        let amount = u128::from(job.demand[resource]) * u128::from(tasks);
        let one = u128::from(Yield::ONE.units());
        if resource < fixed {
            self.constant += amount * one;
        } else {
            let least = u128::from(job.least_yield.units());
            self.constant += amount * least;
            self.fluid += amount * (one - least);
        }
    }

    /// Computes the largest scaled yield at which the demand is within a capacity in
    /// [`Share`](dfrsim_model::Share) units, rounded down; `None` if there is none.
    fn highest_yield(self, capacity: u128) -> Option<Yield> {
        let free = (capacity << Yield::BITS).checked_sub(self.constant)?;
        if free >= self.fluid {
            return Some(Yield::ONE);
        }
        let units = u32::try_from((free << Yield::BITS) / self.fluid).expect("less than one");
        Some(Yield::try_from_units(units).expect("less than one"))
    }
}

/// Computes the largest scaled yield that the sums of demands and capacities over all nodes allow,
/// rounded down; `None` if they do not even allow 0. No mapping has a larger minimum yield
/// (dissertation, section 4.2.3: LPBOUND).
#[must_use]
pub fn yield_bound(instance: &Instance) -> Option<Yield> {
    (0..instance.dimensions()).try_fold(Yield::ONE, |bound, resource| {
        let mut demand = Demand::default();
        for job in &instance.jobs {
            demand.add(job, resource, instance.fixed, job.tasks.into());
        }
        let capacity = instance.nodes.iter().map(|node| u128::from(node[resource])).sum();
        Some(bound.min(demand.highest_yield(capacity)?))
    })
}

/// Computes the largest minimum scaled yield that a mapping allows, exactly; `None` if a node cannot
/// even hold the requirements of its tasks at their least yields.
///
/// On each node and for each fluid resource the sum of need * (least + yield * (1 - least)) over the
/// tasks must not exceed the capacity. So the yield is the capacity left by the least yields,
/// divided by the sum of need * (1 - least), rounded down to [`Yield`] units once: the jobs do get
/// it, and no more is attainable without another mapping (dissertation, section 4.1; RR-6692,
/// section 2.3). Jobs that no resource limits, such as those with a least yield of 1, have a scaled
/// yield of 1. The result holds for exact unscaled yields; when these are [rounded
/// down](OfflineJob::unscaled), a unit more may fit.
///
/// The mapping may be incomplete.
///
/// ```
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
/// use dfrsim_vector_packing::vector::minimum_yield;
///
/// // One node, and two jobs with needs of 0.8, one of which must have half of it: (1 - 0.4) / (0.8 + 0.4) = 1/2.
/// let job = |least_yield| OfflineJob { tasks: 1, demand: [800].into(), least_yield };
/// let jobs = vec![job(Yield::ZERO), job(Yield::from_ratio(1, 2))];
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[1_000].into()], jobs };
/// let on_the_node = vec![NodeTasks { node: NodeId(0), tasks: 1 }];
/// let mapping = vec![on_the_node.clone(), on_the_node];
/// assert_eq!(minimum_yield(&instance, &mapping), Some(Yield::from_ratio(1, 2)));
/// ```
///
/// # Panics
/// If the mapping names a job or a node that the instance does not have.
#[must_use]
pub fn minimum_yield(instance: &Instance, mapping: &Mapping) -> Option<Yield> {
    let jobs = mapping.iter().enumerate();
    let parts =
        jobs.flat_map(|(job, parts)| parts.iter().map(move |part| (job, part.node.index(), part.tasks)));
    minimum_yield_of(instance, parts)
}

/// Computes [`minimum_yield`] for the parts of a mapping in any order: a job, a node and the number
/// of its tasks there.
///
/// # Panics
/// As [`minimum_yield`].
pub fn minimum_yield_of(
    instance: &Instance,
    parts: impl Iterator<Item = (usize, usize, u32)>,
) -> Option<Yield> {
    let dimensions = instance.dimensions();
    let mut demands = vec![Demand::default(); instance.nodes.len() * dimensions];
    for (job, node, tasks) in parts {
        for (resource, demand) in demands[node * dimensions..][..dimensions].iter_mut().enumerate() {
            demand.add(&instance.jobs[job], resource, instance.fixed, tasks.into());
        }
    }
    let capacities = instance.nodes.iter().flatten();
    demands.iter().zip(capacities).try_fold(Yield::ONE, |lowest, (demand, &capacity)| {
        Some(lowest.min(demand.highest_yield(capacity.into())?))
    })
}

/// Yields that a search tries. Success need not be monotone in the yield, so the choice affects the
/// result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Probes {
    /// Half of [`yield_bound`] first, then bisection as if 0 had succeeded and the bound had failed,
    /// neither of which is tried (RR-6692, section 3.4; the dissertation's authors' simulator,
    /// flexsched, `VP_scheduler`).
    #[default]
    Halving,
    /// [`yield_bound`], then 0, then bisection between them; nothing more if both fail.
    EndsFirst,
    /// Like [`Probes::EndsFirst`], but bisection follows even if 0 fails.
    EndsToo,
}

/// Minimum yield that the search reports for a packing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Claimed {
    /// The largest that its mapping allows ([`minimum_yield`]).
    #[default]
    Exact,
    /// The yield that was tried, as in the dissertation's authors' simulator (flexsched,
    /// `VP_scheduler`).
    Probed,
}

impl Claimed {
    /// Creates the solution of a packing that was found at a yield.
    pub(super) fn solved(self, probed: Yield, instance: &Instance, mapping: Mapping) -> Solved {
        let minimum_yield = match self {
            Claimed::Exact => {
                minimum_yield(instance, &mapping).expect("each node was found to fit its tasks")
            }
            Claimed::Probed => probed,
        };
        Solved { mapping, minimum_yield }
    }
}

/// Searches the largest scaled yield at which something succeeds, usually a packing: bisects until
/// the last success and the last failure are no more than `precision` apart (dissertation, section
/// 4.2.5). Returns the last yield that succeeded, if any did.
///
/// Success need not be monotone in the yield; the yields that are tried depend only on earlier
/// successes.
///
/// ```
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{Share, Yield};
/// use dfrsim_vector_packing::vector::{self, Probes};
///
/// let one = Share::ONE.units();
/// let job = OfflineJob { tasks: 3, demand: [one].into(), least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[one].into(); 2], jobs: vec![job] };
/// assert_eq!(vector::yield_bound(&instance), Some(Yield::from_ratio(2, 3)));
/// // Two of the three tasks must share a node.
/// let found = vector::search(&instance, Yield::from_ratio(1, 1000), Probes::Halving, |at| {
///     let size = instance.jobs[0].sizes_at(instance.fixed, at).next().unwrap();
///     2 * size <= u64::from(one) << Yield::BITS
/// });
/// assert!(found.unwrap() > Yield::from_ratio(499, 1000) && found.unwrap() <= Yield::from_ratio(1, 2));
/// ```
pub fn search(
    instance: &Instance,
    precision: Yield,
    probes: Probes,
    mut succeeds: impl FnMut(Yield) -> bool,
) -> Option<Yield> {
    let range = SearchRange { lowest: Yield::ZERO, highest: yield_bound(instance)? };
    if probes == Probes::Halving {
        return range.bisect_open(precision, succeeds);
    }
    let found = range.ends_first(precision, &mut succeeds);
    if found.is_none() && probes == Probes::EndsToo { range.bisect_open(precision, succeeds) } else { found }
}
