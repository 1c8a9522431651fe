//! Room in a pool for a while, and lists of such rooms by their begin.

use super::needs::Need;
use super::profile::Profile;
use dfrsim_model::{SimSpan, SimTime};

/// Room for some more tasks of a need in a pool, from a moment to another. Searches look at thousands of them: it has 24 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) from: SimTime,
    pub(super) until: SimTime,
    pub(super) pool: u32,
    pub(super) tasks: u32,
}

impl Opening {
    pub(super) fn pool(&self) -> usize {
        self.pool as usize
    }

    pub(super) fn tasks(&self) -> u64 {
        self.tasks.into()
    }

    /// Whether it begins before a moment, and is as long as that.
    pub(super) fn is_of_use(&self, before: SimTime, shortest: SimSpan) -> bool {
        self.from < before.min(self.until) && self.from.saturating_add(shortest) <= self.until
    }

    /// Calls a function for each part of it that is outside of some spans.
    pub(super) fn beside(self, spans: &[(SimTime, SimTime)], mut each: impl FnMut(Opening)) {
        let mut from = self.from;
        for &(begin, end) in spans {
            if from < begin.min(self.until) {
                each(Opening { from, until: begin.min(self.until), ..self });
            }
            from = from.max(end);
        }
        if from < self.until {
            each(Opening { from, ..self });
        }
    }
}

/// Calls a function for each opening that begins in a pool as something that runs there ends, or now; none of them ends.
pub(super) fn for_each_rise(
    free: &[Profile],
    (now, need, pool): (SimTime, &Need, usize),
    mut each: impl FnMut(Opening),
) {
    let (mut at, mut had, until) = (Some(now), 0, SimTime::MAX);
    while let Some(from) = at {
        // No job has more tasks than that.
        let has = need.times_in(free.iter().map(|profile| profile.least(from, from))).min(u32::MAX.into());
        if has > had {
            each(Opening { from, until, pool: pool as u32, tasks: (has - had) as u32 });
            had = has;
        }
        at = free.iter().filter_map(|profile| profile.next_rise(from)).min();
    }
}

/// Adds some openings to others, which are sorted.
pub(super) fn merge(sorted: &mut Vec<Opening>, mut others: Vec<Opening>) {
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
