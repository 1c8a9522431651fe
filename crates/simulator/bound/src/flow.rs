//! Maximum flow on the core of an instance.

use crate::amount::Amount;
use crate::core::Core;

/// Not reached by the search.
const FAR: u32 = u32::MAX;

/// How much of each job is done in each interval: a flow from jobs to intervals.
///
/// The arc from a job to an interval of its window carries at most rate * length, all arcs into an interval at
/// most capacity * length. A job's arcs are stored one after the other; their bounds are computed, not stored.
#[derive(Debug)]
pub(crate) struct Flow<'a, T> {
    core: &'a Core<T>,
    lengths: Vec<T>,
    /// For each job, where its arcs begin.
    arcs: Vec<usize>,
    amount: Vec<T>,
    /// For each interval, where its jobs begin in `active`, in the order of deadlines.
    columns: Vec<usize>,
    active: Vec<u32>,
    /// What each job still misses, and each interval could still do.
    missing: Vec<T>,
    room: Vec<T>,
}

/// Distances to the nearest interval with room, along arcs that can carry more.
struct Levels {
    jobs: Vec<u32>,
    intervals: Vec<u32>,
}

/// Where the search for paths goes on, for each job and interval.
struct Pointers {
    jobs: Vec<usize>,
    intervals: Vec<usize>,
}

impl<'a, T: Amount> Flow<'a, T> {
    /// No flow yet.
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
        let missing = core.jobs.iter().map(|job| job.work).collect();
        let room = lengths.iter().map(|&length| core.capacity * length).collect();
        Flow { core, lengths, arcs, amount: vec![T::default(); count], columns, active, missing, room }
    }

    /// What `job` does in `interval` of its window.
    pub(crate) fn amount(&self, job: usize, interval: usize) -> T {
        self.amount[self.arc(job, interval)]
    }

    fn arc(&self, job: usize, interval: usize) -> usize {
        self.arcs[job] + (interval - self.core.jobs[job].first)
    }

    fn bound(&self, job: usize, interval: usize) -> T {
        self.core.jobs[job].rate * self.lengths[interval]
    }

    /// Fills the intervals in the order of time: first with what a job cannot do later, then by earliest
    /// deadline. Most instances that are feasible are solved by this alone.
    pub(crate) fn fill_by_deadline(&mut self) {
        let mut before = vec![T::default()];
        for &length in &self.lengths {
            before.push(*before.last().expect("never empty") + length);
        }
        for interval in 0..self.lengths.len() {
            for urgent in [true, false] {
                for place in self.columns[interval]..self.columns[interval + 1] {
                    if self.room[interval] == T::default() {
                        break;
                    }
                    let job = self.active[place] as usize;
                    let missing = self.missing[job];
                    if missing == T::default() {
                        continue;
                    }
                    let arc = self.arc(job, interval);
                    let later =
                        self.core.jobs[job].rate * (before[self.core.jobs[job].end] - before[interval + 1]);
                    let wanted = if urgent { (missing - later).max(T::default()) } else { missing };
                    let more =
                        wanted.min(self.bound(job, interval) - self.amount[arc]).min(self.room[interval]);
                    self.amount[arc] += more;
                    self.missing[job] -= more;
                    self.room[interval] -= more;
                }
            }
        }
    }

    /// Completes the flow along shortest paths (Dinic 1970), or finds jobs that are too much for their time.
    ///
    /// The levels are distances to the sink. A job with missing work that cannot reach it proves at once that
    /// all jobs that cannot reach it are, together, too much: every interval that they could use in excess of
    /// their rates is full, and of them alone. So an infeasible instance is known long before the flow is maximal.
    pub(crate) fn complete(&mut self) -> Result<(), Vec<usize>> {
        loop {
            let starved: Vec<usize> =
                (0..self.missing.len()).filter(|&job| self.missing[job] > T::default()).collect();
            if starved.is_empty() {
                return Ok(());
            }
            let levels = self.levels();
            if starved.iter().any(|&job| levels.jobs[job] == FAR) {
                return Err((0..self.missing.len()).filter(|&job| levels.jobs[job] == FAR).collect());
            }
            let mut pointers = Pointers {
                jobs: self.core.jobs.iter().map(|job| job.first).collect(),
                intervals: self.columns.clone(),
            };
            for job in starved {
                self.augment(job, &levels, &mut pointers);
            }
        }
    }

    fn levels(&self) -> Levels {
        let mut levels =
            Levels { jobs: vec![FAR; self.missing.len()], intervals: vec![FAR; self.lengths.len()] };
        let mut intervals: Vec<usize> =
            (0..self.lengths.len()).filter(|&interval| self.room[interval] > T::default()).collect();
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
                    if levels.jobs[job] == FAR && self.amount(job, interval) < self.bound(job, interval) {
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
                    if amount > T::default() && levels.intervals[interval] == FAR {
                        levels.intervals[interval] = level;
                        intervals.push(interval);
                    }
                }
            }
        }
        levels
    }

    /// Sends what the job misses along shortest paths, until it misses none or no such path is left.
    fn augment(&mut self, source: usize, levels: &Levels, pointers: &mut Pointers) {
        // The path alternates: the job of an entry goes into its interval, from which the next job is driven.
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut job = source;
        while self.missing[source] > T::default() {
            let Some(interval) = self.next_interval(job, levels, pointers) else {
                // A dead end: back to the interval before, past this job.
                let Some((before, interval)) = path.pop() else { return };
                pointers.intervals[interval] += 1;
                job = before;
                continue;
            };
            if levels.intervals[interval] == 0 {
                if self.room[interval] == T::default() {
                    pointers.jobs[job] += 1;
                    continue;
                }
                path.push((job, interval));
                self.push_along(&path);
                path.clear();
                job = source;
            } else if let Some(driven) = self.next_driven(interval, levels, pointers) {
                path.push((job, interval));
                job = driven;
            } else {
                pointers.jobs[job] += 1;
            }
        }
    }

    /// The interval one level down into which the job can put more.
    fn next_interval(&self, job: usize, levels: &Levels, pointers: &mut Pointers) -> Option<usize> {
        let pointer = &mut pointers.jobs[job];
        while *pointer < self.core.jobs[job].end {
            let interval = *pointer;
            if levels.intervals[interval] != FAR
                && levels.intervals[interval] + 1 == levels.jobs[job]
                && self.amount(job, interval) < self.bound(job, interval)
            {
                return Some(interval);
            }
            *pointer += 1;
        }
        None
    }

    /// The job one level down that could leave the interval in part.
    fn next_driven(&self, interval: usize, levels: &Levels, pointers: &mut Pointers) -> Option<usize> {
        let pointer = &mut pointers.intervals[interval];
        while *pointer < self.columns[interval + 1] {
            let job = self.active[*pointer] as usize;
            if levels.jobs[job] != FAR
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
        let mut more = self.missing[source].min(self.room[last]);
        for (step, &(job, interval)) in path.iter().enumerate() {
            more = more.min(self.bound(job, interval) - self.amount(job, interval));
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
        self.missing[source] -= more;
        self.room[last] -= more;
    }
}
