//! Off-line problem: a single placement of jobs on nodes that maximises the minimum yield.

mod adaptation;

pub use adaptation::Adaptation;

use crate::{NodeId, NodeTasks, Yield};

/// Instance of the off-line problem (dissertation, section 4.1; RR-6692, section 2): jobs, nodes and
/// their resources.
///
/// Every node has `fixed` resources (memory), of which a task takes its requirement at any yield,
/// and `fluid` ones (CPU), of which it takes its need times its yield. Vectors hold the fixed
/// resources first. Amounts are in units of [`Share`](crate::Share): an ordinary node has
/// 943,718,400. A node may have more or less, and a task may ask for more than any node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Number of fixed resources.
    pub fixed: usize,
    /// Number of fluid resources; at least one.
    pub fluid: usize,
    /// Capacity of each node: a vector of `fixed + fluid` amounts.
    pub nodes: Vec<Box<[u32]>>,
    /// Jobs of the instance.
    pub jobs: Vec<OfflineJob>,
}

/// Job of an [`Instance`]: identical tasks, each on one node, all with equal yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineJob {
    /// Number of tasks; at least one.
    pub tasks: u32,
    /// Demand of one task: requirements of fixed resources, then needs of fluid ones; `fixed +
    /// fluid` amounts.
    pub demand: Box<[u32]>,
    /// Minimum unscaled yield that the job requires (quality of service); 0 for best effort.
    pub least_yield: Yield,
}

/// Nodes of each job's tasks, in the order of the jobs. Within a job they are in the order of the
/// nodes, each node once.
pub type Mapping = Vec<Vec<NodeTasks>>;

/// Mapping that respects all capacities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Nodes of the tasks.
    pub mapping: Mapping,
    /// Largest minimum scaled yield that the mapping is known to allow.
    pub minimum_yield: Yield,
}

/// Collects a mapping from parts in any order: the index of a job, a node, and the number of
/// additional tasks of the job on it.
pub fn collect_mapping(jobs: usize, parts: impl IntoIterator<Item = (usize, u32, u32)>) -> Mapping {
    let mut mapping: Mapping = vec![Vec::new(); jobs];
    for (job, node, tasks) in parts {
        mapping[job].push(NodeTasks { node: NodeId(node), tasks });
    }
    for placement in &mut mapping {
        placement.sort_unstable_by_key(|part| part.node);
        placement.dedup_by(|next, part| {
            let same = next.node == part.node;
            part.tasks += if same { next.tasks } else { 0 };
            same
        });
    }
    mapping
}

impl Instance {
    /// Returns the number of resources (D).
    pub fn dimensions(&self) -> usize {
        self.fixed + self.fluid
    }

    /// Returns whether all nodes are identical.
    pub fn is_homogeneous(&self) -> bool {
        self.nodes.windows(2).all(|pair| pair[0] == pair[1])
    }
}

impl OfflineJob {
    /// Computes the unscaled yield at a scaled yield, rounded down: least + scaled * (1 - least)
    /// (dissertation, section 4.1).
    ///
    /// ```
    /// use dfrsim_model::Yield;
    /// use dfrsim_model::offline::OfflineJob;
    ///
    /// let demand = [1].into();
    /// let job = OfflineJob { tasks: 1, demand, least_yield: Yield::from_ratio(1, 2) };
    /// assert_eq!(job.unscaled(Yield::from_ratio(1, 2)), Yield::from_ratio(3, 4));
    /// assert_eq!(job.unscaled(Yield::ONE), Yield::ONE);
    /// ```
    pub fn unscaled(&self, scaled: Yield) -> Yield {
        let (least, one) = (u64::from(self.least_yield.units()), u64::from(Yield::ONE.units()));
        let rest = (one - least) * u64::from(scaled.units()) / one;
        Yield::from_ratio(least + rest, one)
    }

    /// Iterates over the sizes of a task at a scaled yield: the first `fixed` requirements, and the
    /// fluid needs times the unscaled yield. The unit is 2^-20 amounts, of which a node with a
    /// capacity of c has c * 2^20. Sizes are exact and at most 2^52.
    pub fn sizes_at(&self, fixed: usize, scaled: Yield) -> impl Iterator<Item = u64> {
        let unscaled = self.unscaled(scaled);
        self.demand.iter().enumerate().map(move |(resource, &amount)| {
            let part = if resource < fixed { Yield::ONE } else { unscaled };
            u64::from(amount) * u64::from(part.units())
        })
    }
}
