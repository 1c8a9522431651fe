//! Processors in use over time, as far as they are planned; the reservations of EASY and CONS.

use dfrsim_model::SortedMap;

/// How many nodes or cores are in use from a moment on.
#[derive(Clone, Debug)]
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

    /// A profile of jobs that run until these moments, in their order (end, width).
    pub(crate) fn of_running(size: u32, now: u64, ends: &[(u64, u32)]) -> Profile {
        let mut changes = Vec::with_capacity(ends.len() + 1);
        let used: i64 = ends.iter().map(|&(_, width)| i64::from(width)).sum();
        changes.extend((used > 0).then_some((now, used)));
        for &(end, width) in ends {
            add_last(&mut changes, (end.max(now), -i64::from(width)));
        }
        Profile { size: i64::from(size), now, changes }
    }

    /// Does [`Profile::take`] for each of these (from, to, width), in less time.
    fn take_all(&mut self, taken: impl Iterator<Item = (u64, u64, u32)>) {
        let width = i64::from;
        let mut more: Vec<(u64, i64)> =
            taken.flat_map(|(from, to, wide)| [(from, width(wide)), (to, -width(wide))]).collect();
        more.sort_unstable();
        let mut before = std::mem::take(&mut self.changes).into_iter().peekable();
        self.changes.reserve(before.len() + more.len());
        for change in more {
            while let Some(earlier) = before.next_if(|&(at, _)| at <= change.0) {
                add_last(&mut self.changes, earlier);
            }
            add_last(&mut self.changes, change);
        }
        before.for_each(|later| add_last(&mut self.changes, later));
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

/// Adds a change that is not before the others.
fn add_last(changes: &mut Vec<(u64, i64)>, (at, by): (u64, i64)) {
    match changes.last_mut() {
        Some(last) if last.0 == at => last.1 += by,
        _ => changes.push((at, by)),
    }
}

/// A job that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: u64,
    pub(crate) width: u32,
    pub(crate) span: u64,
}

/// The starts of all jobs of a queue with CONS, on a profile of the running ones: a job that has no reservation gets the earliest
/// hole. If jobs move up, each gives up its reservation in turn and takes the earliest hole too.
pub(crate) fn reserve(
    mut profile: Profile,
    queue: impl Iterator<Item = Request> + Clone,
    starts: &mut SortedMap<u64, u64>,
    moves_up: bool,
) {
    let reserved = queue.clone().filter_map(|Request { key, width, span }| {
        let &start = starts.get(&key)?;
        Some((start, start.saturating_add(span), width))
    });
    profile.take_all(reserved);
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
