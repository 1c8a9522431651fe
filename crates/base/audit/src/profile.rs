//! Planned use of processors over time.

use dfrsim_model::SortedMap;

/// Resource profile: the number of nodes or cores in use over time.
#[derive(Clone, Debug)]
pub struct Profile {
    size: i64,
    now: u64,
    /// Changes of the use by time. There are some hundred of them, and most of the time of the audit
    /// is spent on reading them in order.
    changes: SortedMap<u64, i64>,
}

impl Profile {
    /// Creates a profile without reservations.
    pub fn new(size: u32, now: u64) -> Profile {
        Profile { size: i64::from(size), now, changes: SortedMap::default() }
    }

    /// Creates a profile of running jobs, given as (end, size).
    pub fn of_running(size: u32, now: u64, ends: &[(u64, u32)]) -> Profile {
        let mut profile = Profile::new(size, now);
        ends.iter().for_each(|&(end, width)| profile.allocate(now, end.max(now), width));
        profile
    }

    /// Reserves `width` nodes or cores from `from` until `to` (microseconds).
    pub fn allocate(&mut self, from: u64, to: u64, width: u32) {
        *self.changes.or_default(from) += i64::from(width);
        *self.changes.or_default(to) -= i64::from(width);
    }

    /// Releases what [`Profile::allocate`] reserved.
    pub fn release(&mut self, from: u64, to: u64, width: u32) {
        *self.changes.or_default(from) -= i64::from(width);
        *self.changes.or_default(to) += i64::from(width);
    }

    /// Finds the earliest time, not before `from`, from which on `width` units are free for `span`.
    pub fn earliest(&self, from: u64, width: u32, span: u64) -> u64 {
        let most = self.size - i64::from(width);
        let mut used = 0;
        // Start of the current free slot, if enough units are free.
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
