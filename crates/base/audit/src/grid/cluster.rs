//! One cluster.

use super::book::Book;
use super::local::{Local, Situation, Waiting};
use super::reservations::Reservations;
use super::running::Running;
use crate::profile::Profile;
use dfrsim_model::grid_event;
use std::collections::BTreeMap;

/// A cluster as the records describe it.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Its policy, if its rules are known.
    pub(super) policy: Option<Local>,
    /// Whether a job never completes later here than was expected when it joined.
    pub(super) promises: bool,
    /// Whether the plan of CONS is followed: with copies it is not known when it is made.
    pub(super) reserves: bool,
    pub(super) cores: u32,
    /// In thousandths.
    speed: u32,
    /// The cores in use; more than there are after a fault.
    pub(super) used: u64,
    /// Its queue by submission: the place in it, and the job.
    pub(super) queue: BTreeMap<u64, Waiting>,
    pub(super) running: Running,
    /// Whether anything happened here in this moment.
    pub(super) touched: bool,
    pub(super) reservations: Reservations,
    /// The last series of cancellations in which a job left.
    pub(super) cancelled_in: Option<u64>,
    /// Whether it does not work.
    pub(super) failed: bool,
    /// The meta-scheduler's knowledge of it, where that is what was published; `None` also if the plan was too long to follow.
    pub(super) book: Option<Book>,
    /// How many were submitted.
    submitted: u64,
}

impl Cluster {
    /// A cluster of a run with this policy, which keeps its promises or not, and this many copies.
    pub(super) fn new(cluster: &grid_event::Cluster, local: &str, promises: bool, copies: u32) -> Cluster {
        let grid_event::Cluster { cores, speed, local: ref own } = *cluster;
        let policy = Local::parse(own.as_deref().unwrap_or(local));
        Cluster {
            policy,
            promises: match own {
                Some(_) => policy.is_some_and(Local::keeps_promises),
                None => promises,
            },
            reserves: policy == Some(Local::Conservative) && copies == 1,
            cores,
            speed,
            used: 0,
            queue: BTreeMap::new(),
            running: Running::default(),
            touched: false,
            reservations: Reservations::default(),
            cancelled_in: None,
            failed: false,
            book: None,
            submitted: 0,
        }
    }

    /// The job joins the queue; its place there.
    pub(super) fn join(&mut self, job: Waiting) -> u64 {
        self.submitted += 1;
        self.queue.insert(self.submitted, job);
        self.submitted
    }
    pub(super) fn situation(&self, local: Local, now: u64) -> Situation<'_> {
        Situation { local, now, cores: self.cores, running: &self.running, queue: &self.queue }
    }
    /// When each job that waits starts by the plan of CONS, by its place in the queue; `None` if that is not known.
    pub(super) fn reserve(&mut self, now: u64) -> Option<&BTreeMap<u64, u64>> {
        if !self.reserves {
            return None;
        }
        self.reservations.update(now, self.cores, &self.running, &self.queue)
    }
    /// The state of this moment is what the meta-scheduler knows from now on.
    pub(super) fn publish(&mut self, now: u64) {
        let Some(policy) = self.policy else { return };
        let mut starts = Vec::new();
        let is_known = if self.reserves {
            let planned = self.reserve(now).cloned();
            let planned = planned.map(|planned| planned.into_iter().collect::<Vec<_>>());
            starts.extend(planned.iter().flatten().map(|(place, start)| (self.queue[place], *start)));
            planned.is_some()
        } else {
            self.situation(policy, now).plan(|job, start| starts.push((*job, start))).is_some()
        };
        self.book = is_known.then(|| {
            let mut book = Book::new(policy, Profile::of_running(self.cores, now, self.running.ends()));
            for (Waiting { job, width, walltime, .. }, start) in starts {
                book.enter(job, start, (width, walltime));
            }
            book
        });
    }
    /// It does not work any more: what it knew of its jobs is lost.
    pub(super) fn fail(&mut self, now: u64) {
        self.failed = true;
        self.reservations = Reservations::default();
        if let Some(policy) = self.policy.filter(|_| self.book.is_some()) {
            self.book = Some(Book::new(policy, Profile::new(self.cores, now)));
        }
    }
    /// How long something that takes this many microseconds at speed 1 takes here.
    pub(super) fn time_of(&self, micros: u64) -> u64 {
        let exact = u128::from(micros) * 1_000;
        let speed = u128::from(self.speed);
        u64::try_from(exact / speed + u128::from(exact % speed > 0)).unwrap_or(u64::MAX)
    }
}
