//! Stale (periodically published) cluster state, as known to a scheduler above several clusters.

use super::forecast::{LocalScheduler, Prediction, Query};
use super::job::BatchJob;
use super::pools::Pools;
use super::queue::Waiting;
use super::timeline::Timeline;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::batch::Backfilling;
use dfrsim_model::{JobId, SimSpan, SimTime};
use std::collections::{BTreeMap, BTreeSet};

/// The plan of a [`LocalScheduler`] when it was published, for the nodes that were up and the
/// windows that were known at that time.
///
/// The owner keeps it up to date with its own actions: it adds the jobs that it submits, in the
/// earliest slot of the plan, and removes the jobs that it cancels. Early terminations, compression
/// and the submissions of others are not included.
#[derive(Debug)]
pub struct PublishedPlan {
    /// True if the cluster starts jobs in queue order (FCFS): new jobs start behind all waiting
    /// ones.
    is_in_queue_order: bool,
    pools: Pools,
    timeline: Timeline,
    /// Jobs that ran or waited at publication, and those submitted since.
    jobs: BTreeMap<JobId, Waiting>,
    /// Starts of the jobs for which there is a prediction, in ascending order.
    starts: BTreeSet<(SimTime, JobId)>,
}

impl LocalScheduler {
    /// Returns a copy of the current plan.
    pub fn publish(&mut self, view: View<'_>) -> PublishedPlan {
        let now = view.now();
        self.refresh(now);
        let state = &self.scheduler.state;
        let mut published = PublishedPlan {
            is_in_queue_order: state.policy.backfilling == Backfilling::Fcfs,
            pools: state.pools.clone(),
            timeline: Timeline::new(&state.pools, now),
            jobs: BTreeMap::new(),
            starts: BTreeSet::new(),
        };
        let mut take = |place: Waiting| {
            let seen = view.job(place.job.job);
            let estimate = seen.estimate().unwrap_or(SimSpan::MAX);
            published.insert(now, seen.id(), Waiting { job: BatchJob { estimate, ..place.job }, ..place });
        };
        for (end, run) in state.releases(now) {
            let (start, split) = (run.start, run.allocation.clone());
            take(Waiting {
                start,
                end,
                allocation: split,
                ..Waiting::new(BatchJob::new(view, run.job), run.request)
            });
        }
        self.waiting().cloned().for_each(take);
        published
    }

    /// Computes the prediction for a job from a published plan, if it were submitted now.
    pub fn predict_by(&self, published: &mut PublishedPlan, view: View<'_>, asked: Query) -> Prediction {
        let new = self.as_submitted_in(published, view, asked);
        let place = published.find(view.now(), &new);
        Prediction { start: place.start, end: place.end }
    }

    /// Predicts, from a published plan, what [`LocalScheduler::predict_first_core`] predicts from
    /// the current plan.
    pub fn predict_first_core_by(
        &self,
        published: &mut PublishedPlan,
        view: View<'_>,
        asked: Query,
    ) -> SimTime {
        let mut new = self.as_submitted_in(published, view, asked);
        if published.is_in_queue_order {
            new.job.size = 1;
        }
        published.find(view.now(), &new).start
    }

    /// Adds a job that was submitted now to a published plan, in its earliest slot.
    pub fn add_submitted(&self, published: &mut PublishedPlan, view: View<'_>, job: JobHandle) {
        let new = self.as_submitted_in(published, view, Query::Seen(job));
        let place = published.find(view.now(), &new);
        published.insert(view.now(), view.job(job).id(), place);
    }

    fn as_submitted_in(&self, published: &mut PublishedPlan, view: View<'_>, asked: Query) -> Waiting {
        published.timeline.advance(view.now());
        self.scheduler.state.as_planned(view.now(), &asked.waiting(&mut published.pools, view))
    }
}

impl PublishedPlan {
    /// Removes all jobs, and lets the plan begin at `now`.
    pub fn clear(&mut self, now: SimTime) {
        self.timeline = Timeline::new(&self.pools, now);
        self.jobs.clear();
        self.starts.clear();
    }

    /// Removes a job that is no longer on the cluster; does nothing if it is not in the plan.
    pub fn remove(&mut self, now: SimTime, job: JobId) {
        let Some(place) = self.jobs.remove(&job) else { return };
        self.starts.remove(&(place.start, job));
        self.timeline.advance(now);
        if place.start < SimTime::MAX {
            self.timeline.release(&self.pools, place.occupancy(now));
        }
    }

    /// Returns the prediction of a job, which starts now if its planned start has passed; `None` if
    /// the job is not in the plan.
    pub fn prediction(&self, now: SimTime, job: JobId) -> Option<Prediction> {
        self.jobs.get(&job).map(|&Waiting { start, end, .. }| {
            let begin = start.max(now);
            Prediction { start: begin, end: begin.saturating_add(end.since(start)) }
        })
    }

    /// Counts the jobs that wait according to the plan.
    pub fn waiting(&self, now: SimTime) -> usize {
        self.jobs.values().filter(|place| place.start > now).count()
    }

    /// Returns the remaining work according to the plan, in tasks * microseconds on nodes of full
    /// speed; jobs without an estimate are excluded.
    pub fn remaining_work(&self, now: SimTime) -> u128 {
        let places = self.jobs.values().filter(|place| place.end > now && place.job.estimate < SimSpan::MAX);
        let left = |place: &Waiting| {
            let ran = now.saturating_since(place.start).micros();
            i128::from(place.job.size) * (i128::from(place.job.estimate.micros()) - i128::from(ran))
        };
        // The difference can be negative: a job on slower nodes may have run for longer than its
        // estimate.
        u128::try_from(places.map(left).sum::<i128>()).unwrap_or(0)
    }

    fn find(&self, from: SimTime, new: &Waiting) -> Waiting {
        let last = self.starts.last().filter(|_| self.is_in_queue_order);
        let from = last.map_or(from, |&(last, _)| last.max(from));
        let mut place = new.clone();
        if let Some(found) = self.timeline.earliest(&self.pools, from, new, SimTime::MAX) {
            place.set_reservation(found);
        }
        place
    }

    fn insert(&mut self, now: SimTime, job: JobId, place: Waiting) {
        if place.start < SimTime::MAX {
            self.timeline.allocate(&self.pools, place.occupancy(now));
            self.starts.insert((place.start, job));
        }
        self.jobs.insert(job, place);
    }
}
