//! Processors in use over time, as far as they are planned.

use dfrsim_model::SortedMap;

/// How many nodes or cores are in use from a moment on.
#[derive(Clone, Debug)]
pub struct Profile {
    size: i64,
    now: u64,
    /// By how much the use changes at each moment: it has some hundred moments, and most of the time goes into reading it from the beginning.
    changes: SortedMap<u64, i64>,
}

impl Profile {
    /// A profile without reservations.
    pub fn new(size: u32, now: u64) -> Profile {
        Profile { size: i64::from(size), now, changes: SortedMap::default() }
    }

    /// A profile of jobs that run until these moments, in their order (end, width).
    pub fn of_running(size: u32, now: u64, ends: &[(u64, u32)]) -> Profile {
        let mut profile = Profile::new(size, now);
        ends.iter().for_each(|&(end, width)| profile.take(now, end.max(now), width));
        profile
    }

    /// Reserves `width` nodes or cores from `from` until `to` (microseconds).
    pub fn take(&mut self, from: u64, to: u64, width: u32) {
        *self.changes.or_default(from) += i64::from(width);
        *self.changes.or_default(to) -= i64::from(width);
    }

    /// Releases what [`Profile::take`] reserved.
    pub fn give_back(&mut self, from: u64, to: u64, width: u32) {
        *self.changes.or_default(from) -= i64::from(width);
        *self.changes.or_default(to) += i64::from(width);
    }

    /// The earliest moment, not before another one, from which this many are free for so long.
    pub fn earliest(&self, from: u64, width: u32, span: u64) -> u64 {
        let most = self.size - i64::from(width);
        let mut used = 0;
        // Since when there is room.
        let mut since = Some(self.now.max(from));
        for (&at, change) in &self.changes {
            if let Some(since) = since
                && at >= since.saturating_add(span)
            {
                return since;
            }
            used += change;
            since = if used <= most { since.or(Some(at.max(from))) } else { None };
        }
        since.unwrap_or(u64::MAX)
    }
}
