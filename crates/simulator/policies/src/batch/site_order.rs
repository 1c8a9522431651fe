//! Tracking of the queue order at a site with priorities.

use super::job::BatchJob;
use super::queue::{Queue, Waiting};
use crate::site::PrioritySystem;
use dfrsim_model::SimTime;

/// State of the queue order.
#[derive(Debug, Default)]
pub(super) struct SiteOrder {
    /// Version of the priorities by which the queue is sorted; `None` if jobs have since been
    /// appended out of order.
    sorted_by: Option<(SimTime, u64)>,
    /// True if jobs have been inserted before the end since the last sort.
    has_insertions: bool,
}

impl SiteOrder {
    /// Inserts a job: at its position if the queue is sorted by the current priorities, otherwise at
    /// the end.
    pub(super) fn insert(&mut self, queue: &mut Queue, site: &PrioritySystem, job: BatchJob, need: usize) {
        let waiting = Waiting { priority: site.priority(job.job), ..Waiting::new(job, need) };
        if self.sorted_by == Some(site.priority_version()) && queue.is_by_arrival() {
            self.has_insertions |= queue.insert_by_priority(waiting);
        } else {
            queue.jobs.push_back(waiting);
            self.sorted_by = None;
        }
    }

    /// Sorts the queue by the current priorities; returns whether its order has changed.
    pub(super) fn sort(&mut self, queue: &mut Queue, site: &PrioritySystem, now: SimTime) -> bool {
        let has_come_between = std::mem::take(&mut self.has_insertions);
        let ranking = Some(site.priority_version());
        if std::mem::replace(&mut self.sorted_by, ranking) == ranking && !queue.depends_on_time() {
            return has_come_between;
        }
        queue.jobs.iter_mut().for_each(|job| job.priority = site.priority(job.job.job));
        queue.sort(now) || has_come_between
    }
}
