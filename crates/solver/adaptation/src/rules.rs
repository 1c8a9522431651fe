//! Rules that are not resources.

use std::fmt::Debug;

/// Rules on the placement of tasks, as a filter of the search; capacities are not among them. Tasks
/// are numbered in the order of the jobs, each with its tasks in turn.
///
/// The state of a set of rules has the tasks that are placed.
pub trait Rules: Debug + Send + Sync {
    /// Returns a copy.
    fn boxed(&self) -> Box<dyn Rules>;
    /// Returns true if a task may be placed on a node that the tasks of `leaving`, which are placed,
    /// leave first.
    fn admits(&self, task: u32, node: u32, leaving: &[u32]) -> bool;
    /// Returns placed tasks that have to leave their nodes before a task may be on a node; `None` if
    /// it may not be there whatever leaves. Fewer may suffice, and more may be needed where rules
    /// limit sums.
    fn blockers(&self, task: u32, node: u32) -> Option<Vec<u32>>;
    /// Places a task, which was not placed.
    fn add(&mut self, task: u32, node: u32);
    /// Removes a placed task from its node.
    fn remove(&mut self, task: u32, node: u32);
}

impl Clone for Box<dyn Rules> {
    fn clone(&self) -> Box<dyn Rules> {
        (**self).boxed()
    }
}
