//! Core of an instance: the contested part that remains after jobs that surely fit are removed.

use crate::amount::Amount;
use crate::instance::Windows;

/// A job that needs contested time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreJob<T> {
    /// Index in the instance.
    pub(crate) item: usize,
    /// Intervals of its window: the index of the first, and the one after the last.
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) rate: T,
    /// Work that does not fit into the uncontested part of its window; positive.
    pub(crate) work: T,
}

/// Interval between two consecutive releases or deadlines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval<T> {
    pub(crate) start: T,
    pub(crate) end: T,
}

impl<T: Amount> Interval<T> {
    pub(crate) fn length(self) -> T {
        self.end - self.start
    }
}

/// Contested intervals, in which the active jobs could use more than the capacity, and the jobs that
/// need them.
///
/// Where all active jobs together cannot use up the capacity, each of them may run at its full rate
/// without delaying any other. The jobs that can be completed in such intervals alone are dropped,
/// which leaves less contested time, and so on until no job is dropped. The instance is feasible if
/// and only if the core is. A set of jobs that is infeasible in the core is infeasible in the
/// instance, as it could use all of its uncontested time.
#[derive(Clone, Debug)]
pub(crate) struct Core<T> {
    /// Jobs in order of their deadlines.
    pub(crate) jobs: Vec<CoreJob<T>>,
    pub(crate) intervals: Vec<Interval<T>>,
    pub(crate) capacity: T,
    /// Uncontested intervals in order of time, each with the round in which it became uncontested.
    pub(crate) uncontested: Vec<(Interval<T>, u32)>,
    /// Dropped jobs, with the round: each may use the intervals that were uncontested by then, and
    /// no others.
    pub(crate) dropped: Vec<(usize, u32)>,
}

/// Marks an interval that no round has found uncontested.
const CONTESTED: u32 = u32::MAX;

impl<T: Amount> Core<T> {
    pub(crate) fn of(windows: &Windows<T>) -> Core<T> {
        let jobs = &windows.jobs;
        let mut cuts: Vec<T> = jobs.iter().flat_map(|job| [job.release, job.deadline]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let place = |time: T| cuts.partition_point(|&cut| cut < time);
        let ranges: Vec<(usize, usize)> =
            jobs.iter().map(|job| (place(job.release), place(job.deadline))).collect();

        let mut alive: Vec<usize> = (0..jobs.len()).collect();
        let mut dropped = Vec::new();
        let mut freed = vec![CONTESTED; cuts.len()];
        let mut free_before = vec![T::default(); cuts.len()];
        for round in 0.. {
            mark_uncontested(windows, &ranges, &alive, &mut freed, round);
            for cut in 1..cuts.len() {
                let free = freed[cut - 1] != CONTESTED;
                let length = if free { cuts[cut] - cuts[cut - 1] } else { T::default() };
                free_before[cut] = free_before[cut - 1] + length;
            }
            let before = dropped.len();
            alive.retain(|&job| {
                let needed = contested_work(windows, &ranges, &free_before, job) > T::default();
                if !needed {
                    dropped.push((job, round));
                }
                needed
            });
            if dropped.len() == before {
                break;
            }
        }

        // Only windows of the remaining jobs split the contested time.
        let mut needed = vec![false; cuts.len()];
        for &job in &alive {
            needed[ranges[job].0] = true;
            needed[ranges[job].1] = true;
        }
        let (mut intervals, mut uncontested) = (Vec::<Interval<T>>::new(), Vec::new());
        let mut index = vec![0; cuts.len()];
        for cut in 0..cuts.len().saturating_sub(1) {
            index[cut] = intervals.len();
            let piece = Interval { start: cuts[cut], end: cuts[cut + 1] };
            match intervals.last_mut() {
                _ if freed[cut] != CONTESTED => uncontested.push((piece, freed[cut])),
                Some(last) if last.end == piece.start && !needed[cut] => last.end = piece.end,
                _ => intervals.push(piece),
            }
        }
        if let Some(last) = index.last_mut() {
            *last = intervals.len();
        }
        alive.sort_unstable_by_key(|&job| (jobs[job].deadline, job));
        let jobs = (alive.into_iter())
            .map(|job| CoreJob {
                item: job,
                first: index[ranges[job].0],
                end: index[ranges[job].1],
                rate: jobs[job].rate,
                work: contested_work(windows, &ranges, &free_before, job),
            })
            .collect();
        Core { jobs, intervals, capacity: windows.capacity, uncontested, dropped }
    }
}

/// Marks the intervals in which the remaining jobs cannot use up the capacity with this round.
fn mark_uncontested<T: Amount>(
    windows: &Windows<T>,
    ranges: &[(usize, usize)],
    alive: &[usize],
    freed: &mut [u32],
    round: u32,
) {
    let mut change = vec![T::default(); freed.len()];
    for &job in alive {
        change[ranges[job].0] += windows.jobs[job].rate;
        change[ranges[job].1] -= windows.jobs[job].rate;
    }
    let mut load = T::default();
    for (freed, change) in freed.iter_mut().zip(change) {
        load += change;
        if load <= windows.capacity {
            *freed = round.min(*freed);
        }
    }
}

/// Computes the work of a job that does not fit into the uncontested part of its window.
fn contested_work<T: Amount>(
    windows: &Windows<T>,
    ranges: &[(usize, usize)],
    free_before: &[T],
    job: usize,
) -> T {
    let (first, end) = ranges[job];
    windows.jobs[job].work - windows.jobs[job].rate * (free_before[end] - free_before[first])
}
