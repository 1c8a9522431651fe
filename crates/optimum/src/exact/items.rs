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
    pub(super) fn new(instance: &Instance) -> Items {
        let mut jobs: Vec<usize> = (0..instance.jobs.len()).collect();
        let largest: Vec<u32> = (0..instance.dimensions())
            .map(|at| instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0))
            .collect();
        // Relative to the largest node, in 2^-20; a demand of what no node has comes first and ends the search.
        let relative = |(&demand, &most): (&u32, &u32)| (u64::from(demand) << 20) / u64::from(most.max(1));
        jobs.sort_by_cached_key(|&job| {
            let job = &instance.jobs[job];
            let size = job.demand.iter().zip(&largest).map(relative).max();
            (Reverse(size), Reverse(job.demand.clone()), job.least_yield)
        });
        let mut items = Items { list: Vec::new(), kinds: Vec::new() };
        let mut last = None;
        for job in jobs {
            let kind = (&instance.jobs[job].demand, instance.jobs[job].least_yield);
            if last != Some(kind) {
                items.kinds.push(job);
            }
            for task in 0..instance.jobs[job].tasks {
                let again = task > 0 || last == Some(kind);
                items.list.push(Item { job, kind: items.kinds.len() - 1, again });
            }
            last = Some(kind);
        }
        items
    }
}
