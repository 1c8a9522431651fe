//! Depth-first search for mappings with at least a target yield.

use super::items::Items;
use crate::amounts::{mapping_yield, node_capacity};
use crate::outcome::{Attempt, Limits};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, collect_mapping};
use std::time::Instant;

/// Number of search tree nodes between two checks of the clock.
const CLOCK_EVERY: u64 = 1 << 12;

/// State of the search. Tables have one row of `width` amounts per node, kind of task or depth.
#[derive(Debug)]
pub(super) struct Search<'a> {
    instance: &'a Instance,
    items: &'a Items,
    limits: &'a Limits,
    start: Instant,
    visited: u64,
    target: Yield,
    /// Budget for tasks that leave their homes, and its spent part.
    budget: u64,
    spent: u64,
    /// Number of resources.
    width: usize,
    /// Demand of a task of each kind at the target.
    demands: Vec<u64>,
    /// Total demand of all tasks from each depth on; the sums saturate.
    remaining: Vec<u64>,
    /// Minimum demand for each resource of the tasks from each depth on.
    least: Vec<u64>,
    /// Free resources of each node.
    free: Vec<u64>,
    /// Number of tasks on each node.
    task_counts: Vec<u32>,
    /// Previous node of equal capacity, if neither is a home.
    previous_identical: Vec<Option<usize>>,
    /// Order in which the task of each depth tries the nodes.
    order: Vec<u32>,
    /// Number of nodes tried at each depth; the last one tried holds the task, if it is placed.
    tried: Vec<usize>,
    /// Number of tasks placed.
    depth: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        instance: &'a Instance,
        items: &'a Items,
        budget: u64,
        target: Yield,
        limits: &'a Limits,
        start: Instant,
    ) -> Self {
        let (nodes, width, depths) = (instance.nodes.len(), instance.dimensions(), items.list.len());
        let mut is_home = vec![false; nodes];
        for (home, _) in items.list.iter().filter_map(|item| item.home) {
            is_home[home as usize] = true;
        }
        let alike = |a: usize, b: usize| instance.nodes[a] == instance.nodes[b] && !is_home[a] && !is_home[b];
        let twin = (0..nodes).map(|node| (0..node).rev().find(|&other| alike(other, node))).collect();
        let mut search = Search {
            instance,
            items,
            limits,
            start,
            visited: 0,
            target,
            budget,
            spent: 0,
            width,
            demands: vec![0; items.kinds.len() * width],
            remaining: vec![0; (depths + 1) * width],
            least: vec![u64::MAX; (depths + 1) * width],
            free: instance.nodes.iter().flatten().map(|&amount| node_capacity(amount)).collect(),
            task_counts: vec![0; nodes],
            previous_identical: twin,
            order: (0..depths).flat_map(|_| 0..nodes as u32).collect(),
            tried: vec![0; depths],
            depth: 0,
        };
        search.compute_demands();
        search.prepare();
        search
    }

    /// Returns the number of search tree nodes visited, that is of placements made.
    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// Continues until the next mapping with at least the target is found; fails if there are no
    /// more.
    pub(super) fn next_mapping(&mut self) -> Attempt {
        if !self.is_promising() {
            return Attempt::Failed;
        }
        while self.depth < self.items.list.len() {
            if let Some(node) = self.next_node() {
                if self.reaches_limit() {
                    return Attempt::TimedOut;
                }
                self.place(node);
                if self.is_promising() {
                    self.prepare();
                } else {
                    self.backtrack();
                }
            } else if self.depth == 0 {
                return Attempt::Failed;
            } else {
                self.backtrack();
            }
        }
        let items = self.items.list.iter().enumerate();
        let places = items.map(|(depth, item)| (item.job, self.node_of(depth) as u32, 1));
        let mapping = collect_mapping(self.instance.jobs.len(), places);
        let minimum_yield =
            mapping_yield(self.instance, &mapping).expect("every task was placed on a node where it fits");
        Attempt::Found(Solved { mapping, minimum_yield })
    }

    /// Raises the target and backtracks to the first placement that is infeasible under it.
    pub(super) fn raise(&mut self, target: Yield) {
        let placed = self.depth;
        self.target = target;
        self.compute_demands();
        let offers = self.instance.nodes.iter().flatten();
        self.free.iter_mut().zip(offers).for_each(|(free, &amount)| *free = node_capacity(amount));
        self.task_counts.fill(0);
        self.spent = 0;
        self.depth = 0;
        while self.depth < placed {
            let node = self.node_of(self.depth);
            if !self.fits(node) {
                return;
            }
            self.place(node);
            if !self.is_promising() {
                self.backtrack();
                return;
            }
        }
    }

    /// Computes the demands of tasks at the target.
    fn compute_demands(&mut self) {
        let width = self.width;
        let kinds = self.items.kinds.iter().map(|&job| &self.instance.jobs[job]);
        self.demands.clear();
        self.demands.extend(kinds.flat_map(|job| job.sizes_at(self.instance.fixed, self.target)));
        for depth in (0..self.items.list.len()).rev() {
            for at in 0..width {
                let takes = self.demands[self.items.list[depth].kind * width + at];
                let (here, below) = (depth * width + at, (depth + 1) * width + at);
                self.remaining[here] = self.remaining[below].saturating_add(takes);
                self.least[here] = self.least[below].min(takes);
            }
        }
    }

    /// Sorts the nodes for the task of the current depth: its home first, then by decreasing free
    /// capacity.
    fn prepare(&mut self) {
        let (nodes, width) = (self.instance.nodes.len(), self.width);
        if let Some(tried) = self.tried.get_mut(self.depth) {
            *tried = 0;
            let free = &self.free;
            let room = |node: u32| -> u64 {
                free[node as usize * width..][..width].iter().fold(0, |sum, &free| sum.saturating_add(free))
            };
            let order = &mut self.order[self.depth * nodes..][..nodes];
            let home = self.items.list[self.depth].home.map(|(home, _)| home);
            order.sort_unstable_by_key(|&node| (home != Some(node), std::cmp::Reverse(room(node)), node));
        }
    }

    /// Returns the next node to try for the task of the current depth.
    fn next_node(&mut self) -> Option<usize> {
        let nodes = self.instance.nodes.len();
        // Identical tasks are placed on nodes in non-descending order, to break symmetry.
        let first = if self.items.list[self.depth].is_repeated { self.node_of(self.depth - 1) } else { 0 };
        while self.tried[self.depth] < nodes {
            self.tried[self.depth] += 1;
            let node = self.node_of(self.depth);
            // Of identical empty nodes, only the first is tried.
            let represents_it = self.task_counts[node] == 0
                && self.previous_identical[node].is_some_and(|twin| self.task_counts[twin] == 0);
            if node >= first && !represents_it && self.fits(node) && self.is_affordable(node) {
                return Some(node);
            }
        }
        None
    }

    /// Returns the node that the task of a depth tried last.
    fn node_of(&self, depth: usize) -> usize {
        self.order[depth * self.instance.nodes.len() + self.tried[depth] - 1] as usize
    }

    fn demand_at(&self, depth: usize) -> &[u64] {
        &self.demands[self.items.list[depth].kind * self.width..][..self.width]
    }

    fn fits(&self, node: usize) -> bool {
        let free = &self.free[node * self.width..][..self.width];
        free.iter().zip(self.demand_at(self.depth)).all(|(free, takes)| takes <= free)
    }

    /// Returns the cost of placing the task of a depth on a node.
    fn cost(&self, depth: usize, node: usize) -> u64 {
        match self.items.list[depth].home {
            Some((home, cost)) if home as usize != node => cost,
            _ => 0,
        }
    }

    fn is_affordable(&self, node: usize) -> bool {
        self.cost(self.depth, node) <= self.budget - self.spent
    }

    fn place(&mut self, node: usize) {
        self.spent += self.cost(self.depth, node);
        let takes = &self.demands[self.items.list[self.depth].kind * self.width..][..self.width];
        let free = &mut self.free[node * self.width..][..self.width];
        free.iter_mut().zip(takes).for_each(|(free, takes)| *free -= takes);
        self.task_counts[node] += 1;
        self.depth += 1;
    }

    fn backtrack(&mut self) {
        self.depth -= 1;
        let node = self.node_of(self.depth);
        self.spent -= self.cost(self.depth, node);
        let takes = &self.demands[self.items.list[self.depth].kind * self.width..][..self.width];
        let free = &mut self.free[node * self.width..][..self.width];
        free.iter_mut().zip(takes).for_each(|(free, takes)| *free += takes);
        self.task_counts[node] -= 1;
    }

    /// Checks a necessary condition for the remaining tasks to fit: their total demand must not
    /// exceed the free capacity of the nodes that have the minimum demand for every resource.
    fn is_promising(&self) -> bool {
        let width = self.width;
        let row = |table: &'_ [u64], at: usize| -> u64 { table[self.depth * width + at] };
        let usable = |free: &&[u64]| free.iter().enumerate().all(|(at, &free)| free >= row(&self.least, at));
        (0..width).all(|at| {
            let free = self.free.chunks_exact(width).filter(usable);
            row(&self.remaining, at) <= free.fold(0, |sum, free| sum.saturating_add(free[at]))
        })
    }

    /// Counts a visited node of the search tree; returns true if a limit is reached instead.
    fn reaches_limit(&mut self) -> bool {
        let late = || self.limits.time.is_some_and(|time| self.start.elapsed() >= time);
        if self.limits.nodes.is_some_and(|nodes| self.visited >= nodes)
            || (self.visited.is_multiple_of(CLOCK_EVERY) && late())
        {
            return true;
        }
        self.visited += 1;
        false
    }
}
