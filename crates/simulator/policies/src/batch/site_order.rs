//! How far the queue is in the order of a site's priorities.

use super::job::BatchJob;
use super::queue::{Queue, Waiting};
use crate::site::Site;
use dfrsim_model::SimTime;

/// What is known of the order of the queue.
#[derive(Debug, Default)]
pub(super) struct SiteOrder {
    /// Of which priorities it is; `None` if jobs joined its end, which may not be their place.
    ranking: Option<(SimTime, u64)>,
    /// Whether jobs joined before its end since it was asked for.
    has_come_between: bool,
}

impl SiteOrder {
    /// A job joins the queue: its place if the order is that of now, and otherwise the end.
    pub(super) fn join(&mut self, queue: &mut Queue, site: &Site, job: BatchJob, need: usize) {
        let waiting = Waiting { priority: site.priority(job.job), ..Waiting::new(job, need) };
        if self.ranking == Some(site.ranking()) && queue.is_by_arrival() {
            self.has_come_between |= queue.insert_by_priority(waiting);
        } else {
            queue.jobs.push_back(waiting);
            self.ranking = None;
        }
    }

    /// Brings the queue into the order of now; returns whether it was another one.
    pub(super) fn order(&mut self, queue: &mut Queue, site: &Site, now: SimTime) -> bool {
        let has_come_between = std::mem::take(&mut self.has_come_between);
        let ranking = Some(site.ranking());
        if std::mem::replace(&mut self.ranking, ranking) == ranking && !queue.depends_on_time() {
            return has_come_between;
        }
        queue.jobs.iter_mut().for_each(|job| job.priority = site.priority(job.job.job));
        queue.sort(now) || has_come_between
    }
}
