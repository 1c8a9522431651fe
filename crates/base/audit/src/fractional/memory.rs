//! The free memory of nodes.

use dfrsim_model::Share;
use std::collections::BTreeMap;

/// The free memory of each node, in share units; negative where a schedule takes more than there is.
#[derive(Debug)]
pub(super) struct Memory {
    nodes: u32,
    /// Of the nodes up to the highest that was ever in use.
    free: Vec<i64>,
    /// How many tasks of a size the free memory takes, as far as that was counted since the last change.
    counted: BTreeMap<u32, u64>,
    /// The nodes that are down; of no use if there are none.
    down: Vec<bool>,
}

const WHOLE: i64 = Share::ONE.units() as i64;

impl Memory {
    pub(super) fn new(nodes: u32) -> Memory {
        Memory { nodes, free: Vec::new(), counted: BTreeMap::new(), down: Vec::new() }
    }

    pub(super) fn set_down(&mut self, down: &[bool]) {
        self.counted.clear();
        self.free.resize(down.len(), WHOLE);
        self.down = down.to_vec();
    }

    pub(super) fn take(&mut self, placement: &[(u32, u32)], memory: u32) {
        self.change(placement, -i64::from(memory));
    }

    pub(super) fn give_back(&mut self, placement: &[(u32, u32)], memory: u32) {
        self.change(placement, i64::from(memory));
    }

    fn change(&mut self, placement: &[(u32, u32)], a_task: i64) {
        self.counted.clear();
        for &(node, tasks) in placement {
            let place = node as usize;
            if place >= self.free.len() {
                self.free.resize(place + 1, WHOLE);
            }
            self.free[place] = self.free[place].saturating_add(a_task.saturating_mul(i64::from(tasks)));
        }
    }

    /// Whether this many tasks of this memory find room.
    pub(super) fn has_room(&mut self, memory: u32, tasks: u32) -> bool {
        if memory == 0 {
            return self.down.is_empty() || self.down.contains(&false);
        }
        let untouched = self.nodes as usize - self.free.len().min(self.nodes as usize);
        let (free, down) = (&self.free, &self.down);
        let room = self.counted.entry(memory).or_insert_with(|| {
            let takes = |free: i64| u64::try_from(free / i64::from(memory)).unwrap_or(0);
            let is_up = |node: usize| !down.get(node).copied().unwrap_or(false);
            let up = free.iter().enumerate().filter(|(node, _)| is_up(*node));
            up.map(|(_, &free)| takes(free)).sum::<u64>() + untouched as u64 * takes(WHOLE)
        });
        *room >= u64::from(tasks)
    }

    /// Whether this many tasks would find room on the nodes that are up, if these were empty.
    pub(super) fn fits_on_those_up(&self, memory: u32, tasks: u32) -> bool {
        let down = self.down.iter().filter(|&&is_down| is_down).count() as u64;
        let on_a_node = Share::ONE.units().checked_div(memory).map_or(u64::MAX, u64::from);
        on_a_node.saturating_mul(u64::from(self.nodes) - down) >= u64::from(tasks)
    }

    /// Whether this many tasks would find room on the empty cluster.
    pub(super) fn fits_when_empty(&self, memory: u32, tasks: u32) -> bool {
        let on_a_node = Share::ONE.units().checked_div(memory).map_or(u64::MAX, u64::from);
        on_a_node.saturating_mul(u64::from(self.nodes)) >= u64::from(tasks)
    }
}
