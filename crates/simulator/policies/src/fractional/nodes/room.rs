//! Which of many waiting jobs find room.

use dfrsim_model::Share;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

/// The free memory of all nodes at one moment. With thousands of waiting jobs nearly all are refused by comparing them with one that was.
#[derive(Debug, Default)]
pub(in crate::fractional) struct Room {
    /// Free memory and how many nodes have it, decreasing.
    free: Vec<(Share, u32)>,
    /// Memory of a task and number of tasks of what was refused, by rising memory and falling number: what asks for no less than one of
    /// them finds no room either.
    refused: Vec<(Share, u32)>,
}

impl Room {
    /// The free memory of nodes, and how many neighbours have it.
    pub(in crate::fractional) fn set(&mut self, free: impl Iterator<Item = (Share, u32)>) {
        self.refused.clear();
        self.free.clear();
        self.free.extend(free);
        // Neighbours often have the same tasks: that leaves less to sort.
        self.join_equal();
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        self.join_equal();
    }

    /// Makes one of neighbours with the same free memory.
    fn join_equal(&mut self) {
        self.free.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0 };
            same
        });
    }

    /// Whether there is room for all tasks of this size: then and only then does Greedy find nodes for them.
    pub(in crate::fractional) fn takes(&mut self, memory: Share, tasks: u32) -> bool {
        let after = self.refused.partition_point(|&(other, _)| other <= memory);
        if after > 0 && self.refused[after - 1].1 <= tasks {
            return false;
        }
        let mut missing = u64::from(tasks);
        for &(free, nodes) in self.free.iter().take_while(|(free, _)| *free >= memory) {
            let on_one = free.units().checked_div(memory.units()).map_or(missing, u64::from);
            missing = missing.saturating_sub(on_one * u64::from(nodes));
            if missing == 0 {
                return true;
            }
        }
        self.refuse(memory, tasks);
        false
    }

    /// The largest of these memories with which this many tasks find room; `None` if they find none with the least.
    pub(in crate::fractional) fn limit<T>(
        &mut self,
        tasks: u32,
        memories: &BTreeMap<Share, T>,
    ) -> Option<Share> {
        let (&least, _) = memories.first_key_value()?;
        let (&most, _) = memories.last_key_value()?;
        if !self.takes(least, tasks) {
            return None;
        }
        if self.takes(most, tasks) {
            return Some(most);
        }
        let (mut taken, mut refused) = (least, most);
        loop {
            let middle = Share::try_from_units(taken.units().midpoint(refused.units()))
                .expect("it is between two shares");
            let below = memories.range((Excluded(taken), Included(middle))).next_back();
            let next = below.or_else(|| memories.range((Excluded(middle), Excluded(refused))).next());
            let Some((&memory, _)) = next else { return Some(taken) };
            if self.takes(memory, tasks) { taken = memory } else { refused = memory }
        }
    }

    /// There is no room for this many tasks of this size, as others have taken some since.
    pub(in crate::fractional) fn refuse(&mut self, memory: Share, tasks: u32) {
        let begin = self.refused.partition_point(|&(other, _)| other < memory);
        let no_better = self.refused[begin..].partition_point(|&(_, count)| count >= tasks);
        self.refused.splice(begin..begin + no_better, [(memory, tasks)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// After any refusals, the answer is the sum over all nodes.
        #[test]
        fn room_is_the_sum_over_nodes(
            free in prop::collection::vec(0_u64..=10, 1..8),
            asked in prop::collection::vec((0_u64..=10, 1_u32..20), 1..40),
        ) {
            let tenths = |tenths: u64| Share::from_ratio(tenths, 10);
            let mut room = Room::default();
            room.set(free.iter().map(|&free| (tenths(free), 1)));
            for &(memory, tasks) in &asked {
                let sum: u64 = free.iter().map(|free| free.checked_div(memory).unwrap_or(u64::MAX / 8)).sum();
                prop_assert_eq!(room.takes(tenths(memory), tasks), sum >= u64::from(tasks));
            }
            let memories: BTreeMap<Share, ()> = asked.iter().map(|&(memory, _)| (tenths(memory), ())).collect();
            for (_, tasks) in asked {
                let fitting = memories.keys().rev().find(|&&memory| room.takes(memory, tasks));
                prop_assert_eq!(room.limit(tasks, &memories), fitting.copied());
            }
        }
    }
}
