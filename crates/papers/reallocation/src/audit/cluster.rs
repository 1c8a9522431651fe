//! One cluster.

use super::book::Book;
use super::local::{CONS, Waiting, keeps_promises, known_discipline};
use super::reservations::Reservations;
use super::running::Running;
use dfrsim_audit::records::Profile;
use dfrsim_audit::{Auditor, Fault, Faults};
use dfrsim_model::SortedMap;
use dfrsim_model::batch::Discipline;
use dfrsim_model::grid_event;

/// A cluster as the records describe it.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// Its policy, if its rules are known.
    pub(super) policy: Option<Discipline>,
    /// Whether a job never completes later here than was expected when it joined.
    pub(super) promises: bool,
    /// The same if its plans are known: with copies it is not known when CONS makes them.
    planner: Option<Discipline>,
    pub(super) cores: u32,
    /// In thousandths.
    speed: u32,
    /// What happens on it, judged as on a cluster alone.
    pub(super) local: Auditor,
    /// The jobs by their place in the order of submission.
    numbers: Vec<u64>,
    /// Whether it lost a job in this moment.
    pub(super) lost: Option<u64>,
    /// Its queue by submission: the place in it, and the job.
    pub(super) queue: SortedMap<u64, Waiting>,
    pub(super) running: Running,
    /// Whether anything happened here in this moment.
    pub(super) touched: bool,
    pub(super) reservations: Reservations,
    /// The last series of cancellations in which a job left, and when the jobs that waited before it would have started.
    pub(super) cancelled_in: Option<(u64, SortedMap<u64, u64>)>,
    /// Whether it does not work.
    pub(super) failed: bool,
    /// The meta-scheduler's knowledge of it, where that is what was published; `None` also if the plan was too long to follow.
    pub(super) book: Option<Book>,
}

impl Cluster {
    /// A cluster of a run with this policy, which keeps its promises or not, and this many copies.
    pub(super) fn new(
        cluster: &grid_event::Cluster,
        local: &str,
        promises: bool,
        copies: u32,
    ) -> Result<Cluster, Faults> {
        let grid_event::Cluster { cores, speed, local: ref own } = *cluster;
        let name = own.as_deref().unwrap_or(local);
        let policy = known_discipline(name);
        Ok(Cluster {
            policy,
            promises: match own {
                Some(_) => policy.is_some_and(keeps_promises),
                None => promises,
            },
            planner: policy.filter(|policy| *policy != CONS || copies == 1),
            cores,
            speed,
            local: Auditor::of_cluster(name, cores)?,
            ..Cluster::default()
        })
    }

    /// The job joins the queue; its place there.
    pub(super) fn join(&mut self, job: Waiting) -> u64 {
        let place = self.numbers.len() as u64;
        self.numbers.push(job.job);
        self.queue.insert(place, job);
        place
    }
    /// It is not one of equal nodes that are always up and given by its policy alone: what it promises is not judged.
    pub(super) fn has_conditions(&mut self) {
        (self.policy, self.promises, self.planner, self.book) = (None, false, None, None);
    }
    /// The job of a place.
    pub(super) fn job(&self, place: u64) -> Option<u64> {
        self.numbers.get(usize::try_from(place).ok()?).copied()
    }
    /// The faults of what happened on this cluster, when the file ends.
    pub(super) fn end(self, at: usize, now: u64) -> Faults {
        let Cluster { local, numbers, .. } = self;
        local.end(now).map(|fault| Fault {
            job: fault.job.and_then(|place| numbers.get(place as usize).copied()),
            rule: format!("on cluster {at}, where jobs count from 0: {}", fault.rule).into(),
            ..fault
        })
    }
    /// When each job that waits starts by the plan of this moment, by its place in the queue; `None` if that is not known.
    pub(super) fn plan(&mut self, now: u64) -> Option<&SortedMap<u64, u64>> {
        self.reservations.update(self.planner?, (now, self.cores), &self.running, &self.queue)
    }
    /// Makes the plan of this moment if later ones depend on it.
    pub(super) fn reserve(&mut self, now: u64) {
        if self.planner == Some(CONS) {
            self.plan(now);
        }
    }
    /// The jobs that wait, each with its start by the plan of this moment; `None` if that is not known.
    pub(super) fn starts(&mut self, now: u64) -> Option<Vec<(Waiting, u64)>> {
        let planned = self.plan(now)?.clone();
        Some(planned.into_iter().map(|(place, start)| (self.queue[&place], start)).collect())
    }
    /// The state of this moment is what the meta-scheduler knows from now on.
    pub(super) fn publish(&mut self, now: u64) {
        let Some(policy) = self.policy else { return };
        self.book = self.starts(now).map(|starts| {
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
