//! What a scheduler above several clusters knows of one whose state is published now and then.

use super::forecast::{Asked, Expected, LocalScheduler};
use super::job::BatchJob;
use super::policy::Discipline;
use super::pools::Pools;
use super::queue::Waiting;
use super::running::Run;
use super::split::{Split, Stay};
use super::timeline::Timeline;
use dfrsim_cluster::{JobHandle, View};
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
    places: BTreeMap<JobId, PublishedJob>,
    /// When those start of which that can be said.
    starts: BTreeSet<(SimTime, JobId)>,
}

#[derive(Debug)]
struct PublishedJob {
    need: usize,
    split: Split,
    width: u32,
    /// Its estimate on nodes of full speed.
    estimate: SimSpan,
    /// [`SimTime::MAX`] if it cannot be said.
    start: SimTime,
    end: SimTime,
}

impl PublishedJob {
    /// What it takes from a moment on.
    fn stay(&self, from: SimTime) -> Stay<'_> {
        let PublishedJob { need, ref split, width, start, end, .. } = *self;
        Stay { need, split, width, start: start.max(from), end }
    }
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
        let estimate = |job| view.job(job).estimate().unwrap_or(SimSpan::MAX);
        for (end, run) in scheduler.releases(now) {
            let Run { job, need, ref split, width, since: start, .. } = *run;
            let place =
                PublishedJob { need, split: split.clone(), width, estimate: estimate(job), start, end };
            published.take(now, view.job(job).id(), place);
        }
        for waiting in self.waiting() {
            let Waiting { job: BatchJob { job, width, .. }, need, ref split, start, end, .. } = *waiting;
            let place =
                PublishedJob { need, split: split.clone(), width, estimate: estimate(job), start, end };
            published.take(now, view.job(job).id(), place);
        }
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
        let now = view.now();
        published.timeline.advance(now);
        match asked {
            Asked::Plain(width, estimate) => {
                let job = JobHandle::new(u32::MAX);
                Waiting::new(BatchJob { job, sequence: u64::MAX, submit: now, width, estimate }, 0)
            }
            Asked::Seen(job) => {
                let need = published.pools.need_of(view, job);
                self.scheduler.as_planned(now, &Waiting::new(BatchJob::new(view, job), need))
            }
        }
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
        self.places.get(&job).map(|&PublishedJob { start, end, .. }| {
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
        let places = self.places.values().filter(|place| place.end > now && place.estimate < SimSpan::MAX);
        let left = |place: &PublishedJob| {
            let ran = now.saturating_since(place.start).micros();
            i128::from(place.width) * (i128::from(place.estimate.micros()) - i128::from(ran))
        };
        // Who runs on slower nodes may have had the time of the estimate.
        u128::try_from(places.map(left).sum::<i128>()).unwrap_or(0)
    }

    fn find(&self, from: SimTime, new: &Waiting) -> PublishedJob {
        let last = self.starts.last().filter(|_| self.in_turn);
        let from = last.map_or(from, |&(last, _)| last.max(from));
        let (need, width, estimate) = (new.need, new.job.width, new.job.estimate);
        match self.timeline.earliest(&self.pools, from, new, SimTime::MAX) {
            Some((start, (split, end))) => PublishedJob { need, split, width, estimate, start, end },
            None => {
                let (split, start, end) = (Split::default(), SimTime::MAX, SimTime::MAX);
                PublishedJob { need, split, width, estimate, start, end }
            }
        }
    }

    fn take(&mut self, now: SimTime, job: JobId, place: PublishedJob) {
        if place.start < SimTime::MAX {
            self.timeline.take(&self.pools, place.stay(now));
            self.starts.insert((place.start, job));
        }
        self.places.insert(job, place);
    }
}
