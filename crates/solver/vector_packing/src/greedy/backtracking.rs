//! Greedy placement with backtracking.

use crate::rigid::Rigid;
use dfrsim_model::offline::Instance;

/// The depth-first search of GB and SGB (RR-6692, section 3.3). Tasks are placed in order, each on
/// the feasible node with the smallest sum of fluid needs, ties broken by index. If a task has no
/// feasible node left, the search backtracks: the task before it moves to its next node.
struct Search<'a> {
    instance: &'a Instance,
    rigid: &'a Rigid,
    /// Loads of the nodes, one row per node.
    loads: Vec<i64>,
    /// Sums of fluid needs of the nodes, one row per node.
    needs: Vec<i64>,
}

/// Places all tasks; returns the node of each task. Returns `None` if there is no mapping, or none
/// was found within the limit on placements. Every placement of a task on a feasible node counts,
/// including those undone later.
pub(super) fn place(instance: &Instance, rigid: &Rigid, tasks: &[u32], placements: u64) -> Option<Vec<u32>> {
    let mut search = Search {
        instance,
        rigid,
        loads: vec![0; instance.nodes.len() * instance.dimensions()],
        needs: vec![0; instance.nodes.len() * instance.fluid],
    };
    let mut nodes: Vec<u32> = Vec::with_capacity(tasks.len());
    let mut left = placements;
    // Rank of the placement undone last, if the search has just backtracked.
    let mut behind = None;
    while nodes.len() < tasks.len() {
        let job = tasks[nodes.len()] as usize;
        if let Some(node) = search.next_node(job, behind.take()) {
            left = left.checked_sub(1)?;
            search.add(job, node, 1);
            nodes.push(node as u32);
        } else {
            let node = nodes.pop()? as usize;
            let job = tasks[nodes.len()] as usize;
            search.add(job, node, -1);
            behind = Some(search.rank(job, node));
        }
    }
    Some(nodes)
}

impl Search<'_> {
    /// Returns the first feasible node in the task's order after the given rank.
    fn next_node(&self, job: usize, behind: Option<(i64, usize)>) -> Option<usize> {
        let dimensions = self.instance.dimensions();
        let demand = self.rigid.demand(job);
        let candidates = self.loads.chunks_exact(dimensions).enumerate().filter(|&(node, taken)| {
            let fits = |((taken, demand), capacity): ((&i64, &i64), &i64)| taken + demand <= *capacity;
            taken.iter().zip(demand).zip(self.rigid.capacity(node)).all(fits)
        });
        let ranks = candidates.map(|(node, _)| self.rank(job, node));
        ranks.filter(|&rank| behind.is_none_or(|behind| rank > behind)).min().map(|(_, node)| node)
    }

    /// Returns the rank of a node in the task's order: by the sum of needs for the resource of the
    /// task's largest need.
    fn rank(&self, job: usize, node: usize) -> (i64, usize) {
        let Instance { fixed, fluid, ref nodes, ref jobs } = *self.instance;
        let needs = &jobs[job].demand[fixed..];
        let column = (1..fluid).fold(0, |best, next| if needs[next] > needs[best] { next } else { best });
        let load = self.needs[node * fluid + column];
        (self.rigid.comparable_load(load, i64::from(nodes[node][fixed + column])), node)
    }

    /// Adds a task to a node (`sign` 1) or removes it (`sign` -1).
    fn add(&mut self, job: usize, node: usize, sign: i64) {
        let Instance { fixed, fluid, ref jobs, .. } = *self.instance;
        let row = &mut self.loads[node * (fixed + fluid)..];
        for (taken, demand) in row.iter_mut().zip(self.rigid.demand(job)) {
            *taken += sign * demand;
        }
        for (sum, &need) in self.needs[node * fluid..].iter_mut().zip(&jobs[job].demand[fixed..]) {
            *sum += sign * i64::from(need);
        }
    }
}
