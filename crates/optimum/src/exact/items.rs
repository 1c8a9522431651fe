//! The tasks of an instance in the order in which they are placed.

use dfrsim_model::offline::Instance;
use std::cmp::Reverse;

/// One task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Whose.
    pub(super) job: usize,
    /// What it takes: an index of [`Items::kinds`].
    pub(super) kind: usize,
    /// Whether it is identical to the task before it.
    pub(super) again: bool,
}

/// All tasks, identical ones side by side, those with the largest demand first.
#[derive(Clone, Debug)]
pub(super) struct Items {
    pub(super) list: Vec<Item>,
    /// A job of each kind of task.
    pub(super) kinds: Vec<usize>,
}

impl Items {
    /// Brings the tasks, given by their jobs, into the order of the search.
    pub(super) fn new(instance: &Instance, mut tasks: Vec<usize>) -> Items {
        let largest: Vec<u32> = (0..instance.dimensions())
            .map(|at| instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0))
            .collect();
        // Relative to the largest node, in 2^-20; a demand of what no node has comes first and ends the search.
        let relative = |(&demand, &most): (&u32, &u32)| (u64::from(demand) << 20) / u64::from(most.max(1));
        let sizes: Vec<Option<u64>> =
            instance.jobs.iter().map(|job| job.demand.iter().zip(&largest).map(relative).max()).collect();
        let kind = |job: usize| (&instance.jobs[job].demand, instance.jobs[job].least_yield);
        tasks.sort_by_key(|&job| (Reverse(sizes[job]), Reverse(kind(job))));
        let mut items = Items { list: Vec::with_capacity(tasks.len()), kinds: Vec::new() };
        for job in tasks {
            let again = items.kinds.last().is_some_and(|&last| kind(last) == kind(job));
            if !again {
                items.kinds.push(job);
            }
            items.list.push(Item { job, kind: items.kinds.len() - 1, again });
        }
        items
    }
}
