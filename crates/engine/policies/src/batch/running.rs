//! The running jobs, and when they are expected to leave their nodes.

use super::pools::Pools;
use super::split::{Split, Stay};
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

/// The running jobs by the ends of their estimates, then by submission.
#[derive(Debug, Default)]
pub(super) struct Running {
    pub(super) by_end: Vec<Run>,
    /// By handle: the end and the place in the order of submission.
    keys: Vec<(SimTime, u64)>,
}

impl Running {
    fn place(&self, key: (SimTime, u64)) -> usize {
        self.by_end.partition_point(|run| (run.end, run.sequence) < key)
    }

    pub(super) fn insert(&mut self, run: Run) {
        let (key, handle) = ((run.end, run.sequence), run.job.index());
        if self.keys.len() <= handle {
            self.keys.resize(handle + 1, (SimTime::ZERO, 0));
        }
        self.keys[handle] = key;
        let place = self.place(key);
        self.by_end.insert(place, run);
    }

    /// A job that runs.
    pub(super) fn get(&self, job: JobHandle) -> &Run {
        &self.by_end[self.place(self.keys[job.index()])]
    }

    #[inline]
    pub(super) fn remove(&mut self, job: JobHandle) -> Option<Run> {
        let place = self.place(*self.keys.get(job.index())?);
        self.by_end.get(place).filter(|run| run.job == job)?;
        Some(self.by_end.remove(place))
    }

    /// How many jobs are past their estimates.
    pub(super) fn overdue(&self, now: SimTime) -> usize {
        self.by_end.iter().take_while(|run| run.end <= now).count()
    }

    /// The jobs in the order in which they are expected to leave their nodes, with these moments, if ends are not rounded and no window comes
    /// before.
    pub(super) fn releases(&self, now: SimTime) -> impl Iterator<Item = (SimTime, &Run)> {
        let later = now + OVERRUN;
        // Those past their estimates are expected to leave after those that end within that second.
        let (overdue, timely) = self.by_end.split_at(self.overdue(now));
        let (soon, late) = timely.split_at(timely.iter().take_while(|run| run.end < later).count());
        let timely = |run| (Run::end_of(run), run);
        soon.iter()
            .map(timely)
            .chain(overdue.iter().map(move |run| (later, run)))
            .chain(late.iter().map(timely))
    }
}

impl Run {
    /// What it has of the timeline, from a moment on.
    pub(super) fn stay(&self, start: SimTime) -> Stay<'_> {
        let Run { need, ref split, width, reserved_to: end, .. } = *self;
        Stay { need, split, width, start, end }
    }

    fn end_of(run: &Run) -> SimTime {
        run.end
    }

    /// When it is expected to leave its nodes: as it was planned if it starts now, otherwise at the end of its estimate or shortly, rounded, or at the begin of a window.
    pub(super) fn release(
        &self,
        now: SimTime,
        pools: &Pools,
        rounded: impl Fn(SimSpan) -> SimSpan,
    ) -> SimTime {
        if self.since == now {
            return self.reserved_to;
        }
        let left = if self.end <= now { OVERRUN } else { self.end.since(now) };
        pools.stays_until(now, now.saturating_add(rounded(left)), &self.split)
    }
}
