//! The running jobs, and when they are expected to leave their nodes.

use super::pools::Pools;
use super::split::{Split, Stay};
use super::timeline::Timeline;
use crate::site::Site;
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};

/// How long a job past its estimate is expected to go on, in each pass: one second.
pub(super) const OVERRUN: SimSpan = SimSpan::from_secs(1);

/// A job on its nodes.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The end of its estimate.
    pub(super) end: SimTime,
    /// Its place in the order of submission.
    pub(super) sequence: u64,
    pub(super) job: JobHandle,
    pub(super) width: u32,
    pub(super) need: usize,
    pub(super) split: Split,
    /// When it started, and until when it was planned to have its nodes then; later until when the timeline has them, where there is one.
    pub(super) since: SimTime,
    pub(super) reserved_to: SimTime,
}

/// When a running job is expected to end, and its place in the order of submission.
type End = (SimTime, u64);

/// The running jobs by the ends of their estimates, then by submission.
#[derive(Debug, Default)]
pub(super) struct Running {
    by_end: Vec<(End, JobHandle)>,
    /// By handle. They stay where they are, as jobs come and go in the middle of the order.
    runs: Vec<Option<Run>>,
}

impl Running {
    fn place(&self, end: End) -> usize {
        self.by_end.partition_point(|(other, _)| *other < end)
    }

    pub(super) fn insert(&mut self, run: Run) {
        let handle = run.job.index();
        if self.runs.len() <= handle {
            self.runs.resize_with(handle + 1, || None);
        }
        let place = self.place(run.key());
        self.by_end.insert(place, (run.key(), run.job));
        self.runs[handle] = Some(run);
    }

    /// A job that runs.
    pub(super) fn get(&self, job: JobHandle) -> &Run {
        self.runs[job.index()].as_ref().expect("it runs")
    }

    #[inline]
    pub(super) fn remove(&mut self, job: JobHandle) -> Option<Run> {
        let run = self.runs.get_mut(job.index())?.take()?;
        let place = self.place(run.key());
        self.by_end.remove(place);
        Some(run)
    }

    /// All of them, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Run> {
        self.by_end.iter().map(|(_, job)| self.get(*job))
    }

    /// Calls a function for the first jobs in their order, which must not change the order.
    pub(super) fn for_first(&mut self, count: usize, mut change: impl FnMut(&mut Run)) {
        for (_, job) in &self.by_end[..count] {
            change(self.runs[job.index()].as_mut().expect("it runs"));
        }
    }

    /// The same for all of them.
    pub(super) fn for_each(&mut self, change: impl FnMut(&mut Run)) {
        self.for_first(self.by_end.len(), change);
    }

    /// What they have of the pools from now on.
    pub(super) fn timeline(&self, pools: &Pools, now: SimTime) -> Timeline {
        let mut timeline = Timeline::new(pools, now);
        self.iter().for_each(|run| timeline.take(pools, run.stay(now)));
        timeline
    }

    /// When the first one is expected to end.
    pub(super) fn first_end(&self) -> Option<SimTime> {
        self.by_end.first().map(|((end, _), _)| *end)
    }

    /// How many jobs are past their estimates.
    pub(super) fn overdue(&self, now: SimTime) -> usize {
        self.by_end.iter().take_while(|((end, _), _)| *end <= now).count()
    }

    /// The jobs in the order in which they are expected to leave their nodes, with these moments, if ends are not rounded and no window comes
    /// before.
    pub(super) fn releases(&self, now: SimTime) -> impl Iterator<Item = (SimTime, &Run)> {
        let later = now + OVERRUN;
        // Those past their estimates are expected to leave after those that end within that second.
        let (overdue, timely) = self.by_end.split_at(self.overdue(now));
        let soon = timely.iter().take_while(|((end, _), _)| *end < later).count();
        let (soon, late) = timely.split_at(soon);
        let timely = |((end, _), job): &(End, JobHandle)| (*end, self.get(*job));
        soon.iter()
            .map(timely)
            .chain(overdue.iter().map(move |(_, job)| (later, self.get(*job))))
            .chain(late.iter().map(timely))
    }
}

impl Run {
    /// What it has of the timeline, from a moment on.
    pub(super) fn stay(&self, start: SimTime) -> Stay<'_> {
        let Run { need, ref split, width, reserved_to: end, .. } = *self;
        Stay { need, split, width, start, end }
    }

    fn key(&self) -> End {
        (self.end, self.sequence)
    }

    /// When it is expected to leave its nodes: as it was planned if it starts now, otherwise at the end of its estimate or shortly, rounded by the settings of the site, or at the begin of a window.
    pub(super) fn release(&self, now: SimTime, pools: &Pools, site: Option<&Site>) -> SimTime {
        if self.since == now {
            return self.reserved_to;
        }
        let left = if self.end <= now { OVERRUN } else { self.end.since(now) };
        let left = site.map_or(left, |site| site.rounded(now, left));
        pools.stays_until(now, now.saturating_add(left), &self.split)
    }
}
