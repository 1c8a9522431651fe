//! The nodes under the tasks of jobs that may not move.

use crate::filling::{CAPACITY, NodeRuns};
use dfrsim_model::{NodeTasks, Share, Yield};
use rustc_hash::FxHashMap;

/// What the pinned tasks of one job add to each node that they are on.
pub(super) struct Pinned<'a> {
    pub(super) placement: &'a [NodeTasks],
    /// The memory of a task.
    pub(super) memory: Share,
    /// The CPU of a task, to be multiplied by the factor that [`PinnedNodes::scale`] is given.
    pub(super) cpu: u64,
}

/// Memory (dimension 0) and CPU (dimension 1) in use by pinned tasks, node by node.
#[derive(Debug, Default)]
pub(super) struct PinnedNodes {
    /// One entry a node; CPU before scaling.
    in_use: Vec<[u64; 2]>,
    numbers: FxHashMap<[u64; 2], u32>,
    /// The loads by their numbers, with CPU before scaling.
    unscaled: Vec<[u64; 2]>,
    runs: NodeRuns<2>,
}

impl PinnedNodes {
    pub(super) fn new(nodes: u32) -> PinnedNodes {
        PinnedNodes { in_use: vec![[0; 2]; nodes as usize], ..PinnedNodes::default() }
    }
    /// How many nodes there are.
    pub(super) fn count(&self) -> u32 {
        self.in_use.len() as u32
    }
    /// Replaces the pinned tasks of all nodes by these.
    pub(super) fn rebuild<'a>(&mut self, pinned: impl Iterator<Item = Pinned<'a>>) {
        self.runs.clear();
        self.unscaled.clear();
        let mut pinned = pinned.peekable();
        if pinned.peek().is_none() {
            self.unscaled.push([0; 2]);
            self.runs.push_kind([CAPACITY; 2]);
            self.runs.push(0, self.count());
            return;
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
        for &in_use in &self.in_use {
            let number = *self.numbers.entry(in_use).or_insert_with(|| {
                self.unscaled.push(in_use);
                self.runs.push_kind([CAPACITY; 2]);
                self.unscaled.len() as u32 - 1
            });
            self.runs.push(number, 1);
        }
    }
    /// The nodes with their CPU multiplied by `factor`; false if that is more than a node has.
    pub(super) fn scale(&mut self, factor: u64) -> bool {
        let mut within = true;
        for (free, unscaled) in self.runs.kinds_mut().iter_mut().zip(&self.unscaled) {
            let load = [unscaled[0], unscaled[1].saturating_mul(factor)];
            within &= load[0] <= CAPACITY && load[1] <= CAPACITY;
            *free = load.map(|load| CAPACITY.saturating_sub(load));
        }
        within
    }
    /// The nodes as they were scaled last.
    pub(super) fn runs(&self) -> &NodeRuns<2> {
        &self.runs
    }
}
