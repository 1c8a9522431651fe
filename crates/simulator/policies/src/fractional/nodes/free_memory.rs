//! Fast test of many waiting jobs against the free memory.

use dfrsim_model::Share;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

/// Free memory of all nodes at one time. With thousands of waiting jobs, nearly all are rejected by
/// comparison with an earlier rejection.
#[derive(Debug, Default)]
pub(in crate::fractional) struct FreeMemory {
    /// Free memory and the number of nodes with it, in descending order.
    free: Vec<(Share, u32)>,
    /// Rejected requests (memory per task, number of tasks), by ascending memory and descending
    /// number. A request that dominates one of them does not fit either.
    rejected: Vec<(Share, u32)>,
}

impl FreeMemory {
    /// Sets the free memory, given as runs of adjacent nodes with the same amount.
    pub(in crate::fractional) fn set(&mut self, free: impl Iterator<Item = (Share, u32)>) {
        self.rejected.clear();
        self.free.clear();
        self.free.extend(free);
        // Adjacent nodes often hold the same tasks: merging them first leaves less to sort.
        self.merge_equal();
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        self.merge_equal();
    }

    /// Merges adjacent entries with the same free memory.
    fn merge_equal(&mut self) {
        self.free.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0 };
            same
        });
    }

    /// Returns whether all tasks with this memory fit: if and only if they do, Greedy finds nodes
    /// for them.
    pub(in crate::fractional) fn fits(&mut self, memory: Share, tasks: u32) -> bool {
        let after = self.rejected.partition_point(|&(other, _)| other <= memory);
        if after > 0 && self.rejected[after - 1].1 <= tasks {
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
        self.reject(memory, tasks);
        false
    }

    /// Returns the largest of these memories with which `tasks` tasks fit; `None` if they do not fit
    /// even with the smallest.
    pub(in crate::fractional) fn memory_limit<T>(
        &mut self,
        tasks: u32,
        memories: &BTreeMap<Share, T>,
    ) -> Option<Share> {
        let (&least, _) = memories.first_key_value()?;
        let (&most, _) = memories.last_key_value()?;
        if !self.fits(least, tasks) {
            return None;
        }
        if self.fits(most, tasks) {
            return Some(most);
        }
        let (mut taken, mut refused) = (least, most);
        loop {
            let middle = Share::try_from_units(taken.units().midpoint(refused.units()))
                .expect("the midpoint of two shares must be a share");
            let below = memories.range((Excluded(taken), Included(middle))).next_back();
            let next = below.or_else(|| memories.range((Excluded(middle), Excluded(refused))).next());
            let Some((&memory, _)) = next else { return Some(taken) };
            if self.fits(memory, tasks) { taken = memory } else { refused = memory }
        }
    }

    /// Records that these tasks do not fit, since other jobs have taken memory.
    pub(in crate::fractional) fn reject(&mut self, memory: Share, tasks: u32) {
        let begin = self.rejected.partition_point(|&(other, _)| other < memory);
        let no_better = self.rejected[begin..].partition_point(|&(_, count)| count >= tasks);
        self.rejected.splice(begin..begin + no_better, [(memory, tasks)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// After any rejections, the answer equals the sum over all nodes.
        #[test]
        fn room_is_the_sum_over_nodes(
            free in prop::collection::vec(0_u64..=10, 1..8),
            asked in prop::collection::vec((0_u64..=10, 1_u32..20), 1..40),
        ) {
            let tenths = |tenths: u64| Share::from_ratio(tenths, 10);
            let mut room = FreeMemory::default();
            room.set(free.iter().map(|&free| (tenths(free), 1)));
            for &(memory, tasks) in &asked {
                let sum: u64 = free.iter().map(|free| free.checked_div(memory).unwrap_or(u64::MAX / 8)).sum();
                prop_assert_eq!(room.fits(tenths(memory), tasks), sum >= u64::from(tasks));
            }
            let memories: BTreeMap<Share, ()> = asked.iter().map(|&(memory, _)| (tenths(memory), ())).collect();
            for (_, tasks) in asked {
                let fitting = memories.keys().rev().find(|&&memory| room.fits(memory, tasks));
                prop_assert_eq!(room.memory_limit(tasks, &memories), fitting.copied());
            }
        }
    }
}
