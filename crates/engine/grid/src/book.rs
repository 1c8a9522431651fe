//! The meta-scheduler's knowledge of a cluster between two publications of its state.

use crate::demand::Demand;
use dfrsim_model::SimTime;
use dfrsim_policies::batch::{BatchPolicy, Discipline, Expected, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// The plan of a cluster as it was published last, in which the meta-scheduler enters what it has done itself since: jobs that it
/// submits take the places that it finds for them, jobs that it cancels give theirs back. Early ends, jobs that moved up and jobs
/// that others submitted are not in it.
pub(crate) struct Book {
    /// Whether the cluster serves its queue in turn: new jobs start behind all that wait.
    in_turn: bool,
    profile: Profile,
    /// The jobs that waited when the plan was published, and those that were submitted since.
    places: BTreeMap<usize, Place>,
    /// Their starts.
    starts: BTreeSet<(SimTime, usize)>,
}

#[derive(Clone, Copy)]
struct Place {
    start: SimTime,
    end: SimTime,
    width: u32,
}

impl Book {
    /// No job is on the cluster.
    pub(crate) fn new(local: BatchPolicy, cores: u32) -> Book {
        Book {
            in_turn: local.discipline == Discipline::Fcfs,
            profile: Profile::new(cores),
            places: BTreeMap::new(),
            starts: BTreeSet::new(),
        }
    }

    /// Begins again with the jobs that run now, each with its latest end and its width.
    pub(crate) fn clear(&mut self, now: SimTime, running: impl Iterator<Item = (SimTime, u32)>) {
        self.profile.clear(now);
        self.places.clear();
        self.starts.clear();
        for (end, width) in running {
            self.profile.reserve(now, end, width);
        }
    }
    /// The job has this start, which is possible.
    pub(crate) fn enter(&mut self, job: usize, start: SimTime, Demand { width, walltime, .. }: Demand) {
        let end = start.saturating_add(walltime);
        self.profile.reserve(start, end, width);
        self.places.insert(job, Place { start, end, width });
        self.starts.insert((start, job));
    }
    /// The job does not start here any more; one that is not in the book may leave too.
    pub(crate) fn strike(&mut self, now: SimTime, job: usize) {
        if let Some(Place { start, end, width }) = self.places.remove(&job) {
            self.starts.remove(&(start, job));
            self.profile.advance(now);
            self.profile.release(start.max(now), end, width);
        }
    }

    /// When a job would start if it were submitted now.
    pub(crate) fn start_if_submitted(&mut self, now: SimTime, demand: Demand) -> SimTime {
        self.profile.advance(now);
        let last = self.starts.last().filter(|_| self.in_turn);
        let from = last.map_or(now, |&(last, _)| last.max(now));
        self.profile.earliest(from, demand.width, demand.walltime)
    }
    /// When a job that waits is expected to run: from now on, if it should have started by now; `None` if it is not in the book.
    pub(crate) fn of(&self, now: SimTime, job: usize) -> Option<Expected> {
        self.places.get(&job).map(|&Place { start, end, .. }| {
            let begin = start.max(now);
            Expected { start: begin, end: begin.saturating_add(end.since(start)) }
        })
    }
    /// How many jobs wait.
    pub(crate) fn waiting(&self, now: SimTime) -> usize {
        self.places.values().filter(|place| place.start > now).count()
    }
    /// The work that is left, in core microseconds.
    pub(crate) fn work_left(&mut self, now: SimTime) -> u128 {
        self.profile.advance(now);
        self.profile.reserved()
    }
}
