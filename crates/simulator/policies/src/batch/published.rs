//! What a scheduler above several clusters knows of one whose state is published now and then.

use super::forecast::{Asked, Expected, LocalScheduler};
use super::job::BatchJob;
use super::pools::Pools;
use super::queue::Waiting;
use super::timeline::Timeline;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::batch::Discipline;
use dfrsim_model::{JobId, SimSpan, SimTime};
use std::collections::{BTreeMap, BTreeSet};

/// The plan of a [`LocalScheduler`] as it was at a moment, on the nodes that were up then and with the windows that were known.
///
/// Who keeps it enters what was done since: jobs that are submitted take the places that are found for them, jobs that are cancelled give
/// theirs back. Early ends, jobs that moved up and jobs that others submitted are not in it.
#[derive(Debug)]
pub struct PublishedPlan {
    /// Whether the cluster serves its queue in turn: new jobs start behind all that wait.
    in_turn: bool,
    pools: Pools,
    timeline: Timeline,
    /// The jobs that ran or waited, and those that were submitted since.
    places: BTreeMap<JobId, Waiting>,
    /// When those start of which that can be said.
    starts: BTreeSet<(SimTime, JobId)>,
}

impl LocalScheduler {
    /// Returns its plan of now.
    pub fn publish(&mut self, view: View<'_>) -> PublishedPlan {
        let now = view.now();
        self.refresh(now);
        let scheduler = &self.scheduler;
        let mut published = PublishedPlan {
            in_turn: scheduler.policy.discipline == Discipline::Fcfs,
            pools: scheduler.pools.clone(),
            timeline: Timeline::new(&scheduler.pools, now),
            places: BTreeMap::new(),
            starts: BTreeSet::new(),
        };
        let mut take = |place: Waiting| {
            let seen = view.job(place.job.job);
            let estimate = seen.estimate().unwrap_or(SimSpan::MAX);
            published.take(now, seen.id(), Waiting { job: BatchJob { estimate, ..place.job }, ..place });
        };
        for (end, run) in scheduler.releases(now) {
            let (start, split) = (run.since, run.split.clone());
            take(Waiting { start, end, split, ..Waiting::new(BatchJob::new(view, run.job), run.need) });
        }
        self.waiting().cloned().for_each(take);
        published
    }

    /// Returns when a job would run by a published plan if it were submitted now.
    pub fn expect_by(&self, published: &mut PublishedPlan, view: View<'_>, asked: Asked) -> Expected {
        let new = self.new_in(published, view, asked);
        let place = published.find(view.now(), &new);
        Expected { start: place.start, end: place.end }
    }

    /// Returns by a published plan what [`LocalScheduler::first_core`] returns by the present one.
    pub fn first_core_by(&self, published: &mut PublishedPlan, view: View<'_>, asked: Asked) -> SimTime {
        let mut new = self.new_in(published, view, asked);
        if published.in_turn {
            new.job.width = 1;
        }
        published.find(view.now(), &new).start
    }

    /// Enters a job that was submitted now, in the place that is found for it.
    pub fn enter_in(&self, published: &mut PublishedPlan, view: View<'_>, job: JobHandle) {
        let new = self.new_in(published, view, Asked::Seen(job));
        let place = published.find(view.now(), &new);
        published.take(view.now(), view.job(job).id(), place);
    }

    fn new_in(&self, published: &mut PublishedPlan, view: View<'_>, asked: Asked) -> Waiting {
        published.timeline.advance(view.now());
        self.scheduler.as_planned(view.now(), &asked.waiting(&mut published.pools, view))
    }
}

impl PublishedPlan {
    /// Takes all jobs out, at a moment.
    pub fn clear(&mut self, now: SimTime) {
        self.timeline = Timeline::new(&self.pools, now);
        self.places.clear();
        self.starts.clear();
    }

    /// Strikes a job, which is not on the cluster any more; it need not be in the plan.
    pub fn strike(&mut self, now: SimTime, job: JobId) {
        let Some(place) = self.places.remove(&job) else { return };
        self.starts.remove(&(place.start, job));
        self.timeline.advance(now);
        if place.start < SimTime::MAX {
            self.timeline.give_back(&self.pools, place.stay(now));
        }
    }

    /// Returns when a job that waits is expected to run: from now on, if it should have started by now; `None` if it is not in the plan.
    pub fn of(&self, now: SimTime, job: JobId) -> Option<Expected> {
        self.places.get(&job).map(|&Waiting { start, end, .. }| {
            let begin = start.max(now);
            Expected { start: begin, end: begin.saturating_add(end.since(start)) }
        })
    }

    /// Returns how many jobs wait by the plan.
    pub fn waiting(&self, now: SimTime) -> usize {
        self.places.values().filter(|place| place.start > now).count()
    }

    /// Returns the work that is left by the plan, in tasks * microseconds on nodes of full speed; jobs without an estimate do not count.
    pub fn work_left(&self, now: SimTime) -> u128 {
        let places =
            self.places.values().filter(|place| place.end > now && place.job.estimate < SimSpan::MAX);
        let left = |place: &Waiting| {
            let ran = now.saturating_since(place.start).micros();
            i128::from(place.job.width) * (i128::from(place.job.estimate.micros()) - i128::from(ran))
        };
        // Who runs on slower nodes may have had the time of the estimate.
        u128::try_from(places.map(left).sum::<i128>()).unwrap_or(0)
    }

    fn find(&self, from: SimTime, new: &Waiting) -> Waiting {
        let last = self.starts.last().filter(|_| self.in_turn);
        let from = last.map_or(from, |&(last, _)| last.max(from));
        let mut place = new.clone();
        if let Some(found) = self.timeline.earliest(&self.pools, from, new, SimTime::MAX) {
            place.promise(found);
        }
        place
    }

    fn take(&mut self, now: SimTime, job: JobId, place: Waiting) {
        if place.start < SimTime::MAX {
            self.timeline.take(&self.pools, place.stay(now));
            self.starts.insert((place.start, job));
        }
        self.places.insert(job, place);
    }
}
