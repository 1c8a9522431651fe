//! The search for the first moment at which a job has room in openings.

use super::opening::Opening;
use super::pools::Pools;
use super::queue::Waiting;
use super::split::Room;
use dfrsim_model::{SimTime, Yield};

/// A search, which keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct OpeningSearch {
    /// The places of the openings that the last successful one has found.
    pub(super) places: Vec<usize>,
    found: Vec<usize>,
    /// The room in these by pool.
    rooms: Vec<(usize, u64)>,
}

impl OpeningSearch {
    /// The first moment from another one on, and before a third one, at which a job has room on nodes that have a speed at least, and that.
    pub(super) fn run(
        &mut self,
        (pools, openings): (&Pools, &[Opening]),
        speed: Yield,
        (from, before): (SimTime, SimTime),
        job: &Waiting,
    ) -> Option<(SimTime, Room)> {
        let OpeningSearch { places, found, rooms } = self;
        let (is_slow, width, span) = (pools.speeds.len() > 1, u64::from(job.job.width), job.job.span(speed));
        if from >= before {
            return None;
        }
        let is_slower = |it: &Opening| is_slow && pools.group_of(it.pool()).speed < speed;
        found.clear();
        // Most have begun: for these the end is one.
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
            // One that is too short when the job could begin in it is so later, too.
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
        let split = pools.choose_among((speed, start, end), job.need, job.job.width, |group| {
            let place = |pool: usize| rooms.partition_point(|(other, _)| *other < pool);
            rooms[place(group.pools.start)..place(group.pools.end)].iter().copied()
        });
        std::mem::swap(places, found);
        Some((start, (split, end)))
    }
}
