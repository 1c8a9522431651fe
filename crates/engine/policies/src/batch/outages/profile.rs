//! How many nodes of each group are free when.

use super::{Group, Room, Split, Wanted};
use dfrsim_model::{SimSpan, SimTime, Yield};

/// The free nodes of all groups as step functions of time, from now on.
#[derive(Debug)]
pub(in crate::batch) struct Profiles<'a> {
    now: SimTime,
    groups: &'a [Group],
    /// The different speeds of nodes, the highest first.
    speeds: &'a [Yield],
    /// By rising time, the first one at `now`; the last one holds for ever. Windows are not in them.
    steps: Vec<Vec<Step>>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    from: SimTime,
    free: i64,
}

impl<'a> Profiles<'a> {
    /// The number of nodes of each group that are not down outside of windows.
    pub(super) fn new(now: SimTime, groups: &'a [Group], speeds: &'a [Yield], up: &[u32]) -> Profiles<'a> {
        let steps = up.iter().map(|&up| vec![Step { from: now, free: i64::from(up) }]).collect();
        Profiles { now, groups, speeds, steps }
    }

    /// Nodes of a group are taken, or given back, from one moment to another.
    fn change(&mut self, group: usize, start: SimTime, end: SimTime, by: i64) {
        if start >= end || by == 0 {
            return;
        }
        let (first, last) = (self.split(group, start), self.split(group, end));
        for step in &mut self.steps[group][first..last] {
            step.free += by;
        }
    }
    pub(in crate::batch) fn take(&mut self, split: &[u32], start: SimTime, end: SimTime) {
        for (group, &nodes) in split.iter().enumerate() {
            self.change(group, start, end, -i64::from(nodes));
        }
    }
    pub(super) fn give_back(&mut self, split: &[u32], start: SimTime, end: SimTime) {
        for (group, &nodes) in split.iter().enumerate() {
            self.change(group, start, end, i64::from(nodes));
        }
    }
    /// The step that begins at a moment, made if there is none.
    fn split(&mut self, group: usize, time: SimTime) -> usize {
        let steps = &mut self.steps[group];
        let at = steps.partition_point(|step| step.from < time);
        if steps.get(at).is_none_or(|step| step.from > time) {
            let free = steps[at - 1].free;
            steps.insert(at, Step { from: time, free });
        }
        at
    }

    /// The nodes of a group that are free all the time from one moment to another.
    fn free(&self, group: usize, start: SimTime, end: SimTime) -> u32 {
        let in_hole = |&(from, until): &(SimTime, SimTime)| from < end && until > start;
        if self.groups[group].holes.iter().any(in_hole) {
            return 0;
        }
        let steps = &self.steps[group];
        let at = steps.partition_point(|step| step.from <= start).saturating_sub(1);
        let least = steps[at..].iter().take_while(|step| step.from < end || step.from <= start);
        least.map(|step| step.free).min().unwrap_or(0).max(0) as u32
    }
    /// The nodes of each group that are of use to a job that starts at a moment and is to have no slower ones, and its end then.
    fn of_use(&self, start: SimTime, job: &Wanted, speed: Yield) -> Room {
        let end = job.job.end(start, speed);
        let free = |(place, group): (usize, &Group)| {
            if group.speed >= speed && job.fits(group) { self.free(place, start, end) } else { 0 }
        };
        (self.groups.iter().enumerate().map(free).collect(), end)
    }
    /// The same for each speed, the highest first.
    pub(super) fn by_speed(&self, start: SimTime, job: &Wanted) -> impl Iterator<Item = Room> {
        self.speeds.iter().map(move |&speed| self.of_use(start, job, speed))
    }
    /// Enough nodes for a job from a moment on, the fastest.
    pub(in crate::batch) fn room(&self, start: SimTime, job: &Wanted) -> Option<Room> {
        let is_enough =
            |free: &Split| free.iter().map(|&free| u64::from(free)).sum::<u64>() >= job.job.width.into();
        self.by_speed(start, job).find(|(free, _)| is_enough(free))
    }
    /// When a job ends that starts now on these nodes of each group, if they are free until then.
    pub(super) fn end_on(&self, split: &[u32], job: &Wanted) -> Option<SimTime> {
        let used = self.groups.iter().zip(split).filter(|(_, nodes)| **nodes > 0);
        let end = job.job.end(self.now, used.map(|(group, _)| group.speed).min()?);
        let is_free =
            split.iter().enumerate().all(|(group, nodes)| self.free(group, self.now, end) >= *nodes);
        is_free.then_some(end)
    }
    /// The nodes that are free now, for however short.
    pub(in crate::batch) fn free_now(&self) -> u32 {
        let end = self.now.saturating_add(SimSpan::from_micros(1));
        (0..self.groups.len()).map(|group| self.free(group, self.now, end)).sum()
    }

    /// The earliest moment at which a job has room, and that; `None` if there is no such moment. It is [`SimTime::MAX`] where that is
    /// the end of jobs without estimates.
    pub(in crate::batch) fn earliest(&self, job: &Wanted) -> Option<(SimTime, Room)> {
        let mut start = self.now;
        loop {
            if let Some(room) = self.room(start, job) {
                return Some((start, room));
            }
            start = self.next_gain(start)?;
        }
    }
    /// The next moment at which nodes come free: only then can a job start that could not before.
    fn next_gain(&self, after: SimTime) -> Option<SimTime> {
        let step = |steps: &Vec<Step>| {
            let at = steps.partition_point(|step| step.from <= after);
            let rises = steps[at.saturating_sub(1)..].windows(2).find(|pair| pair[1].free > pair[0].free);
            rises.map(|pair| pair[1].from)
        };
        let hole = |group: &Group| group.holes.iter().map(|&(_, until)| until).filter(|&it| it > after).min();
        let steps = self.steps.iter().filter_map(step);
        steps.chain(self.groups.iter().filter_map(hole)).min()
    }

    /// Which group gives how many of `width` nodes at a moment: those whose next window comes first, then those with the least
    /// [plenty](Group::plenty), then those with the lowest nodes; those that are not `preferred` last.
    pub(in crate::batch) fn choose(
        &self,
        start: SimTime,
        width: u32,
        free: &[u32],
        is_preferred: impl Fn(usize) -> bool,
    ) -> Split {
        let next_hole = |group: usize| {
            let holes = self.groups[group].holes.iter().map(|&(from, _)| from);
            holes.filter(|&from| from > start).min().unwrap_or(SimTime::MAX)
        };
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&group| {
            let Group { plenty, nodes, .. } = &self.groups[group];
            (!is_preferred(group), next_hole(group), *plenty, nodes[0])
        });
        let mut split = vec![0; self.groups.len()];
        let mut missing = width;
        for group in order {
            split[group] = free[group].min(missing);
            missing -= split[group];
        }
        split
    }
}
