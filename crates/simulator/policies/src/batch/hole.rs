//! Holes: free capacity in a pool for some time, and sorted lists of holes.

use super::profile::Profile;
use super::requests::TaskRequest;
use dfrsim_model::{SimSpan, SimTime};

/// Free capacity for some tasks of a request in a pool, from one time to another. Kept at 24 bytes,
/// as searches scan thousands of holes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    pub(super) from: SimTime,
    pub(super) until: SimTime,
    pub(super) pool: u32,
    pub(super) tasks: u32,
}

impl Hole {
    pub(super) fn pool(&self) -> usize {
        self.pool as usize
    }

    pub(super) fn tasks(&self) -> u64 {
        self.tasks.into()
    }

    /// Returns whether the hole begins before `before` and lasts at least `shortest`.
    pub(super) fn is_usable(&self, before: SimTime, shortest: SimSpan) -> bool {
        self.from < before.min(self.until) && self.from.saturating_add(shortest) <= self.until
    }

    /// Calls `each` for each part of the hole that is outside of the given intervals.
    pub(super) fn for_each_outside(self, spans: &[(SimTime, SimTime)], mut each: impl FnMut(Hole)) {
        let mut from = self.from;
        for &(begin, end) in spans {
            if from < begin.min(self.until) {
                each(Hole { from, until: begin.min(self.until), ..self });
            }
            from = from.max(end);
        }
        if from < self.until {
            each(Hole { from, ..self });
        }
    }
}

/// Calls `each` for each hole of a pool that begins now or at the end of a running job. These holes
/// have no end. Those at the end of a job may have no tasks.
pub(super) fn for_each_release(
    free: &[Profile],
    (now, need, pool): (SimTime, &TaskRequest, usize),
    mut each: impl FnMut(Hole),
) {
    let (mut at, mut had, until) = (Some(now), 0, SimTime::MAX);
    while let Some(from) = at {
        // Sizes of jobs are 32-bit numbers.
        let has =
            need.tasks_in_each(free.iter().map(|profile| profile.min_free(from, from))).min(u32::MAX.into());
        if has > had || from > now {
            each(Hole { from, until, pool: pool as u32, tasks: (has - had) as u32 });
            had = has;
        }
        at = free.iter().filter_map(|profile| profile.next_rise(from)).min();
    }
}

/// Merges some unsorted holes into a list that is sorted by begin.
pub(super) fn merge(sorted: &mut Vec<Hole>, mut others: Vec<Hole>) {
    others.sort_by_key(|it| it.from);
    let mut left = sorted.len();
    sorted.extend(&others);
    let mut at = sorted.len();
    while let Some(last) = others.last() {
        at -= 1;
        if left > 0 && sorted[left - 1].from > last.from {
            left -= 1;
            sorted[at] = sorted[left];
        } else {
            sorted[at] = *last;
            others.pop();
        }
    }
}
