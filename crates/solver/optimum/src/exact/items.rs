//! Tasks in the order in which the exact search places them.

use dfrsim_model::offline::Instance;
use std::cmp::Reverse;

/// A task of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Job of the task.
    pub(super) job: usize,
    /// Index into [`Items::kinds`] of the task's demand.
    pub(super) kind: usize,
    /// Current node of the task with the cost of moving it.
    pub(super) home: Home,
    /// True if the task is identical to the one before it.
    pub(super) is_repeated: bool,
}

/// Current node of a placed task with the cost of moving it; `None` for a new task.
pub(crate) type Home = Option<(u32, u64)>;

/// All tasks by decreasing largest demand, with identical ones adjacent.
#[derive(Clone, Debug)]
pub(super) struct Items {
    pub(super) list: Vec<Item>,
    /// A representative job of each kind of task.
    pub(super) kinds: Vec<usize>,
}

impl Items {
    /// Sorts tasks, given by job and home, into the order of the search.
    pub(super) fn new(instance: &Instance, tasks: impl IntoIterator<Item = (usize, Home)>) -> Items {
        let mut tasks: Vec<(usize, Home)> = tasks.into_iter().collect();
        let largest: Vec<u32> = (0..instance.dimensions())
            .map(|at| instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0))
            .collect();
        // Demands are relative to the largest node, in units of 2^-20. A demand for a resource that
        // no node has comes first, and so ends the search at once.
        let relative = |(&demand, &most): (&u32, &u32)| (u64::from(demand) << 20) / u64::from(most.max(1));
        let sizes: Vec<Option<u64>> =
            instance.jobs.iter().map(|job| job.demand.iter().zip(&largest).map(relative).max()).collect();
        let kind = |job: usize| (&instance.jobs[job].demand, instance.jobs[job].least_yield);
        tasks.sort_by_key(|&(job, home)| (Reverse(sizes[job]), Reverse(kind(job)), Reverse(home)));
        let mut items = Items { list: Vec::with_capacity(tasks.len()), kinds: Vec::new() };
        for (job, home) in tasks {
            let alike = items.kinds.last().is_some_and(|&last| kind(last) == kind(job));
            let again = alike && items.list.last().is_some_and(|last| last.home == home);
            if !alike {
                items.kinds.push(job);
            }
            items.list.push(Item { job, kind: items.kinds.len() - 1, home, is_repeated: again });
        }
        items
    }
}
