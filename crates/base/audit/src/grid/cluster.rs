//! One cluster.

use super::book::Book;
use super::local::{LONGEST_QUEUE, Waiting, keeps_promises, known_discipline};
use super::reservations::Reservations;
use super::running::Running;
use crate::profile::Profile;
use crate::{Auditor, Fault, Faults};
use dfrsim_model::SortedMap;
use dfrsim_model::batch::{Compression, Discipline};
use dfrsim_model::grid_event;

/// Conservative backfilling that keeps promises.
const CONS: Discipline = Discipline::Conservative(Compression::OneByOne);

/// A cluster as the records describe it.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// Its policy, if its rules are known.
    pub(super) policy: Option<Discipline>,
    /// Whether a job never completes later here than was expected when it joined.
    pub(super) promises: bool,
    /// Whether the plan of CONS is followed: with copies it is not known when it is made.
    pub(super) reserves: bool,
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
            reserves: policy == Some(CONS) && copies == 1,
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
        (self.policy, self.promises, self.reserves, self.book) = (None, false, false, None);
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
    /// Shows when each waiting job starts by the plan; gives what is left of the cores, and from when on another job could have
    /// them. `None` where the policy's plan depends on what happened before, or is too long.
    fn plan(&self, now: u64, mut show: impl FnMut(&Waiting, u64)) -> Option<(Profile, u64)> {
        let policy = self.policy.filter(|policy| *policy != CONS)?;
        if self.queue.len() > LONGEST_QUEUE {
            return None;
        }
        let mut profile = Profile::of_running(self.cores, now, self.running.ends());
        let mut from = now;
        for job in self.queue.values() {
            let start = profile.earliest_from(from, job.width, job.walltime);
            profile.take(start, start.saturating_add(job.walltime), job.width);
            if policy == Discipline::Fcfs {
                from = start;
            }
            show(job, start);
        }
        Some((profile, from))
    }

    /// When a job is expected to end if it is submitted now, where that can be said.
    pub(super) fn expected_end(&self, now: u64, width: u32, walltime: u64) -> Option<u64> {
        let (profile, from) = self.plan(now, |_, _| {})?;
        Some(profile.earliest_from(from, width, walltime).saturating_add(walltime))
    }
    /// When each job that waits starts by the plan of CONS, by its place in the queue; `None` if that is not known.
    pub(super) fn reserve(&mut self, now: u64) -> Option<&SortedMap<u64, u64>> {
        if !self.reserves {
            return None;
        }
        self.reservations.update(now, self.cores, &self.running, &self.queue)
    }
    /// The jobs that wait, each with its start by the plan of this moment; `None` if that is not known.
    pub(super) fn starts(&mut self, now: u64) -> Option<Vec<(Waiting, u64)>> {
        if self.reserves {
            let planned = self.reserve(now)?.clone();
            return Some(planned.into_iter().map(|(place, start)| (self.queue[&place], start)).collect());
        }
        let mut starts = Vec::new();
        self.plan(now, |job, start| starts.push((*job, start)))?;
        Some(starts)
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
