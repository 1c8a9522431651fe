//! Processors in use over time, as far as they are planned; the reservations of EASY and CONS.

use std::collections::BTreeMap;

/// How many nodes or cores are in use from a moment on.
#[derive(Debug)]
pub(crate) struct Profile {
    size: i64,
    now: u64,
    /// By how much the use changes at each moment, in their order. A plain list: it has some hundred moments, and most of the time
    /// goes into reading it from the beginning.
    changes: Vec<(u64, i64)>,
}

impl Profile {
    /// A profile without reservations.
    pub(crate) fn new(size: u32, now: u64) -> Profile {
        Profile { size: i64::from(size), now, changes: Vec::new() }
    }

    /// The same after [`Profile::take`] of each of these (from, to, width), in less time.
    pub(crate) fn taken(size: u32, now: u64, taken: impl Iterator<Item = (u64, u64, u32)>) -> Profile {
        let mut changes: Vec<(u64, i64)> =
            taken.flat_map(|(from, to, width)| [(from, i64::from(width)), (to, -i64::from(width))]).collect();
        changes.sort_unstable_by_key(|&(at, _)| at);
        changes.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Profile { size: i64::from(size), now, changes }
    }

    fn change(&mut self, at: u64, by: i64) {
        match self.changes.binary_search_by_key(&at, |&(at, _)| at) {
            Ok(place) => self.changes[place].1 += by,
            Err(place) => self.changes.insert(place, (at, by)),
        }
    }

    pub(crate) fn take(&mut self, from: u64, to: u64, width: u32) {
        self.change(from, i64::from(width));
        self.change(to, -i64::from(width));
    }

    pub(crate) fn give_back(&mut self, from: u64, to: u64, width: u32) {
        self.change(from, -i64::from(width));
        self.change(to, i64::from(width));
    }

    /// The earliest moment from which this many are free for so long.
    pub(crate) fn earliest(&self, width: u32, span: u64) -> u64 {
        self.earliest_from(self.now, width, span)
    }

    /// The same, not before a moment.
    pub(crate) fn earliest_from(&self, from: u64, width: u32, span: u64) -> u64 {
        let most = self.size - i64::from(width);
        let mut used = 0;
        // Since when there is room.
        let mut since = Some(self.now.max(from));
        for &(at, change) in &self.changes {
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

/// When as many processors as the head of a queue needs are free if running jobs end at these moments (end, width), and how many
/// it leaves free then.
pub(crate) fn reservation(now: u64, free: u32, width: u32, mut ends: Vec<(u64, u32)>) -> (u64, u32) {
    ends.sort_unstable();
    let (mut free, mut start) = (free, now);
    for (end, ended) in ends {
        // All that end in the same moment are free then.
        if free >= width && end > start {
            break;
        }
        free = free.saturating_add(ended);
        start = end;
    }
    (start, free.saturating_sub(width))
}

/// A job that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: u64,
    pub(crate) width: u32,
    pub(crate) span: u64,
}

/// The starts of all jobs of a queue with CONS, beside the running ones (from, to, width): a job that has no reservation gets the earliest
/// hole. If jobs move up, each gives up its reservation in turn and takes the earliest hole too.
pub(crate) fn reserve(
    (size, now): (u32, u64),
    running: impl Iterator<Item = (u64, u64, u32)>,
    queue: impl Iterator<Item = Request> + Clone,
    starts: &mut BTreeMap<u64, u64>,
    moves_up: bool,
) {
    let reserved = queue.clone().filter_map(|Request { key, width, span }| {
        let &start = starts.get(&key)?;
        Some((start, start.saturating_add(span), width))
    });
    let mut profile = Profile::taken(size, now, running.chain(reserved));
    for Request { key, width, span } in queue {
        match starts.get(&key) {
            Some(_) if !moves_up => continue,
            Some(&start) => profile.give_back(start, start.saturating_add(span), width),
            None => {}
        }
        let start = profile.earliest(width, span);
        profile.take(start, start.saturating_add(span), width);
        starts.insert(key, start);
    }
}
