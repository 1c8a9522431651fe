//! Nodes as plain lists: what is free of each resource of each, and how much it is loaded.

use crate::nodes::{Kind, Size};
use dfrsim_model::{Share, Yield};
use std::sync::Arc;

/// The tasks of a job on nodes: pairs of (node, tasks), by rising node.
pub(crate) type On = Vec<(u32, u32)>;

/// The place of CPU among the resources: memory comes before it, the others after it.
pub(super) const CPU: usize = 1;

/// What finds its place by Greedy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) size: &'a Size,
    pub(super) tasks: u32,
    pub(super) weight: u32,
    /// `/SPREAD`: no more on a node than have their full needs beside each other, but at least one.
    pub(super) beside: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: usize,
    /// Whether jobs may be on it.
    pub(super) is_open: bool,
    pub(super) free: Vec<i64>,
    /// What its tasks need at a yield of 1, times their weights.
    load: Vec<u128>,
}

/// All nodes of the cluster by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    pub(super) kinds: Arc<Vec<Kind>>,
    pub(super) all: Vec<Node>,
}

impl Nodes {
    /// Nodes without tasks.
    pub(super) fn new(kinds: &Arc<Vec<Kind>>, is_open: impl Fn(u32) -> bool) -> Nodes {
        let of_kind = kinds.iter().enumerate().flat_map(|(kind, it)| vec![kind; it.nodes as usize]);
        let node = |(number, kind): (u32, usize)| {
            let capacity = &kinds[kind].capacity;
            let free = capacity.iter().map(|&amount| amount as i64).collect();
            Node { kind, is_open: is_open(number), free, load: vec![0; capacity.len()] }
        };
        Nodes { kinds: Arc::clone(kinds), all: (0..).zip(of_kind).map(node).collect() }
    }
    /// The same nodes without any task.
    pub(super) fn emptied(&self) -> Nodes {
        Nodes::new(&self.kinds, |node| self.all[node as usize].is_open)
    }
    /// Whether all are the reference node, and have no more than CPU and memory.
    pub(super) fn are_alike(&self) -> bool {
        let is_reference =
            |it: &Kind| it.capacity == [u64::from(Share::ONE.units()); 2] && it.speed == Yield::ONE.units();
        self.kinds.iter().all(is_reference)
    }
    pub(super) fn capacity(&self, node: u32) -> &[u64] {
        &self.kinds[self.all[node as usize].kind].capacity
    }

    pub(super) fn add(&mut self, on: &[(u32, u32)], size: &Size, weight: u32) {
        self.change(on, size, weight, true);
    }
    pub(super) fn remove(&mut self, on: &[(u32, u32)], size: &Size, weight: u32) {
        self.change(on, size, weight, false);
    }
    fn change(&mut self, on: &[(u32, u32)], size: &Size, weight: u32, comes: bool) {
        for &(node, tasks) in on {
            let node = &mut self.all[node as usize];
            for it in 0..node.free.len() {
                let held = size.held[it] as i64 * i64::from(tasks);
                let used = u128::from(size.used[it]) * u128::from(weight) * u128::from(tasks);
                node.free[it] += if comes { -held } else { held };
                node.load[it] = if comes { node.load[it] + used } else { node.load[it] - used };
            }
        }
    }

    /// How many of the wanted tasks a node has room for.
    fn room_of(&self, node: &Node, wanted: Wanted<'_>) -> u32 {
        if !node.is_open || !wanted.size.allowed[node.kind] {
            return 0;
        }
        let beside = wanted.size.used.iter().zip(&self.kinds[node.kind].capacity);
        let beside = beside.filter_map(|(used, capacity)| capacity.checked_div(*used)).min();
        let most = u64::from(wanted.tasks);
        let most = beside.filter(|_| wanted.beside).map_or(most, |beside| beside.clamp(1, most));
        times_in(&node.free, wanted.size, most as u32)
    }
    /// The same of all nodes. Greedy places all tasks if and only if that is enough, as each node is filled by itself.
    pub(super) fn have_room(&self, wanted: Wanted<'_>) -> bool {
        let rooms = self.all.iter().map(|node| u64::from(self.room_of(node, wanted)));
        rooms.sum::<u64>() >= u64::from(wanted.tasks)
    }
    /// Whether there is room for tasks where they are to be.
    pub(super) fn have_room_on(&self, on: &[(u32, u32)], size: &Size) -> bool {
        let has_room = |&(node, tasks): &(u32, u32)| {
            let node = &self.all[node as usize];
            node.is_open && times_in(&node.free, size, tasks) == tasks
        };
        on.iter().all(has_room)
    }

    /// How slowly a further task progresses on a node if yields there are in the ratio of weights, and the load with it.
    fn slowness(&self, node: &Node, wanted: Wanted<'_>) -> (f64, f64) {
        let Kind { capacity, speed, .. } = &self.kinds[node.kind];
        let (used, weight) = (&wanted.size.used, wanted.weight);
        let load = |it: usize| {
            (node.load[it] + u128::from(weight) * u128::from(used[it])) as f64 / capacity[it] as f64
        };
        let of_others = node.load[CPU] as f64 / capacity[CPU] as f64;
        let load = (0..used.len()).filter(|&it| used[it] > 0).map(load).fold(of_others, f64::max);
        let speed = f64::from(*speed) / f64::from(Yield::ONE.units());
        ((load / f64::from(weight)).max(1.0) / speed, load)
    }
    /// Greedy: task after task on the node with room on which it progresses fastest, then the one that is loaded least, then the lowest.
    pub(super) fn place(&mut self, wanted: Wanted<'_>) -> Option<On> {
        if !self.have_room(wanted) {
            return None;
        }
        let mut left: Vec<u32> = self.all.iter().map(|node| self.room_of(node, wanted)).collect();
        let mut tasks = vec![0; left.len()];
        for _ in 0..wanted.tasks {
            let with_room = (0..left.len()).filter(|&node| left[node] > 0);
            let order = |&(_, a): &(usize, (f64, f64)), &(_, b): &(usize, (f64, f64))| {
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            };
            let rated = with_room.map(|node| (node, self.slowness(&self.all[node], wanted)));
            let (best, _) = rated.min_by(order)?;
            self.add(&[(best as u32, 1)], wanted.size, wanted.weight);
            (left[best], tasks[best]) = (left[best] - 1, tasks[best] + 1);
        }
        Some((0..).zip(tasks).filter(|(_, tasks)| *tasks > 0).collect())
    }
}

/// How many tasks fit what is free, up to a limit.
fn times_in(free: &[i64], size: &Size, most: u32) -> u32 {
    let held = free.iter().zip(&size.held).filter(|(_, held)| **held > 0);
    let times = held.map(|(free, held)| (*free).max(0) as u64 / held);
    times.fold(most, |most, times| times.min(u64::from(most)) as u32)
}
