//! Maximum flow on the core of an instance.

use crate::amount::Amount;
use crate::core::Core;

/// Distance of a vertex that the search has not reached.
const UNREACHED: u32 = u32::MAX;

/// Work of each job in each interval: a flow from jobs to intervals.
///
/// The arc from a job to an interval of its window has the capacity rate * length; the arcs into an
/// interval together, capacity * length. The arcs of a job are contiguous; their capacities are
/// computed, not stored.
#[derive(Debug)]
pub(crate) struct Flow<'a, T> {
    core: &'a Core<T>,
    lengths: Vec<T>,
    /// Index of the first arc of each job.
    arcs: Vec<usize>,
    amount: Vec<T>,
    /// Index of the first job of each interval in `active`, whose jobs are in order of deadlines.
    columns: Vec<usize>,
    active: Vec<u32>,
    /// Remaining work of each job, and remaining capacity of each interval.
    remaining_work: Vec<T>,
    remaining_capacity: Vec<T>,
}

/// Distances to the nearest interval with remaining capacity, along residual arcs.
struct Levels {
    jobs: Vec<u32>,
    intervals: Vec<u32>,
}

/// Current arcs: for each job and interval, the position at which the path search continues.
struct CurrentArcs {
    jobs: Vec<usize>,
    intervals: Vec<usize>,
}

impl<'a, T: Amount> Flow<'a, T> {
    /// Creates a flow of zero.
    pub(crate) fn new(core: &'a Core<T>) -> Flow<'a, T> {
        let lengths: Vec<T> = core.intervals.iter().map(|interval| interval.length()).collect();
        let mut arcs = Vec::with_capacity(core.jobs.len());
        let mut count = 0;
        let mut columns = vec![0; lengths.len() + 1];
        for job in &core.jobs {
            arcs.push(count);
            count += job.end - job.first;
            for below in &mut columns[job.first + 1..=job.end] {
                *below += 1;
            }
        }
        for interval in 0..lengths.len() {
            columns[interval + 1] += columns[interval];
        }
        let mut active = vec![0; count];
        let mut next = columns.clone();
        for (index, job) in core.jobs.iter().enumerate() {
            for place in &mut next[job.first..job.end] {
                active[*place] = index as u32;
                *place += 1;
            }
        }
        let remaining_work = core.jobs.iter().map(|job| job.work).collect();
        let remaining_capacity = lengths.iter().map(|&length| core.capacity * length).collect();
        Flow {
            core,
            lengths,
            arcs,
            amount: vec![T::default(); count],
            columns,
            active,
            remaining_work,
            remaining_capacity,
        }
    }

    /// Returns the work of `job` in `interval`, which must be in its window.
    pub(crate) fn amount(&self, job: usize, interval: usize) -> T {
        self.amount[self.arc(job, interval)]
    }

    fn arc(&self, job: usize, interval: usize) -> usize {
        self.arcs[job] + (interval - self.core.jobs[job].first)
    }

    fn arc_capacity(&self, job: usize, interval: usize) -> T {
        self.core.jobs[job].rate * self.lengths[interval]
    }

    /// Fills the intervals in order of time: first with work that a job cannot do later, then by
    /// earliest deadline. This alone solves most feasible instances.
    pub(crate) fn fill_by_deadline(&mut self) {
        let mut before = vec![T::default()];
        for &length in &self.lengths {
            before.push(*before.last().expect("the prefix sums must begin with zero") + length);
        }
        for interval in 0..self.lengths.len() {
            for urgent in [true, false] {
                for place in self.columns[interval]..self.columns[interval + 1] {
                    if self.remaining_capacity[interval] == T::default() {
                        break;
                    }
                    let job = self.active[place] as usize;
                    let missing = self.remaining_work[job];
                    if missing == T::default() {
                        continue;
                    }
                    let arc = self.arc(job, interval);
                    let later =
                        self.core.jobs[job].rate * (before[self.core.jobs[job].end] - before[interval + 1]);
                    let wanted = if urgent { (missing - later).max(T::default()) } else { missing };
                    let more = wanted
                        .min(self.arc_capacity(job, interval) - self.amount[arc])
                        .min(self.remaining_capacity[interval]);
                    self.amount[arc] += more;
                    self.remaining_work[job] -= more;
                    self.remaining_capacity[interval] -= more;
                }
            }
        }
    }

    /// Completes the flow along shortest paths (Dinic 1970), or returns jobs that are together
    /// infeasible.
    ///
    /// The levels are distances to the sink. If a job with remaining work cannot reach the sink,
    /// then all jobs that cannot reach it are together infeasible: every interval that they could
    /// use beyond their flow is full, with their work only. An infeasible instance is therefore
    /// detected long before the flow is maximal.
    pub(crate) fn complete(&mut self) -> Result<(), Vec<usize>> {
        loop {
            let starved: Vec<usize> = (0..self.remaining_work.len())
                .filter(|&job| self.remaining_work[job] > T::default())
                .collect();
            if starved.is_empty() {
                return Ok(());
            }
            let levels = self.levels();
            if starved.iter().any(|&job| levels.jobs[job] == UNREACHED) {
                return Err((0..self.remaining_work.len())
                    .filter(|&job| levels.jobs[job] == UNREACHED)
                    .collect());
            }
            let mut pointers = CurrentArcs {
                jobs: self.core.jobs.iter().map(|job| job.first).collect(),
                intervals: self.columns.clone(),
            };
            for job in starved {
                self.augment(job, &levels, &mut pointers);
            }
        }
    }

    fn levels(&self) -> Levels {
        let mut levels = Levels {
            jobs: vec![UNREACHED; self.remaining_work.len()],
            intervals: vec![UNREACHED; self.lengths.len()],
        };
        let mut intervals: Vec<usize> = (0..self.lengths.len())
            .filter(|&interval| self.remaining_capacity[interval] > T::default())
            .collect();
        for &interval in &intervals {
            levels.intervals[interval] = 0;
        }
        let mut jobs = Vec::new();
        let mut level = 0;
        while !intervals.is_empty() {
            level += 1;
            for interval in intervals.drain(..) {
                for &job in &self.active[self.columns[interval]..self.columns[interval + 1]] {
                    let job = job as usize;
                    if levels.jobs[job] == UNREACHED
                        && self.amount(job, interval) < self.arc_capacity(job, interval)
                    {
                        levels.jobs[job] = level;
                        jobs.push(job);
                    }
                }
            }
            level += 1;
            for job in jobs.drain(..) {
                let range = self.core.jobs[job].first..self.core.jobs[job].end;
                let amounts = &self.amount[self.arcs[job]..][..range.len()];
                for (interval, &amount) in range.zip(amounts) {
                    if amount > T::default() && levels.intervals[interval] == UNREACHED {
                        levels.intervals[interval] = level;
                        intervals.push(interval);
                    }
                }
            }
        }
        levels
    }

    /// Sends the remaining work of a job along shortest paths, until none is left or no such path
    /// exists.
    fn augment(&mut self, source: usize, levels: &Levels, pointers: &mut CurrentArcs) {
        // The path alternates: the job of an entry adds work to its interval, which displaces work
        // of the next job.
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut job = source;
        while self.remaining_work[source] > T::default() {
            let Some(interval) = self.next_interval(job, levels, pointers) else {
                // Dead end: return to the previous interval and skip this job.
                let Some((before, interval)) = path.pop() else { return };
                pointers.intervals[interval] += 1;
                job = before;
                continue;
            };
            if levels.intervals[interval] == 0 {
                if self.remaining_capacity[interval] == T::default() {
                    pointers.jobs[job] += 1;
                    continue;
                }
                path.push((job, interval));
                self.push_along(&path);
                path.clear();
                job = source;
            } else if let Some(driven) = self.next_displaced(interval, levels, pointers) {
                path.push((job, interval));
                job = driven;
            } else {
                pointers.jobs[job] += 1;
            }
        }
    }

    /// Finds the next interval, one level down, in which the job can do more work.
    fn next_interval(&self, job: usize, levels: &Levels, pointers: &mut CurrentArcs) -> Option<usize> {
        let pointer = &mut pointers.jobs[job];
        while *pointer < self.core.jobs[job].end {
            let interval = *pointer;
            if levels.intervals[interval] != UNREACHED
                && levels.intervals[interval] + 1 == levels.jobs[job]
                && self.amount(job, interval) < self.arc_capacity(job, interval)
            {
                return Some(interval);
            }
            *pointer += 1;
        }
        None
    }

    /// Finds the next job, one level down, whose work in the interval can be displaced.
    fn next_displaced(&self, interval: usize, levels: &Levels, pointers: &mut CurrentArcs) -> Option<usize> {
        let pointer = &mut pointers.intervals[interval];
        while *pointer < self.columns[interval + 1] {
            let job = self.active[*pointer] as usize;
            if levels.jobs[job] != UNREACHED
                && levels.jobs[job] + 1 == levels.intervals[interval]
                && self.amount(job, interval) > T::default()
            {
                return Some(job);
            }
            *pointer += 1;
        }
        None
    }

    fn push_along(&mut self, path: &[(usize, usize)]) {
        let (source, last) = (path[0].0, path[path.len() - 1].1);
        let mut more = self.remaining_work[source].min(self.remaining_capacity[last]);
        for (step, &(job, interval)) in path.iter().enumerate() {
            more = more.min(self.arc_capacity(job, interval) - self.amount(job, interval));
            if let Some(&(driven, _)) = path.get(step + 1) {
                more = more.min(self.amount(driven, interval));
            }
        }
        for (step, &(job, interval)) in path.iter().enumerate() {
            let arc = self.arc(job, interval);
            self.amount[arc] += more;
            if let Some(&(driven, _)) = path.get(step + 1) {
                let arc = self.arc(driven, interval);
                self.amount[arc] -= more;
            }
        }
        self.remaining_work[source] -= more;
        self.remaining_capacity[last] -= more;
    }
}
