//! How far the queue is in the order of a site's priorities.

use super::job::BatchJob;
use super::queue::{Queue, Waiting};
use crate::site::Site;
use dfrsim_model::SimTime;

/// What is known of the order of the queue, at first of no jobs.
#[derive(Debug, Default)]
pub(super) struct SiteOrder {
    /// Of which priorities it is.
    ranking: (SimTime, u64),
    standing: Standing,
    /// Whether jobs joined before its end since it was asked for.
    has_come_between: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// No other priorities change it, and those who join its end are in their places.
    #[default]
    Settled,
    /// It is that of the ranking.
    Ordered,
    /// Jobs joined its end, which may not be their place.
    Joined,
}

impl SiteOrder {
    /// Whether time alone does not change it.
    pub(super) fn is_settled(&self) -> bool {
        self.standing == Standing::Settled
    }

    /// A job joins the queue: its place if the order is that of now, and otherwise the end.
    pub(super) fn join(&mut self, queue: &mut Queue, site: &Site, job: BatchJob, need: usize) {
        let is_behind = queue.jobs.back().is_none_or(|last| {
            last.job.sequence < job.sequence && site.always_precedes(last.job.job, job.job)
        });
        if self.is_settled() && !(is_behind && queue.is_by_arrival()) {
            self.standing = Standing::Ordered;
        }
        let waiting = Waiting { priority: site.priority(job.job), ..Waiting::new(job, need) };
        let is_of_now = match self.standing {
            Standing::Settled => true,
            Standing::Ordered => site.counts_usage(),
            Standing::Joined => false,
        };
        if is_of_now && self.ranking == site.ranking() && queue.is_by_arrival() {
            self.has_come_between |= queue.insert_by_priority(waiting);
        } else {
            queue.jobs.push_back(waiting);
            if !self.is_settled() {
                self.standing = Standing::Joined;
            }
        }
    }

    /// Brings the queue into the order of now; returns whether it was another one.
    pub(super) fn order(&mut self, queue: &mut Queue, site: &Site, now: SimTime) -> bool {
        let is_same = self.ranking == site.ranking() && !queue.depends_on_time();
        let has_come_between = std::mem::take(&mut self.has_come_between);
        if self.is_settled() || is_same && self.standing == Standing::Ordered {
            return has_come_between;
        }
        self.ranking = site.ranking();
        queue.jobs.iter_mut().for_each(|job| job.priority = site.priority(job.job.job));
        let has_changed = queue.sort(now) || has_come_between;
        let mut pairs = queue.jobs.iter().zip(queue.jobs.iter().skip(1));
        let is_settled =
            queue.is_by_arrival() && pairs.all(|(a, b)| site.always_precedes(a.job.job, b.job.job));
        self.standing = if is_settled { Standing::Settled } else { Standing::Ordered };
        has_changed
    }
}
