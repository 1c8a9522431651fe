//! Running jobs and the times at which they are expected to release their nodes.

use super::allocation::{Allocation, Occupancy};
use super::pools::Pools;
use super::timeline::Timeline;
use crate::site::PrioritySystem;
use dfrsim_cluster::JobHandle;
use dfrsim_model::{SimSpan, SimTime};

/// Assumed remaining time of a job that has exceeded its estimate, in each scheduling cycle: one
/// second.
pub(super) const OVERRUN_EXTENSION: SimSpan = SimSpan::from_secs(1);

/// Job that occupies nodes, as the scheduler tracks it.
#[derive(Clone, Debug)]
pub(super) struct RunningJob {
    /// End by the estimate.
    pub(super) end: SimTime,
    /// Index in the order of submission.
    pub(super) sequence: u64,
    pub(super) job: JobHandle,
    pub(super) size: u32,
    pub(super) request: usize,
    pub(super) allocation: Allocation,
    /// Start, and the planned release of its nodes; where there is a timeline, the time until which
    /// it has the nodes reserved.
    pub(super) start: SimTime,
    pub(super) reserved_until: SimTime,
}

/// Sort key: estimated end, then index in the order of submission.
type EndKey = (SimTime, u64);

/// Running jobs, ordered by estimated end, then submission.
#[derive(Debug, Default)]
pub(super) struct RunningJobs {
    by_end: Vec<(EndKey, JobHandle)>,
    /// Runs by handle. Stored apart from the order so that insertions into its middle move little
    /// memory.
    runs: Vec<Option<RunningJob>>,
}

impl RunningJobs {
    fn index_of(&self, end: EndKey) -> usize {
        self.by_end.partition_point(|(other, _)| *other < end)
    }

    pub(super) fn insert(&mut self, run: RunningJob) {
        let handle = run.job.index();
        if self.runs.len() <= handle {
            self.runs.resize_with(handle + 1, || None);
        }
        let place = self.index_of(run.key());
        self.by_end.insert(place, (run.key(), run.job));
        self.runs[handle] = Some(run);
    }

    /// Returns a job that must be running.
    pub(super) fn get(&self, job: JobHandle) -> &RunningJob {
        self.runs[job.index()].as_ref().expect("it runs")
    }

    #[inline]
    pub(super) fn remove(&mut self, job: JobHandle) -> Option<RunningJob> {
        let run = self.runs.get_mut(job.index())?.take()?;
        let place = self.index_of(run.key());
        self.by_end.remove(place);
        Some(run)
    }

    /// Iterates over the running jobs in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RunningJob> {
        self.by_end.iter().map(|(_, job)| self.get(*job))
    }

    /// Calls `change` for the first `count` jobs. It must not change their sort keys.
    pub(super) fn for_first(&mut self, count: usize, mut change: impl FnMut(&mut RunningJob)) {
        for (_, job) in &self.by_end[..count] {
            change(self.runs[job.index()].as_mut().expect("it runs"));
        }
    }

    /// Calls `change` for all jobs. It must not change their sort keys.
    pub(super) fn for_each(&mut self, change: impl FnMut(&mut RunningJob)) {
        self.for_first(self.by_end.len(), change);
    }

    /// Builds the timeline of the running jobs from `now` on.
    pub(super) fn timeline(&self, pools: &Pools, now: SimTime) -> Timeline {
        let mut timeline = Timeline::new(pools, now);
        self.iter().for_each(|run| timeline.allocate(pools, run.occupancy(now)));
        timeline
    }

    /// Returns the earliest estimated end.
    pub(super) fn first_end(&self) -> Option<SimTime> {
        self.by_end.first().map(|((end, _), _)| *end)
    }

    /// Counts the jobs that have exceeded their estimates.
    pub(super) fn count_overruns(&self, now: SimTime) -> usize {
        self.by_end.iter().take_while(|((end, _), _)| *end <= now).count()
    }

    /// Returns the running jobs with their expected release times, in this order. Only valid if ends
    /// are not rounded and no window comes before an end.
    pub(super) fn releases(&self, now: SimTime) -> impl Iterator<Item = (SimTime, &RunningJob)> {
        let later = now + OVERRUN_EXTENSION;
        // Jobs that have exceeded their estimates come after those that end within the assumed
        // remaining second.
        let (overdue, timely) = self.by_end.split_at(self.count_overruns(now));
        let soon = timely.iter().take_while(|((end, _), _)| *end < later).count();
        let (soon, late) = timely.split_at(soon);
        let timely = |((end, _), job): &(EndKey, JobHandle)| (*end, self.get(*job));
        soon.iter()
            .map(timely)
            .chain(overdue.iter().map(move |(_, job)| (later, self.get(*job))))
            .chain(late.iter().map(timely))
    }
}

impl RunningJob {
    /// Returns the occupancy of the job's allocation, from `start` on.
    pub(super) fn occupancy(&self, start: SimTime) -> Occupancy<'_> {
        let RunningJob { request: need, allocation: ref split, size: width, reserved_until: end, .. } = *self;
        Occupancy { request: need, allocation: split, size: width, start, end }
    }

    fn key(&self) -> EndKey {
        (self.end, self.sequence)
    }

    /// Computes the expected release of the nodes: the planned one if the job starts now; otherwise
    /// the end of its estimate, or one second from now if that has passed, rounded by the settings
    /// of the site; at the latest the start of a window.
    pub(super) fn expected_release(
        &self,
        now: SimTime,
        pools: &Pools,
        site: Option<&PrioritySystem>,
    ) -> SimTime {
        if self.start == now {
            return self.reserved_until;
        }
        let left = self.expected_end(now).since(now);
        let left = site.map_or(left, |site| site.round_to_resolution(now, left));
        pools.occupied_until(now, now.saturating_add(left), &self.allocation)
    }

    /// Returns the end of the job's estimate, or one second from now if that has passed.
    fn expected_end(&self, now: SimTime) -> SimTime {
        if self.end <= now { now.saturating_add(OVERRUN_EXTENSION) } else { self.end }
    }

    /// Returns the expected release of the nodes, irrespective of what is planned.
    pub(super) fn exact_release(&self, now: SimTime, pools: &Pools) -> SimTime {
        pools.occupied_until(now, self.expected_end(now), &self.allocation)
    }
}
