//! The tasks of an instance in the order in which they are placed.

use dfrsim_model::offline::Instance;
use std::cmp::Reverse;

/// One task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Whose.
    pub(super) job: usize,
    /// The amounts that it takes: an index of [`Items::kinds`].
    pub(super) kind: usize,
    /// Where it is already, and what it costs to have it elsewhere.
    pub(super) home: Home,
    /// Whether it is identical to the task before it.
    pub(super) again: bool,
}

/// The node of a task that is placed already, and the cost of moving it; `None` for a new one.
pub(crate) type Home = Option<(u32, u64)>;

/// All tasks, identical ones side by side, those with the largest demand first.
#[derive(Clone, Debug)]
pub(super) struct Items {
    pub(super) list: Vec<Item>,
    /// A job of each kind of task.
    pub(super) kinds: Vec<usize>,
}

impl Items {
    /// Brings the tasks, given by their jobs and homes, into the order of the search.
    pub(super) fn new(instance: &Instance, tasks: impl IntoIterator<Item = (usize, Home)>) -> Items {
        let mut tasks: Vec<(usize, Home)> = tasks.into_iter().collect();
        let largest: Vec<u32> = (0..instance.dimensions())
            .map(|at| instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0))
            .collect();
        // Relative to the largest node, in 2^-20; a demand of what no node has comes first and ends the search.
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
            items.list.push(Item { job, kind: items.kinds.len() - 1, home, again });
        }
        items
    }
}
