//! Who comes first when not all can run (dissertation, section 5.2.3).

use super::FractionalOptions;
use dfrsim_cluster::{JobHandle, JobView, View};
use dfrsim_model::{Yield, named};
use std::cmp::Ordering;

named! {
    /// How the priority of a job is computed; it is infinite at virtual time 0, and ties go to the earlier submission.
    #[derive(Default)]
    pub enum PriorityRule as "priority" {
        /// Flow time / (virtual time)^2, so that paused jobs rise again.
        #[default]
        FlowOverVirtualSquared = "flow-over-virtual-squared",
        /// Flow time / virtual time, that is the stretch so far; the text says that it leads to significantly poorer results.
        FlowOverVirtual = "flow-over-virtual",
        /// 1 / virtual time.
        InverseVirtual = "inverse-virtual",
    }
}

impl PriorityRule {
    /// The priority; by a coarse clock (flow time) / (virtual time)^2 counts by its inverse in whole milliseconds.
    fn of(self, job: JobView<'_>, is_coarse: bool) -> f64 {
        if is_coarse && self == PriorityRule::FlowOverVirtualSquared {
            let flow = u128::from(job.flow_time().micros() / 1_000).max(1);
            let done = (job.virtual_time().units() >> Yield::BITS) / 1_000;
            return -((done * done / flow) as f64);
        }
        let virtual_time = job.virtual_time();
        if virtual_time.is_zero() {
            return f64::INFINITY;
        }
        let virtual_time = virtual_time.as_secs_f64();
        match self {
            PriorityRule::FlowOverVirtualSquared => {
                job.flow_time().as_secs_f64() / (virtual_time * virtual_time)
            }
            PriorityRule::FlowOverVirtual => job.flow_time().as_secs_f64() / virtual_time,
            PriorityRule::InverseVirtual => 1.0 / virtual_time,
        }
    }
}

/// Jobs by decreasing priority.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    ranked: Vec<Ranked>,
}

#[derive(Clone, Copy, Debug)]
struct Ranked {
    priority: f64,
    /// Its place among the jobs that were given.
    place: u32,
    job: JobHandle,
}

impl Ranked {
    fn before(&self, other: &Ranked) -> Ordering {
        let by_priority = other.priority.partial_cmp(&self.priority).unwrap_or(Ordering::Equal);
        by_priority.then(self.place.cmp(&other.place))
    }
}

impl Ranking {
    /// Ranks these jobs, which come by order of submission.
    pub(super) fn rank(
        &mut self,
        options: &FractionalOptions,
        view: View<'_>,
        jobs: impl Iterator<Item = JobHandle>,
    ) {
        self.collect(options, view, jobs);
        self.ranked.sort_unstable_by(Ranked::before);
    }

    /// Ranks all jobs in the system from the highest priority on until there are enough: at least up to the first that makes
    /// the sum, from 0, enough.
    pub(super) fn rank_until(
        &mut self,
        options: &FractionalOptions,
        view: View<'_>,
        mut is_enough: impl FnMut(JobHandle, &mut u64) -> bool,
    ) {
        self.collect(options, view, view.jobs().iter().copied());
        let (mut sorted, mut sum) = (0, 0);
        while sorted < self.ranked.len() {
            let rest = &mut self.ranked[sorted..];
            let next = rest.len().min(sorted.max(256));
            if next < rest.len() {
                rest.select_nth_unstable_by(next, Ranked::before);
            }
            rest[..next].sort_unstable_by(Ranked::before);
            sorted += next;
            if rest[..next].iter().any(|ranked| is_enough(ranked.job, &mut sum)) {
                break;
            }
        }
        self.ranked.truncate(sorted);
    }

    fn collect(
        &mut self,
        options: &FractionalOptions,
        view: View<'_>,
        jobs: impl Iterator<Item = JobHandle>,
    ) {
        let (rule, is_coarse) = (options.priority, options.readings.clock.is_some());
        self.ranked.clear();
        let ranked = |(place, job): (u32, JobHandle)| Ranked {
            priority: rule.of(view.job(job), is_coarse),
            place,
            job,
        };
        self.ranked.extend((0..).zip(jobs).map(ranked));
    }

    pub(super) fn highest_first(&self) -> impl DoubleEndedIterator<Item = JobHandle> + '_ {
        self.ranked.iter().map(|ranked| ranked.job)
    }
}
