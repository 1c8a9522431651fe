//! The off-line problem: jobs on nodes, once and for all, with the largest minimum yield.

mod adaptation;

pub use adaptation::Adaptation;

use crate::{NodeId, NodeTasks, Yield};

/// An instance of the off-line problem (dissertation, section 4.1; RR-6692, section 2): which jobs are there, and on what.
///
/// Every node has `fixed` resources, of which a task takes its requirement at any yield (memory), and `fluid` ones, of
/// which it takes its need times its yield (CPU). Vectors hold the fixed resources first. Amounts are in units of
/// [`Share`](crate::Share): 943,718,400 is all that an ordinary node has; a node may have more or less, a task may
/// ask for more than any node has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// How many resources are fixed.
    pub fixed: usize,
    /// How many resources are fluid; at least one.
    pub fluid: usize,
    /// The capacity of each node: a vector of `fixed + fluid` amounts.
    pub nodes: Vec<Box<[u32]>>,
    /// The jobs.
    pub jobs: Vec<OfflineJob>,
}

/// A job of an [`Instance`]: identical tasks, each on one node, all with the same yield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineJob {
    /// How many tasks; at least one.
    pub tasks: u32,
    /// The amount that one task asks for: requirements of fixed resources, then needs of fluid ones; `fixed + fluid` amounts.
    pub demand: Box<[u32]>,
    /// The least unscaled yield with which the job is of any use (its quality of service), 0 for best effort.
    pub least_yield: Yield,
}

/// The nodes of each job's tasks, in the order of the jobs; within a job in the order of the nodes, each node once.
pub type Mapping = Vec<Vec<NodeTasks>>;

/// A mapping that keeps all capacities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// Where the tasks are.
    pub mapping: Mapping,
    /// The largest minimum scaled yield that the mapping is known to allow.
    pub minimum_yield: Yield,
}

/// The mapping of parts in any order: the index of a job, a node, and how many tasks more of the job are there.
pub fn mapping_of(jobs: usize, parts: impl IntoIterator<Item = (usize, u32, u32)>) -> Mapping {
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
    /// How many resources there are (D).
    pub fn dimensions(&self) -> usize {
        self.fixed + self.fluid
    }

    /// Whether all nodes are alike.
    pub fn is_homogeneous(&self) -> bool {
        self.nodes.windows(2).all(|pair| pair[0] == pair[1])
    }
}

impl OfflineJob {
    /// The unscaled yield at a scaled yield, rounded down: least + scaled * (1 - least) (dissertation, section 4.1).
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

    /// The size of a task at a scaled yield: its first, `fixed` requirements and its fluid needs times its unscaled yield, in units of
    /// 2^-20 amounts, of which a node with a capacity of c has c * 2^20. Exact, and at most 2^52.
    pub fn sizes_at(&self, fixed: usize, scaled: Yield) -> impl Iterator<Item = u64> {
        let unscaled = self.unscaled(scaled);
        self.demand.iter().enumerate().map(move |(resource, &amount)| {
            let part = if resource < fixed { Yield::ONE } else { unscaled };
            u64::from(amount) * u64::from(part.units())
        })
    }
}
