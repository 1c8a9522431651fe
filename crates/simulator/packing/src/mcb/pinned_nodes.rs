//! Nodes with the tasks of jobs that may not move.

use crate::filling::{CAPACITY, NodeRuns};
use dfrsim_model::{NodeTasks, Share, Yield};
use rustc_hash::FxHashMap;

/// Load that the pinned tasks of one job add to each of their nodes.
pub(super) struct Pinned<'a> {
    pub(super) placement: &'a [NodeTasks],
    /// Memory of a task.
    pub(super) memory: Share,
    /// CPU of a task.
    pub(super) cpu: u64,
}

/// Memory (dimension 0) and CPU (dimension 1) in use by pinned tasks, node by node.
#[derive(Debug, Default)]
pub(super) struct PinnedNodes {
    /// Load of each node.
    in_use: Vec<[u64; 2]>,
    numbers: FxHashMap<[u64; 2], u32>,
    runs: NodeRuns<2>,
}

impl PinnedNodes {
    pub(super) fn new(nodes: u32) -> PinnedNodes {
        PinnedNodes { in_use: vec![[0; 2]; nodes as usize], ..PinnedNodes::default() }
    }
    /// Returns the number of nodes.
    pub(super) fn count(&self) -> u32 {
        self.in_use.len() as u32
    }
    /// Replaces the pinned tasks of all nodes by these; returns false if a node is overloaded.
    pub(super) fn rebuild<'a>(&mut self, pinned: impl Iterator<Item = Pinned<'a>>) -> bool {
        self.runs.clear();
        let mut pinned = pinned.peekable();
        if pinned.peek().is_none() {
            self.runs.push_kind([CAPACITY; 2]);
            self.runs.push(0, self.count());
            return true;
        }
        self.in_use.fill([0; 2]);
        for Pinned { placement, memory, cpu } in pinned {
            let memory = u64::from(memory.units()) << Yield::BITS;
            for part in placement {
                let tasks = u64::from(part.tasks);
                let node = &mut self.in_use[part.node.index()];
                node[0] = node[0].saturating_add(memory.saturating_mul(tasks));
                node[1] = node[1].saturating_add(cpu.saturating_mul(tasks));
            }
        }
        self.numbers.clear();
        let mut within = true;
        for alike in self.in_use.chunk_by(|a, b| a == b) {
            let number = *self.numbers.entry(alike[0]).or_insert_with(|| {
                within &= alike[0].iter().all(|&load| load <= CAPACITY);
                self.runs.push_kind(alike[0].map(|load| CAPACITY.saturating_sub(load)));
                self.runs.kinds().len() as u32 - 1
            });
            self.runs.push(number, alike.len() as u32);
        }
        within
    }
    /// Returns the nodes as runs of equal free capacity.
    pub(super) fn runs(&self) -> &NodeRuns<2> {
        &self.runs
    }
}
