//! Search for the time at which a waiting job fits on the pools that a test leaves to it.
//!
//! From one test of a job to the next one, few pools become free or reserved. The tasks that fit by
//! some time are therefore counted once and then updated by pool, and the time moves with the count.

use super::node_space::{MovingSpan, NodeSpace, is_in, pools_of_word};
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
    /// Pools that are open to the job in the current test.
    open: Vec<u64>,
    /// Buffer for those of the next test.
    next: Vec<u64>,
    /// Time while the job would run.
    span: MovingSpan,
    /// Begin and end of the span; `None` before the first test.
    tested: Option<(SimTime, SimTime)>,
    fitting: FittingTasks,
}

/// Tasks of the job that fit on the pools that a test leaves to it, until the time that is considered.
#[derive(Clone, Debug, Default)]
struct FittingTasks {
    /// Pools that the job may use in the current test.
    available: Vec<u64>,
    now: SimTime,
    /// Number of releases until now.
    current: usize,
    /// Number of releases until the time that is considered, and tasks of those on available pools.
    counted: usize,
    tasks: u64,
    /// No later release of an available pool has an index below this one.
    first: usize,
    /// Time at which the job fits on the available pools, once it is known.
    ready: Option<SimTime>,
}

impl ReadySearch {
    /// Begins the search for another job.
    pub(super) fn reset(&mut self, reserved: &NodeSpace, releases: &Releases, now: SimTime) {
        (self.span, self.tested) = (MovingSpan::default(), None);
        self.open.clear();
        self.open.resize(reserved.words(), 0);
        let current = releases.count_until(now);
        let fitting = &mut self.fitting;
        (fitting.now, fitting.current, fitting.counted, fitting.first) = (now, current, current, current);
        fitting.ready = None;
    }

    /// Returns the pools that the job may use in the current test.
    pub(super) fn available(&self) -> &[u64] {
        &self.fitting.available
    }

    /// Returns the time at which a job that cannot start from `start` on, and would last until `end`, is
    /// tried again.
    pub(super) fn later_start(&mut self, reserved: &NodeSpace, span: (SimTime, SimTime)) -> Option<SimTime> {
        self.span.later_start(reserved, span)
    }

    /// Opens the pools that `open` adds to the empty set to the job from the next test on, and no others.
    /// All are closed before the first test.
    pub(super) fn open(
        &mut self,
        (reserved, releases): (&NodeSpace, &Releases),
        open: impl FnOnce(&mut [u64]),
    ) {
        self.next.clear();
        self.next.resize(self.open.len(), 0);
        open(&mut self.next);
        std::mem::swap(&mut self.open, &mut self.next);
        let Some(tested) = self.tested else { return };
        for (at, (word, before)) in self.open.iter().zip(&self.next).enumerate() {
            for pool in pools_of_word(at, word ^ before) {
                if !reserved.is_reserved(pool, tested) {
                    self.fitting.change(releases, pool, is_in(&self.open, pool));
                }
            }
        }
    }

    /// Tests an interval: the job may use the open pools that are not reserved in it.
    pub(super) fn test(&mut self, (reserved, releases): (&NodeSpace, &Releases), span: (SimTime, SimTime)) {
        let ReadySearch { open, span: moving, fitting, .. } = self;
        let is_first = self.tested.replace(span).is_none();
        if is_first {
            let taken = moving.begin_until(reserved, span.1);
            fitting.available.clear();
            fitting.available.extend(open.iter().zip(taken).map(|(open, taken)| open & !taken));
            // The tasks are counted below, once the pools are known.
            (fitting.counted, fitting.tasks) = (0, 0);
        }
        moving.move_to(reserved, span, |pool, is_reserved| {
            if is_in(&fitting.available, pool) == is_reserved && is_in(open, pool) {
                fitting.change(releases, pool, !is_reserved);
            }
        });
        if !is_first {
            return;
        }
        fitting.counted = fitting.current;
        let counted = releases.all[..fitting.counted].iter();
        fitting.tasks = counted.filter(|it| is_in(&fitting.available, it.pool())).map(Release::tasks).sum();
    }

    /// Returns the time at which the job fits on the available pools: now, or the last expected end
    /// in a window; `None` if there is none by `latest`. `ends` are the expected ends of all running
    /// jobs.
    pub(super) fn ready_time(
        &mut self,
        lists: (&Releases, &[SimTime]),
        job: (u64, SimSpan),
        latest: SimTime,
    ) -> Option<SimTime> {
        let fitting = &mut self.fitting;
        if fitting.ready.is_none() {
            fitting.ready = fitting.ready_time(lists, job, latest);
        }
        fitting.ready.filter(|ready| *ready <= latest)
    }
}

impl FittingTasks {
    /// Makes a pool available or unavailable.
    fn change(&mut self, releases: &Releases, pool: usize, is_available: bool) {
        self.ready = None;
        let (word, bit) = (&mut self.available[pool / 64], 1 << (pool % 64));
        *word = if is_available { *word | bit } else { *word & !bit };
        let tasks = releases.tasks_of_pool(pool, self.counted);
        if is_available {
            self.tasks += tasks;
            let first = releases.of_pool(pool).find(|index| *index >= self.current);
            self.first = self.first.min(first.unwrap_or(self.first));
        } else {
            self.tasks -= tasks;
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

    /// Returns the time at which the job fits on the available pools: now, or the last expected end in
    /// a window; `None` if they do not suffice by `latest`.
    fn ready_time(
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
            return last();
        }
        let last_in_window = in_window.checked_sub(1).map_or(fits_from, |at| ends[at].max(fits_from));
        let ready = all[all.partition_point(|it| it.from < last_in_window)..].iter().find(is_available);
        // Behind the last end, all releases are taken together.
        let before_last = ready.map(|it| it.from).filter(|from| ends.last().is_some_and(|end| end > from));
        before_last.or_else(last)
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
        /// Releases may be at times at which no job ends, reservations of a pool may overlap, and the time
        /// of the next test may decrease.
        #[test]
        fn tests_in_turn_agree_with_the_slow_way(
            releases in prop::collection::vec((0_u64..900, 0_u32..POOLS as u32, 0_u32..3), 0..60),
            ends in prop::collection::btree_set(0_u64..900, 0..40),
            tests in prop::collection::vec((any::<[u64; 2]>(), any::<[u64; 2]>(), 0_u64..1_200), 1..8),
            reservations in prop::collection::vec((0..POOLS, 0_u64..900, 1_u64..300), 0..60),
            (width, growth, now, moves) in
                (1_u64..12, 0_u64..90, 0_u64..300, prop::collection::vec((0_u64..90, 0_u64..90), 8)),
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
            let (mut space, mut search) = (NodeSpace::new(POOLS), ReadySearch::default());
            let at = SimTime::from_secs;
            for (pool, from, length) in &reservations {
                space.reserve([*pool].into_iter(), (at(*from), at(from + length)));
            }
            search.reset(&space, &releases, now);
            let mut span = (now, now);
            for ((one, other, latest), (begin, end)) in tests.into_iter().zip(moves) {
                span = (span.0 + SimSpan::from_secs(begin), span.1 + SimSpan::from_secs(begin + end));
                let latest = now.max(SimTime::from_secs(latest));
                let set = [one[0] & other[0], one[1] & other[1] & 0x3f];
                search.open((&space, &releases), |open| open.copy_from_slice(&set));
                search.test((&space, &releases), span);
                let found = search.ready_time((&releases, &ends), (width, growth), latest);
                let is_reserved = |pool: usize| reservations.iter().any(|(other, from, length)| {
                    *other == pool && at(*from) <= span.1 && at(from + length) > span.0
                });
                let is_available = |pool: usize| is_in(&set, pool) && !is_reserved(pool);
                let expected =
                    ready_slowly((&releases.all, &ends), is_available, (now, latest), (width, growth));
                prop_assert_eq!(found, expected);
            }
        }
    }
}
