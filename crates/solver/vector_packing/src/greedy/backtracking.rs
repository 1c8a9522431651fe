//! Greedy placement that takes decisions back.

use crate::rigid::Rigid;
use dfrsim_model::offline::Instance;

/// The depth-first search of GB and SGB (RR-6692, section 3.3): tasks in order, and for each the nodes that can hold
/// it by rising sum of fluid needs, equal ones by index. Where a task has no node left, the one before it moves on to
/// its next.
struct Search<'a> {
    instance: &'a Instance,
    rigid: &'a Rigid,
    /// The loads of the nodes, a row each.
    taken: Vec<i64>,
    /// The sums of fluid needs of the nodes, a row each.
    needs: Vec<i64>,
}

/// The node of each task; `None` if no mapping exists, or none was found before the bound on placements was reached.
/// A placement is a task put on a node that can hold it, whether or not it stays there.
pub(super) fn place(instance: &Instance, rigid: &Rigid, tasks: &[u32], placements: u64) -> Option<Vec<u32>> {
    let mut search = Search {
        instance,
        rigid,
        taken: vec![0; instance.nodes.len() * instance.dimensions()],
        needs: vec![0; instance.nodes.len() * instance.fluid],
    };
    let mut nodes: Vec<u32> = Vec::with_capacity(tasks.len());
    let mut left = placements;
    // The place that was taken back last, if one was.
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
    /// The first node in the task's order, behind the one of this rank, that can hold it.
    fn next_node(&self, job: usize, behind: Option<(i64, usize)>) -> Option<usize> {
        let dimensions = self.instance.dimensions();
        let demand = self.rigid.demand(job);
        let candidates = self.taken.chunks_exact(dimensions).enumerate().filter(|&(node, taken)| {
            let fits = |((taken, demand), capacity): ((&i64, &i64), &i64)| taken + demand <= *capacity;
            taken.iter().zip(demand).zip(self.rigid.capacity(node)).all(fits)
        });
        let ranks = candidates.map(|(node, _)| self.rank(job, node));
        ranks.filter(|&rank| behind.is_none_or(|behind| rank > behind)).min().map(|(_, node)| node)
    }

    /// The place of a node in the task's order: by the sum of needs in the resource of its largest need.
    fn rank(&self, job: usize, node: usize) -> (i64, usize) {
        let Instance { fixed, fluid, ref nodes, ref jobs } = *self.instance;
        let needs = &jobs[job].demand[fixed..];
        let column = (1..fluid).fold(0, |best, next| if needs[next] > needs[best] { next } else { best });
        let load = self.needs[node * fluid + column];
        (self.rigid.compared(load, i64::from(nodes[node][fixed + column])), node)
    }

    /// Adds a task to a node, or with -1 takes it away.
    fn add(&mut self, job: usize, node: usize, sign: i64) {
        let Instance { fixed, fluid, ref jobs, .. } = *self.instance;
        let row = &mut self.taken[node * (fixed + fluid)..];
        for (taken, demand) in row.iter_mut().zip(self.rigid.demand(job)) {
            *taken += sign * demand;
        }
        for (sum, &need) in self.needs[node * fluid..].iter_mut().zip(&jobs[job].demand[fixed..]) {
            *sum += sign * i64::from(need);
        }
    }
}
