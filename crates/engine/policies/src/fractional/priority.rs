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
    ranked: Vec<(f64, JobHandle)>,
}

impl Ranking {
    /// Ranks these jobs, which come by order of submission.
    pub(super) fn rank(
        &mut self,
        options: &FractionalOptions,
        view: View<'_>,
        jobs: impl Iterator<Item = JobHandle>,
    ) {
        let (rule, is_coarse) = (options.priority, options.readings.clock.is_some());
        self.ranked.clear();
        self.ranked.extend(jobs.map(|job| (rule.of(view.job(job), is_coarse), job)));
        // Stable: equal priorities keep the order of submission.
        self.ranked.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
    }

    pub(super) fn highest_first(&self) -> impl DoubleEndedIterator<Item = JobHandle> + '_ {
        self.ranked.iter().map(|&(_, job)| job)
    }
}
