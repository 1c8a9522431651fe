//! Search for the earliest time at which a job fits into holes.

use super::allocation::Slot;
use super::hole::Hole;
use super::pools::Pools;
use super::queue::Waiting;
use dfrsim_model::{SimTime, Yield};

/// Search state whose buffers are reused from search to search.
#[derive(Clone, Debug, Default)]
pub(super) struct HoleSearch {
    /// Indices of the holes that the last successful search found.
    pub(super) hole_indices: Vec<usize>,
    found: Vec<usize>,
    /// Tasks that fit into the holes found, by pool.
    fit_counts: Vec<(usize, u64)>,
}

impl HoleSearch {
    /// Finds the earliest slot for the job that starts at or after `from` and before `before` on
    /// nodes of at least this speed.
    pub(super) fn find_earliest(
        &mut self,
        (pools, openings): (&Pools, &[Hole]),
        speed: Yield,
        (from, before): (SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Slot)> {
        let HoleSearch { hole_indices: places, found, fit_counts: rooms } = self;
        let (is_slow, width, span) =
            (pools.speeds.len() > 1, u64::from(job.job.size), job.job.run_time_at(speed));
        if from >= before {
            return None;
        }
        let is_slower = |it: &Hole| is_slow && pools.group_of(it.pool()).speed < speed;
        found.clear();
        // Most holes have begun by `from`. For all of these the job would end at the same time.
        let (begun, end) = (openings.partition_point(|it| it.from <= from), from.saturating_add(span));
        let begun = openings[..begun].iter().enumerate();
        found.extend(begun.clone().filter(|(_, it)| it.until >= end && !is_slower(it)).map(|(at, _)| at));
        let until =
            |found: &[usize]| found.iter().map(|&at| openings[at].until).min().unwrap_or(SimTime::MAX);
        let tasks = |found: &[usize]| found.iter().map(|&at| openings[at].tasks()).sum::<u64>();
        let (mut sum, mut start, mut first_until) = (tasks(found), from, until(found));
        for (at, it) in openings.iter().enumerate().skip(begun.len()) {
            let begin = it.from;
            if sum >= width && begin > start {
                break;
            }
            // A hole that is too short when it begins is also too short for a later start.
            let end = begin.saturating_add(span);
            if it.until < end || is_slower(it) {
                continue;
            }
            if begin >= before {
                break;
            }
            if first_until < end {
                found.retain(|&at: &usize| openings[at].until >= end);
                (sum, first_until) = (tasks(found), until(found));
            }
            found.push(at);
            (sum, start, first_until) = (sum + it.tasks(), begin, first_until.min(it.until));
        }
        if sum < width {
            return None;
        }
        rooms.clear();
        rooms.extend(found.iter().map(|&at| (openings[at].pool(), openings[at].tasks())));
        rooms.sort_unstable();
        rooms.dedup_by(|other, first| {
            let is_same = other.0 == first.0;
            first.1 += if is_same { other.1 } else { 0 };
            is_same
        });
        let end = start.saturating_add(span);
        let split = pools.choose_among((speed, start, end), job.request, job.job.size, |group| {
            let place = |pool: usize| rooms.partition_point(|(other, _)| *other < pool);
            rooms[place(group.pools.start)..place(group.pools.end)].iter().copied()
        });
        std::mem::swap(places, found);
        Some((start, (split, end)))
    }
}
