//! The depth-first search for mappings with at least a target yield.

use super::items::Items;
use crate::amounts::{mapping_yield, node_offers};
use crate::outcome::{Attempt, Limits};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};
use std::time::Instant;

/// How many nodes of the tree are visited between two readings of the clock.
const CLOCK_EVERY: u64 = 1 << 12;

/// Where the search is. Tables have one row of `width` amounts a node, a kind of task or a depth.
#[derive(Debug)]
pub(super) struct Search<'a> {
    instance: &'a Instance,
    items: &'a Items,
    limits: &'a Limits,
    start: Instant,
    visited: u64,
    target: Yield,
    /// What may be spent on tasks away from their homes, and what is.
    budget: u64,
    spent: u64,
    /// Resources.
    width: usize,
    /// The amount that a task of each kind takes at the target.
    takes: Vec<u64>,
    /// For each depth, what all tasks from there on take together; no more than the largest number.
    left: Vec<u64>,
    /// For each depth, the least that any task from there on takes of each resource.
    least: Vec<u64>,
    /// The free resources of each node.
    free: Vec<u64>,
    /// How many tasks are on each node.
    standing: Vec<u32>,
    /// The node before each one that has the same capacity, if no task is at home on either.
    twin: Vec<Option<usize>>,
    /// For each depth, the nodes in the order in which its task tries them ...
    order: Vec<u32>,
    /// ... and how many it has tried; the last of them is where it is, if it is placed.
    tried: Vec<usize>,
    /// How many tasks are placed.
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
            takes: vec![0; items.kinds.len() * width],
            left: vec![0; (depths + 1) * width],
            least: vec![u64::MAX; (depths + 1) * width],
            free: instance.nodes.iter().flatten().map(|&amount| node_offers(amount)).collect(),
            standing: vec![0; nodes],
            twin,
            order: (0..depths).flat_map(|_| 0..nodes as u32).collect(),
            tried: vec![0; depths],
            depth: 0,
        };
        search.aim();
        search.prepare();
        search
    }

    /// Nodes of the tree visited: tasks placed.
    pub(super) fn visited(&self) -> u64 {
        self.visited
    }

    /// Continues until a mapping with at least the target is found; fails if there is none, or none but those found.
    pub(super) fn next_mapping(&mut self) -> Attempt {
        if !self.promising() {
            return Attempt::Failed;
        }
        while self.depth < self.items.list.len() {
            if let Some(node) = self.next_node() {
                if self.limited() {
                    return Attempt::TimedOut;
                }
                self.place(node);
                if self.promising() {
                    self.prepare();
                } else {
                    self.take_back();
                }
            } else if self.depth == 0 {
                return Attempt::Failed;
            } else {
                self.take_back();
            }
        }
        let items = self.items.list.iter().enumerate();
        let places = items.map(|(depth, item)| (item.job, self.place_of(depth) as u32, 1));
        let mapping = mapping_of(self.instance.jobs.len(), places);
        let minimum_yield =
            mapping_yield(self.instance, &mapping).expect("every task was placed where it fits");
        Attempt::Found(Solved { mapping, minimum_yield })
    }

    /// Aims higher, and takes back the tasks from the first on that is in the way.
    pub(super) fn raise(&mut self, target: Yield) {
        let placed = self.depth;
        self.target = target;
        self.aim();
        let offers = self.instance.nodes.iter().flatten();
        self.free.iter_mut().zip(offers).for_each(|(free, &amount)| *free = node_offers(amount));
        self.standing.fill(0);
        self.spent = 0;
        self.depth = 0;
        while self.depth < placed {
            let node = self.place_of(self.depth);
            if !self.fits(node) {
                return;
            }
            self.place(node);
            if !self.promising() {
                self.take_back();
                return;
            }
        }
    }

    /// The amount that tasks take at the target.
    fn aim(&mut self) {
        let width = self.width;
        let kinds = self.items.kinds.iter().map(|&job| &self.instance.jobs[job]);
        self.takes.clear();
        self.takes.extend(kinds.flat_map(|job| job.sizes_at(self.instance.fixed, self.target)));
        for depth in (0..self.items.list.len()).rev() {
            for at in 0..width {
                let takes = self.takes[self.items.list[depth].kind * width + at];
                let (here, below) = (depth * width + at, (depth + 1) * width + at);
                self.left[here] = self.left[below].saturating_add(takes);
                self.least[here] = self.least[below].min(takes);
            }
        }
    }

    /// Orders the nodes for the task at this depth, its home and then those with most left first.
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

    /// The next node for the task at this depth that is worth a try.
    fn next_node(&mut self) -> Option<usize> {
        let nodes = self.instance.nodes.len();
        // Identical tasks are on nodes that do not fall.
        let first = if self.items.list[self.depth].again { self.place_of(self.depth - 1) } else { 0 };
        while self.tried[self.depth] < nodes {
            self.tried[self.depth] += 1;
            let node = self.place_of(self.depth);
            // An empty node represents all that are equal to it and empty; equal nodes are opened in their order.
            let represents_it =
                self.standing[node] == 0 && self.twin[node].is_some_and(|twin| self.standing[twin] == 0);
            if node >= first && !represents_it && self.fits(node) && self.affordable(node) {
                return Some(node);
            }
        }
        None
    }

    /// The node that the task at this depth tried last.
    fn place_of(&self, depth: usize) -> usize {
        self.order[depth * self.instance.nodes.len() + self.tried[depth] - 1] as usize
    }

    fn takes_at(&self, depth: usize) -> &[u64] {
        &self.takes[self.items.list[depth].kind * self.width..][..self.width]
    }

    fn fits(&self, node: usize) -> bool {
        let free = &self.free[node * self.width..][..self.width];
        free.iter().zip(self.takes_at(self.depth)).all(|(free, takes)| takes <= free)
    }

    /// The cost to have the task at a depth on a node.
    fn cost(&self, depth: usize, node: usize) -> u64 {
        match self.items.list[depth].home {
            Some((home, cost)) if home as usize != node => cost,
            _ => 0,
        }
    }

    fn affordable(&self, node: usize) -> bool {
        self.cost(self.depth, node) <= self.budget - self.spent
    }

    fn place(&mut self, node: usize) {
        self.spent += self.cost(self.depth, node);
        let takes = &self.takes[self.items.list[self.depth].kind * self.width..][..self.width];
        let free = &mut self.free[node * self.width..][..self.width];
        free.iter_mut().zip(takes).for_each(|(free, takes)| *free -= takes);
        self.standing[node] += 1;
        self.depth += 1;
    }

    fn take_back(&mut self) {
        self.depth -= 1;
        let node = self.place_of(self.depth);
        self.spent -= self.cost(self.depth, node);
        let takes = &self.takes[self.items.list[self.depth].kind * self.width..][..self.width];
        let free = &mut self.free[node * self.width..][..self.width];
        free.iter_mut().zip(takes).for_each(|(free, takes)| *free += takes);
        self.standing[node] -= 1;
    }

    /// Whether what is left to place may fit: it takes no more than what is free on nodes that have the least that any
    /// task still takes of every resource.
    fn promising(&self) -> bool {
        let width = self.width;
        let row = |table: &'_ [u64], at: usize| -> u64 { table[self.depth * width + at] };
        let usable = |free: &&[u64]| free.iter().enumerate().all(|(at, &free)| free >= row(&self.least, at));
        (0..width).all(|at| {
            let free = self.free.chunks_exact(width).filter(usable);
            row(&self.left, at) <= free.fold(0, |sum, free| sum.saturating_add(free[at]))
        })
    }

    /// Counts a node of the tree, and whether a limit forbids it.
    fn limited(&mut self) -> bool {
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
