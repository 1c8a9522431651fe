//! Adaptation problem: a better yield at a bounded migration cost.

use super::{Instance, Mapping};

/// Instance of the adaptation problem (dissertation, section 6.2; RR-6692, section 6.1) without its
/// budget.
///
/// The paper treats each task of a job with several tasks as a job of its own. Since the tasks of a
/// job are identical, the moves of a job are counted by nodes: the number of tasks by which a node
/// has fewer than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adaptation {
    /// Current jobs and nodes.
    pub instance: Instance,
    /// Current placement of the tasks of each job of the instance, with each node once; empty for a
    /// new job. Further tasks of a job are new. Nodes may be overloaded.
    pub current: Mapping,
    /// Cost of moving a task of each job: bytes, or 1 to count moves. [`Adaptation::PINNED`] marks
    /// jobs that may not be moved.
    pub cost: Vec<u64>,
}

impl Adaptation {
    /// Cost of a task that may not be moved; it exceeds every smaller budget.
    pub const PINNED: u64 = u64::MAX;

    /// Computes the cost of changing to a mapping (6.7), saturating.
    pub fn migration_cost(&self, mapping: &Mapping) -> u64 {
        let jobs = self.current.iter().zip(mapping).zip(&self.cost);
        let costs = jobs.map(|((before, after), &cost)| {
            let leaving = before.iter().map(|from| {
                let stay = after.iter().find(|to| to.node == from.node).map_or(0, |to| to.tasks);
                u64::from(from.tasks.saturating_sub(stay))
            });
            leaving.sum::<u64>().saturating_mul(cost)
        });
        costs.fold(0, u64::saturating_add)
    }

    /// Computes the cost of moving every task that may be moved, saturating. A budget of this size
    /// restricts no move.
    pub fn total_migration_cost(&self) -> u64 {
        let jobs = self.current.iter().zip(&self.cost).filter(|(_, cost)| **cost != Adaptation::PINNED);
        let costs = jobs.map(|(before, &cost)| {
            before.iter().map(|from| u64::from(from.tasks)).sum::<u64>().saturating_mul(cost)
        });
        costs.fold(0, u64::saturating_add)
    }
}
