//! Jobs in the system that are not running.
//!
//! On an overloaded cluster there are tens of thousands, of which only a few matter at any time:
//! those of the highest priority, and those that fit. They make no progress, so a linear upper bound
//! on the priority of each is computed once, and most are skipped by comparing it with the best
//! priority found so far.

use super::nodes::FreeMemory;
use super::priority::{Priority, Ranked};
use dfrsim_cluster::{JobHandle, JobView};
use dfrsim_model::{Share, SimTime, SortedMap, VirtualTime};
use std::collections::BTreeMap;

/// Jobs that are not running.
#[derive(Debug, Default)]
pub(super) struct IdleJobs {
    priority: Priority,
    /// The jobs, unordered.
    jobs: Vec<IdleJob>,
    /// Slopes of the [`PriorityBound`]s, by index in `jobs`. A scan reads only this and the next two
    /// vectors.
    slopes: Vec<f64>,
    intercepts: Vec<f64>,
    sizes: Vec<Size>,
    /// Index in `jobs` by handle, for idle jobs.
    index_by_handle: Vec<u32>,
    by_size: Vec<SameSizeJobs>,
    /// Index in `by_size` for a number of tasks.
    size_index: SortedMap<u32, u32>,
    /// Largest memory per task for which a job fits now, by index in `by_size`.
    memory_limits: Vec<Option<Share>>,
}

/// Size of a job's request.
#[derive(Clone, Copy, Debug)]
struct Size {
    memory: Share,
    width: u32,
}

/// Returns the time in seconds, rounded up so that no flow time is underestimated.
fn rounded_up(now: SimTime) -> f64 {
    now.as_secs_f64() * (1.0 + 1e-12)
}

/// Number of bounds compared at once, so that the loop vectorises.
const CHUNK: usize = 8;

/// Idle jobs with the same number of tasks.
#[derive(Debug)]
struct SameSizeJobs {
    tasks: u32,
    /// Memory per task, and the number of jobs with this value.
    memories: BTreeMap<Share, u32>,
}

/// A job that is not running.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleJob {
    pub(super) job: JobHandle,
    pub(super) sequence: u64,
    pub(super) submit: SimTime,
    pub(super) virtual_time: VirtualTime,
    pub(super) weight: u32,
    pub(super) tasks: u32,
    pub(super) memory: Share,
}

impl IdleJob {
    pub(super) fn new(handle: JobHandle, job: JobView<'_>) -> IdleJob {
        IdleJob {
            job: handle,
            sequence: job.sequence(),
            submit: job.submit(),
            virtual_time: job.virtual_time(),
            weight: job.weight(),
            tasks: job.tasks(),
            memory: job.memory(),
        }
    }
}

impl IdleJobs {
    /// Creates an empty set for jobs with this priority function.
    pub(super) fn new(priority: Priority) -> IdleJobs {
        IdleJobs { priority, ..IdleJobs::default() }
    }

    /// Adds a job that is no longer running.
    pub(super) fn insert(&mut self, job: IdleJob) {
        let width = *self.size_index.or_insert_with(job.tasks, || {
            self.by_size.push(SameSizeJobs { tasks: job.tasks, memories: BTreeMap::new() });
            self.by_size.len() as u32 - 1
        });
        *self.by_size[width as usize].memories.entry(job.memory).or_default() += 1;
        let handle = job.job.index();
        if self.index_by_handle.len() <= handle {
            self.index_by_handle.resize(handle + 1, u32::MAX);
        }
        self.index_by_handle[handle] = self.jobs.len() as u32;
        let bound = self.priority.bound(job.submit, job.virtual_time, job.weight);
        self.slopes.push(bound.slope);
        self.intercepts.push(bound.intercept);
        self.sizes.push(Size { memory: job.memory, width });
        self.jobs.push(job);
    }

    /// Removes a job that starts running; it must be in the set.
    pub(super) fn remove(&mut self, job: JobHandle) {
        let place = self.index_by_handle[job.index()] as usize;
        let Size { memory, width } = self.sizes.swap_remove(place);
        self.slopes.swap_remove(place);
        self.intercepts.swap_remove(place);
        self.jobs.swap_remove(place);
        if let Some(moved) = self.jobs.get(place) {
            self.index_by_handle[moved.job.index()] = place as u32;
        }
        let memories = &mut self.by_size[width as usize].memories;
        if let Some(count) = memories.get_mut(&memory) {
            *count -= 1;
            if *count == 0 {
                memories.remove(&memory);
            }
        }
    }

    /// Returns whether all jobs in the system are running.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Iterates over the jobs, unordered.
    pub(super) fn jobs(&self) -> impl Iterator<Item = JobHandle> + '_ {
        self.jobs.iter().map(|it| it.job)
    }

    /// Iterates over the jobs with their ranks, unordered. Only valid if no site ranks them.
    pub(super) fn ranked(&self, now: SimTime) -> impl Iterator<Item = Ranked> + '_ {
        (0..self.jobs.len()).map(move |place| self.rank(place, now))
    }

    /// Appends the jobs that do not rank below `last` to `found`, unordered.
    pub(super) fn collect_down_to(&self, last: Ranked, now: SimTime, found: &mut Vec<Ranked>) {
        let late = rounded_up(now);
        let mut from = 0;
        while let Some(place) = self.next_from(from, last.priority.0, late) {
            found.extend(Some(self.rank(place, now)).filter(|ranked| *ranked >= last));
            from = place + 1;
        }
    }

    /// Finds the first index, from `from` on, of a job that may have at least this priority.
    fn next_from(&self, mut from: usize, priority: f64, late: f64) -> Option<usize> {
        // Uses `<`, not `>=`: the bound of a job that has made no progress is NaN.
        let is_below = |(slope, intercept): (&f64, &f64)| slope * late + intercept < priority;
        let bounds =
            |range: std::ops::Range<usize>| self.slopes[range.clone()].iter().zip(&self.intercepts[range]);
        while from + CHUNK <= self.jobs.len() {
            // Combines all comparisons without branches.
            let are_below = bounds(from..from + CHUNK).fold(true, |all, bound| all & is_below(bound));
            if !are_below {
                break;
            }
            from += CHUNK;
        }
        let rest = from..self.jobs.len();
        bounds(rest).position(|bound| !is_below(bound)).map(|after| from + after)
    }

    /// Finds the highest-ranked job that fits and satisfies the condition.
    pub(super) fn first_that_fits(
        &mut self,
        room: &mut FreeMemory,
        now: SimTime,
        is_meant: impl Fn(JobHandle) -> bool,
    ) -> Option<Ranked> {
        self.memory_limits.clear();
        self.memory_limits
            .extend(self.by_size.iter().map(|width| room.memory_limit(width.tasks, &width.memories)));
        if self.memory_limits.iter().all(Option::is_none) {
            return None;
        }
        let late = rounded_up(now);
        let (mut first, mut highest, mut from) = (None, f64::NEG_INFINITY, 0);
        while let Some(place) = self.next_from(from, highest, late) {
            from = place + 1;
            let Size { memory, width } = self.sizes[place];
            // If nothing fits there is no limit, and `None` is less than any memory.
            if Some(memory) > self.memory_limits[width as usize] {
                continue;
            }
            let ranked = self.rank(place, now);
            if first.is_none_or(|first: Ranked| ranked > first) && is_meant(ranked.job()) {
                (first, highest) = (Some(ranked), ranked.priority.0);
            }
        }
        first
    }

    fn rank(&self, place: usize, now: SimTime) -> Ranked {
        let job = &self.jobs[place];
        let priority = self.priority.value(now.since(job.submit), job.virtual_time, job.weight);
        Ranked::new(priority, job.sequence, job.job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractional::ranking::Ranking;
    use crate::fractional::{Fractional, FractionalOptions, PriorityRule, Readings};
    use dfrsim_model::{SimSpan, Yield};
    use proptest::prelude::*;

    /// Generates jobs in order of submission, many of them identical.
    fn jobs() -> impl Strategy<Value = Vec<IdleJob>> {
        let work = prop_oneof![2 => Just(0_u64), 3 => 1_u64..40, 3 => 1_u64..2_000_000, 1 => 1_u64..1_000_000_000_000];
        let weight = prop_oneof![Just(1_u32), 1_u32..=10_000];
        let row =
            (prop_oneof![Just(0_u64), 1_u64..5_000_000], work, 0_u64..=20, weight, 1_u32..6, 0_u64..=10);
        prop::collection::vec(row, 0..600).prop_map(|rows| {
            let mut submit = SimTime::ZERO;
            let jobs =
                rows.into_iter().zip(0..).map(|((gap, work, share, weight, tasks, memory), number)| {
                    submit = submit + SimSpan::from_micros(gap);
                    IdleJob {
                        job: JobHandle::new(number),
                        sequence: number.into(),
                        submit,
                        virtual_time: VirtualTime::ZERO
                            .advanced(SimSpan::from_micros(work), Yield::from_ratio(share, 20)),
                        weight,
                        tasks,
                        memory: Share::from_ratio(memory, 10),
                    }
                });
            jobs.collect()
        })
    }

    fn priority() -> impl Strategy<Value = Priority> {
        let rule = prop::sample::select(PriorityRule::ALL.to_vec());
        let policy = prop::sample::select(vec!["/per/OPT=MIN", "/per/OPT=MIN/AHEAD=600"]);
        (policy, rule, prop::option::of(Just(SimSpan::from_secs(1)))).prop_map(|(policy, priority, clock)| {
            let readings = Readings { clock, ..Readings::default() };
            let options = FractionalOptions { priority, readings, ..FractionalOptions::default() };
            Priority::new(&Fractional::parse(policy).unwrap(), &options)
        })
    }

    proptest! {
        /// After any arrivals and departures, sorting all jobs gives the same first ones, and
        /// testing each in turn gives the same first one that fits.
        #[test]
        fn the_first_are_those_of_sorting_all(
            jobs in jobs(),
            priority in priority(),
            moments in prop::collection::vec((0_u64..10_000_000, any::<prop::sample::Index>(), 0_usize..600), 1..6),
            free in prop::collection::vec(0_u64..=10, 1..4),
        ) {
            let mut now = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
            let (mut idle, mut inside) = (IdleJobs::new(priority), vec![false; jobs.len()]);
            let mut ranking = Ranking::default();
            let mut room = FreeMemory::default();
            for (later, which, enough) in moments {
                now = now + SimSpan::from_micros(later);
                // About two thirds are idle, different ones each time.
                for (place, job) in jobs.iter().enumerate() {
                    let comes = (place + 1) * (which.index(1_000) + 1) % 3 > 0;
                    match (std::mem::replace(&mut inside[place], comes), comes) {
                        (false, true) => idle.insert(*job),
                        (true, false) => idle.remove(job.job),
                        _ => {}
                    }
                }
                let is_inside = |(place, _): &(usize, &IdleJob)| inside[*place];
                let (idle_jobs, running): (Vec<_>, Vec<_>) = jobs.iter().enumerate().partition(is_inside);
                let rank = |(_, job): &(usize, &IdleJob)| {
                    let priority = priority.value(now.since(job.submit), job.virtual_time, job.weight);
                    Ranked::new(priority, job.sequence, job.job)
                };
                let mut sorted: Vec<Ranked> = idle_jobs.iter().chain(&running).map(rank).collect();
                sorted.sort_by(|a, b| b.cmp(a));
                let mut asked = 0;
                ranking.rank_until(now, running.iter().map(rank), &idle, |_| { asked += 1; asked > enough });
                let found: Vec<JobHandle> = ranking.highest_first().collect();
                let expected: Vec<JobHandle> = sorted.iter().map(Ranked::job).take(enough + 1).collect();
                prop_assert_eq!(found, expected);

                room.set(free.iter().map(|&free| (Share::from_ratio(free, 10), 1)));
                let takes = |memory: Share, tasks: u32| {
                    let on_one = |free: u64| Share::from_ratio(free, 10).units().checked_div(memory.units());
                    free.iter().map(|&free| on_one(free).unwrap_or(tasks)).sum::<u32>() >= tasks
                };
                let is_meant = |job: JobHandle| job.index() % 7 != 3;
                let first = idle.first_that_fits(&mut room, now, is_meant).map(|ranked| ranked.job());
                let fitting = idle_jobs.iter().filter(|(_, job)| takes(job.memory, job.tasks) && is_meant(job.job));
                prop_assert_eq!(first, fitting.map(rank).max().map(|ranked| ranked.job()));
            }
        }
    }
}
