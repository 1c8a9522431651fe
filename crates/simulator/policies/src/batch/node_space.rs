//! Nodes that a backfill cycle reserves for waiting jobs.
//!
//! Slurm keeps them in a table of intervals, each with the nodes that are free during it. What
//! backfilling asks of the table is whether a node is free for some time, and when nodes become free
//! again; so the reserved intervals of each pool suffice here, with the times at which they change.

use super::profile::Profile;
use super::requests::Intervals;
use dfrsim_model::SimTime;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// Reserved intervals of the pools. Those of one pool do not overlap.
#[derive(Clone, Debug)]
pub(super) struct NodeSpace {
    by_pool: Vec<Intervals>,
    /// Pools that have any.
    used: Vec<usize>,
    changes: BTreeMap<SimTime, Change>,
    /// Numbers of pools that are not reserved, by group.
    unreserved: Vec<Profile>,
}

/// Numbers of pools that become free and that become reserved at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    freed: u32,
    reserved: u32,
}

impl NodeSpace {
    /// Creates a table without reservations for groups of these numbers of pools.
    pub(super) fn new(groups: impl Iterator<Item = usize>) -> NodeSpace {
        let unreserved: Vec<usize> = groups.collect();
        NodeSpace {
            by_pool: vec![Intervals::new(); unreserved.iter().sum()],
            used: Vec::new(),
            changes: BTreeMap::new(),
            unreserved: unreserved.into_iter().map(|pools| Profile::new(pools as u64)).collect(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.used.drain(..).for_each(|pool| self.by_pool[pool].clear());
        self.changes.clear();
        self.unreserved.iter_mut().for_each(|profile| profile.clear(SimTime::ZERO));
    }

    /// Reserves a pool of a group for an interval, which must not be empty.
    pub(super) fn reserve(&mut self, (pool, group): (usize, usize), (from, until): (SimTime, SimTime)) {
        self.unreserved[group].reserve(from, until, 1_u32);
        let spans = &mut self.by_pool[pool];
        if spans.is_empty() {
            self.used.push(pool);
        }
        let at = spans.partition_point(|it| it.0 < from);
        let follows = at > 0 && spans[at - 1].1 == from;
        let is_followed = spans.get(at).is_some_and(|it| it.0 == until);
        spans.insert(at, (from, until));
        // A pool that is reserved again at the end of an interval does not change then.
        let change = self.changes.entry(from).or_default();
        if follows {
            change.freed -= 1
        } else {
            change.reserved += 1
        }
        let change = self.changes.entry(until).or_default();
        if is_followed { change.reserved -= 1 } else { change.freed += 1 }
    }

    /// Returns an upper bound on the number of pools of a group that are not reserved at any time from
    /// `start` to `end`.
    pub(super) fn most_unreserved(&self, group: usize, start: SimTime, end: SimTime) -> u64 {
        self.unreserved[group].min_free(start, end)
    }

    /// Returns whether a pool is reserved at some time from `start` to `end`, both included.
    pub(super) fn is_reserved(&self, pool: usize, start: SimTime, end: SimTime) -> bool {
        self.by_pool[pool].iter().any(|&(from, until)| from <= end && until > start)
    }

    /// Returns the time at which a job that cannot start from `start` on is tried again: the end of
    /// the first interval after which a pool is free that was not. Only intervals are examined that
    /// begin by `end`, and one more.
    pub(super) fn later_start(&self, start: SimTime, end: SimTime) -> Option<SimTime> {
        let mut is_last = false;
        for (&time, change) in self.changes.range((Excluded(start), Unbounded)) {
            if change.freed > 0 {
                return Some(time);
            }
            if is_last && change.reserved > 0 {
                return None;
            }
            is_last |= change.reserved > 0 && time > end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pool 0 is reserved from 10 to 20 and from 20 to 40 s, pool 1 from 30 to 50 s.
    #[test]
    fn jobs_are_tried_again_when_a_pool_becomes_free() {
        let at = SimTime::from_secs;
        let mut space = NodeSpace::new([2].into_iter());
        for (pool, from, until) in [(0, 20, 40), (0, 10, 20), (1, 30, 50)] {
            space.reserve((pool, 0), (at(from), at(until)));
        }
        let most = |start, end| space.most_unreserved(0, at(start), at(end));
        assert_eq!([most(0, 10), most(0, 30), most(0, 31), most(50, 60)], [2, 1, 0, 2]);
        let later = |start, end| space.later_start(at(start), at(end));
        // At 20 s no pool becomes free, as the same one is reserved again.
        assert_eq!([later(0, 30), later(15, 30)], [Some(at(40)); 2]);
        assert_eq!([later(40, 60), later(50, 60)], [Some(at(50)), None]);
        // The interval from 10 to 30 s begins after 5 s, and is the last one that counts.
        assert_eq!(later(0, 5), None);
        let reserved = |pool, start, end| space.is_reserved(pool, at(start), at(end));
        assert_eq!([reserved(0, 0, 9), reserved(0, 0, 10), reserved(0, 40, 50)], [false, true, false]);
        assert_eq!([reserved(1, 0, 29), reserved(1, 49, 60), reserved(1, 50, 60)], [false, true, false]);
        space.clear();
        assert!(!space.is_reserved(0, at(0), at(60)) && space.later_start(at(0), at(60)).is_none());
    }
}
