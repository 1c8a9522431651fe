//! Search for the time at which a waiting job fits on the pools that a test leaves to it.
//!
//! From one test of a job to the next one, few pools become free or reserved. The tasks that fit by
//! some time are therefore counted once and then updated by pool, and the time moves with the count.

use super::node_space::{NodeSpace, ReservedSpan, is_in};
use super::release::Release;
use super::windows::Window;
use dfrsim_model::{SimSpan, SimTime};

/// Releases for one request, ordered by time.
#[derive(Clone, Debug, Default)]
pub(super) struct Releases {
    pub(super) all: Vec<Release>,
    /// Indices of the releases of each pool in turn, and where those of each pool begin.
    by_pool: Vec<u32>,
    begins: Vec<u32>,
    /// Index of the first release of each pool with tasks; the largest number if there is none.
    opens: Vec<u32>,
}

impl Releases {
    /// Updates what is known by pool after a change of the releases.
    pub(super) fn sort_by_pool(&mut self, pools: usize) {
        self.begins.clear();
        self.begins.resize(pools + 1, 0);
        self.all.iter().for_each(|it| self.begins[it.pool() + 1] += 1);
        (0..pools).for_each(|pool| self.begins[pool + 1] += self.begins[pool]);
        self.by_pool.clear();
        self.by_pool.resize(self.all.len(), 0);
        self.opens.clear();
        self.opens.resize(pools, u32::MAX);
        // Each begin moves to that of the next pool.
        for (index, it) in self.all.iter().enumerate() {
            if it.tasks() > 0 {
                self.opens[it.pool()] = self.opens[it.pool()].min(index as u32);
            }
            let place = &mut self.begins[it.pool()];
            self.by_pool[*place as usize] = index as u32;
            *place += 1;
        }
        self.begins.rotate_right(1);
        self.begins[0] = 0;
    }

    /// Returns the indices of the releases of a pool.
    fn of_pool(&self, pool: usize) -> impl Iterator<Item = usize> {
        let [begin, end] = [self.begins[pool], self.begins[pool + 1]];
        self.by_pool[begin as usize..end as usize].iter().map(|index| *index as usize)
    }

    /// Returns the number of tasks that fit into a pool after the first `count` releases.
    pub(super) fn tasks_of_pool(&self, pool: usize, count: usize) -> u64 {
        if self.opens[pool] as usize >= count {
            return 0;
        }
        self.of_pool(pool).take_while(|index| *index < count).map(|index| self.all[index].tasks()).sum()
    }

    /// Returns the number of releases until a time.
    pub(super) fn count_until(&self, time: SimTime) -> usize {
        self.all.partition_point(|it| it.from <= time)
    }
}

/// Search for the time at which one job fits, from test to test.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadySearch {
    /// Pools that the job may use in the current test.
    available: Vec<u64>,
    /// Buffer for those of the next test.
    next: Vec<u64>,
    span: ReservedSpan,
    now: SimTime,
    /// Number of releases until now.
    current: usize,
    /// Number of releases until the time that is considered, and tasks of those on available pools.
    counted: usize,
    tasks: u64,
    /// No later release of an available pool has an index below this one.
    first: usize,
}

impl ReadySearch {
    /// Begins the search for another job.
    pub(super) fn reset(&mut self, reserved: &NodeSpace, releases: &Releases, now: SimTime) {
        self.span.reset(reserved);
        for set in [&mut self.available, &mut self.next] {
            set.clear();
            set.resize(reserved.words(), 0);
        }
        (self.now, self.current, self.tasks) = (now, releases.count_until(now), 0);
        (self.counted, self.first) = (self.current, self.current);
    }

    /// Returns the pools that the job may use in the current test.
    pub(super) fn available(&self) -> &[u64] {
        &self.available
    }

    /// Tests an interval: the job may use the pools that `open` adds to the empty set, and that are not
    /// reserved.
    pub(super) fn test(
        &mut self,
        (reserved, releases): (&NodeSpace, &Releases),
        span: (SimTime, SimTime),
        open: impl FnOnce(&mut [u64]),
    ) {
        self.next.fill(0);
        open(&mut self.next);
        self.span.remove_reserved(reserved, span, &mut self.next);
        if self.available.iter().all(|word| *word == 0) {
            std::mem::swap(&mut self.available, &mut self.next);
            let counted = releases.all[..self.counted].iter();
            self.tasks = counted.filter(|it| is_in(&self.available, it.pool())).map(Release::tasks).sum();
            self.first = self.current;
            return;
        }
        for (at, (word, next)) in self.available.iter_mut().zip(&self.next).enumerate() {
            let mut changed = *word ^ next;
            while changed > 0 {
                let place = changed.trailing_zeros();
                let is_added = next >> place & 1 == 1;
                for index in releases.of_pool(at * 64 + place as usize) {
                    let tasks = if index < self.counted { releases.all[index].tasks() } else { 0 };
                    if !is_added {
                        self.tasks -= tasks;
                        continue;
                    }
                    self.tasks += tasks;
                    if index >= self.current {
                        self.first = self.first.min(index);
                    }
                }
                changed &= changed - 1;
            }
            *word = *next;
        }
    }

    /// Moves the considered time to the first one, not before now, at which the job fits on the
    /// available pools; returns it if it is not after `latest`.
    fn fits_from(&mut self, releases: &Releases, width: u64, latest: SimTime) -> Option<SimTime> {
        while self.tasks < width {
            let time = releases.all.get(self.counted)?.from;
            if time > latest {
                return None;
            }
            for it in releases.all[self.counted..].iter().take_while(|it| it.from == time) {
                self.tasks += if is_in(&self.available, it.pool()) { it.tasks() } else { 0 };
                self.counted += 1;
            }
        }
        while self.counted > self.current {
            let last = &releases.all[self.current..self.counted];
            let time = last[last.len() - 1].from;
            let (mut count, mut tasks) = (0, 0);
            for it in last.iter().rev().take_while(|it| it.from == time) {
                tasks += if is_in(&self.available, it.pool()) { it.tasks() } else { 0 };
                count += 1;
            }
            if self.tasks - tasks < width {
                return (time <= latest).then_some(time);
            }
            (self.counted, self.tasks) = (self.counted - count, self.tasks - tasks);
        }
        Some(self.now)
    }

    /// Returns the time at which the job fits on the available pools: now, or the last expected end
    /// in a window; `None` if there is none by `latest`. `ends` are the expected ends of all running
    /// jobs.
    pub(super) fn ready_time(
        &mut self,
        (releases, ends): (&Releases, &[SimTime]),
        (width, window_growth): (u64, SimSpan),
        latest: SimTime,
    ) -> Option<SimTime> {
        let fits_from = self.fits_from(releases, width, latest)?;
        if fits_from == self.now {
            return Some(self.now);
        }
        let (all, available) = (&releases.all, &self.available);
        let is_available = |it: &&Release| is_in(available, it.pool());
        self.first += all[self.first..].iter().position(|it| is_available(&it))?;
        let mut window = Window::first(all[self.first].from, window_growth);
        // The window is that of the first end anywhere after the last release before.
        let before = all[self.first..self.counted].iter().rev();
        if let Some(before) = before.filter(is_available).find(|it| it.from < fits_from)
            && let Some(&next) = ends.get(ends.partition_point(|end| *end <= before.from))
            && !window.contains(next)
        {
            window.advance_to(next);
        }
        let in_window = ends.partition_point(|end| window.contains(*end));
        let last = || all.iter().rev().find(is_available).map(|it| it.from);
        if in_window == ends.len() {
            return last().filter(|last| *last <= latest);
        }
        let last_in_window = in_window.checked_sub(1).map_or(fits_from, |at| ends[at].max(fits_from));
        if last_in_window > latest {
            return last().filter(|last| *last <= latest);
        }
        let ready = all[all.partition_point(|it| it.from < last_in_window)..].iter().find(is_available);
        ready.map(|it| it.from).or_else(last).filter(|ready| *ready <= latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POOLS: usize = 70;

    /// Reference implementation: looks at every release of an available pool in every window in turn.
    fn ready_slowly(
        (releases, ends): (&[Release], &[SimTime]),
        is_available: impl Fn(usize) -> bool,
        (now, latest): (SimTime, SimTime),
        (width, growth): (u64, SimSpan),
    ) -> Option<SimTime> {
        let mut releases = releases.iter().filter(|it| is_available(it.pool())).peekable();
        let (mut tasks, mut window) = (0, None);
        while let Some(it) = releases.next_if(|it| it.from <= now) {
            tasks += it.tasks();
        }
        if tasks >= width {
            return Some(now);
        }
        while let Some(it) = releases.next() {
            tasks += it.tasks();
            if releases.peek().is_some_and(|other| other.from == it.from) {
                continue;
            }
            let window = window.get_or_insert_with(|| Window::first(it.from, growth));
            let next = ends.iter().copied().find(|end| *end > it.from);
            if next.is_none_or(|next| window.contains(next)) && releases.peek().is_some() {
                continue;
            }
            if tasks >= width {
                return Some(it.from).filter(|ready| *ready <= latest);
            }
            next.into_iter().for_each(|next| window.advance_to(next));
        }
        None
    }

    proptest! {
        /// Releases may be at times at which no job ends, and the time of the next test may decrease.
        #[test]
        fn tests_in_turn_agree_with_the_slow_way(
            releases in prop::collection::vec((0_u64..900, 0_u32..POOLS as u32, 0_u32..3), 0..60),
            ends in prop::collection::btree_set(0_u64..900, 0..40),
            tests in prop::collection::vec((any::<[u64; 2]>(), any::<[u64; 2]>(), 0_u64..1_200), 1..8),
            (width, growth, now) in (1_u64..12, 0_u64..90, 0_u64..300),
        ) {
            let mut all: Vec<Release> = releases
                .into_iter()
                .map(|(from, pool, tasks)| Release::new(SimTime::from_secs(from), pool, tasks))
                .collect();
            all.sort_by_key(|it| it.from);
            let mut releases = Releases { all, ..Releases::default() };
            releases.sort_by_pool(POOLS);
            let mut ends: Vec<SimTime> = ends.into_iter().map(SimTime::from_secs).collect();
            ends.extend(releases.all.iter().map(|it| it.from).filter(|from| from.micros() % 4_000_000 > 0));
            ends.sort_unstable();
            let (now, growth) = (SimTime::from_secs(now), SimSpan::from_secs(growth));
            let (space, mut search) = (NodeSpace::new(POOLS), ReadySearch::default());
            search.reset(&space, &releases, now);
            for (one, other, latest) in tests {
                let latest = now.max(SimTime::from_secs(latest));
                let set = [one[0] & other[0], one[1] & other[1] & 0x3f];
                search.test((&space, &releases), (now, now), |open| open.copy_from_slice(&set));
                let found = search.ready_time((&releases, &ends), (width, growth), latest);
                let is_available = |pool: usize| is_in(&set, pool);
                let expected =
                    ready_slowly((&releases.all, &ends), is_available, (now, latest), (width, growth));
                prop_assert_eq!(found, expected);
            }
        }
    }
}
