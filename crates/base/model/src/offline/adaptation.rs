//! The adaptation problem: a better yield for a bounded amount of moving.

use super::{Instance, Mapping};

/// An instance of the adaptation problem (dissertation, section 6.2; RR-6692, section 6.1) but for its budget.
///
/// A task of a job with several is a job of its own, identical to the others. Since they are, what is moved of a job is
/// counted by nodes: the tasks by which a node has fewer than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adaptation {
    /// Jobs and nodes as they are now.
    pub instance: Instance,
    /// The tasks placed now, for each job of the instance, each node once; empty for a new job. Tasks of a job beyond
    /// these are new. Nodes may be overloaded.
    pub current: Mapping,
    /// For each job, the cost of moving one of its tasks: bytes, or 1 to count moves; [`Adaptation::PINNED`] for a job
    /// that may not be moved.
    pub cost: Vec<u64>,
}

impl Adaptation {
    /// A cost that no budget below it can pay.
    pub const PINNED: u64 = u64::MAX;

    /// The cost of changing to a mapping (6.7), saturating.
    pub fn moving(&self, mapping: &Mapping) -> u64 {
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

    /// The cost of moving every task that may be moved, saturating: a budget this large restricts no move.
    pub fn total(&self) -> u64 {
        let jobs = self.current.iter().zip(&self.cost).filter(|(_, cost)| **cost != Adaptation::PINNED);
        let costs = jobs.map(|(before, &cost)| {
            before.iter().map(|from| u64::from(from.tasks)).sum::<u64>().saturating_mul(cost)
        });
        costs.fold(0, u64::saturating_add)
    }
}
