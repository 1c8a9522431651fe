//! The search kernel for callers with their own objective.

use crate::repair::{Repair, Style};
use crate::rules::Rules;
use crate::tasks::Tasks;
use dfrsim_model::Yield;
use dfrsim_model::offline::Adaptation;
use std::ops::Range;

/// Number of the node of a task without one.
pub use crate::tasks::UNPLACED;

/// Places all tasks of a problem at full yield under rules, beginning with a placement in which some
/// tasks may be unplaced ([`UNPLACED`]): repairs it by ejections in the ways of the given numbers, and
/// returns the node of each task in the cheapest result. Returns `None` if none was found.
#[must_use]
pub fn repaired(
    problem: &Adaptation,
    rules: Option<Box<dyn Rules>>,
    start: &[u32],
    ways: Range<usize>,
) -> Option<Vec<u32>> {
    let mut tasks = Tasks::of(problem, rules);
    tasks.size_at(problem, Yield::ONE);
    let mut repair = Repair::default();
    let found = ways.filter_map(|number| {
        let is_complete = repair.run(&tasks, start, Style::numbered(number));
        is_complete.then(|| (repair.placement.cost, repair.placement.node_of.clone()))
    });
    found.min_by_key(|(cost, _)| *cost).map(|(_, nodes)| nodes)
}
