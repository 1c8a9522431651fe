//! State of one cluster.

use super::book::PublishedPlan;
use super::local::{CONS, Waiting, checkable_scheme, guarantees_end};
use super::reservations::Reservations;
use super::running::Running;
use dfrsim_audit::records::Profile;
use dfrsim_audit::{Auditor, Fault, Faults};
use dfrsim_model::SortedMap;
use dfrsim_model::batch::{Backfilling, QueueOrder};
use dfrsim_model::grid_event;

/// Cluster as described by the records.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// Policy, if its plans can be checked.
    pub(super) policy: Option<Backfilling>,
    /// True if a job never completes later than predicted at its submission to this cluster.
    pub(super) promises: bool,
    /// Policy, if its plans can be recomputed. With several copies of jobs the times at which CONS
    /// plans are unknown.
    planner: Option<(Backfilling, QueueOrder)>,
    pub(super) cores: u32,
    /// Speed in thousandths of the reference speed.
    speed: u32,
    /// Auditor of the events on the cluster, which are checked as on a single cluster.
    pub(super) local: Auditor,
    /// Numbers of the jobs, by submission index on the cluster.
    numbers: Vec<u64>,
    /// Job that the cluster lost at the current time.
    pub(super) lost: Option<u64>,
    /// Waiting jobs by submission index on the cluster.
    pub(super) queue: SortedMap<u64, Waiting>,
    pub(super) running: Running,
    /// True if anything happened on the cluster at the current time.
    pub(super) touched: bool,
    pub(super) reservations: Reservations,
    /// Last series of cancellations in which a job left, and the planned starts of the jobs that
    /// waited before it.
    pub(super) cancelled_in: Option<(u64, SortedMap<u64, u64>)>,
    /// True while the cluster has failed.
    pub(super) failed: bool,
    /// True if the cluster has resources as a whole, such as licences.
    pub(super) has_common: bool,
    /// Knowledge of the meta-scheduler, if states are published; `None` also if the plan was too
    /// long to recompute.
    pub(super) book: Option<PublishedPlan>,
}

impl Cluster {
    /// Creates a cluster of a run with this local policy, which guarantees expected completion times
    /// if `promises` is set, and this number of copies of each job.
    pub(super) fn new(
        cluster: &grid_event::Cluster,
        local: &str,
        promises: bool,
        copies: u32,
    ) -> Result<Cluster, Faults> {
        let grid_event::Cluster { cores, speed, local: ref own } = *cluster;
        let name = own.as_deref().unwrap_or(local);
        let scheme = checkable_scheme(name);
        Ok(Cluster {
            policy: scheme.map(|scheme| scheme.0),
            promises: match own {
                Some(_) => scheme.is_some_and(guarantees_end),
                None => promises,
            },
            planner: scheme.filter(|(policy, _)| *policy != CONS || copies == 1),
            cores,
            speed,
            local: Auditor::of_cluster(name, cores)?,
            ..Cluster::default()
        })
    }

    /// Adds a job to the queue; returns its submission index.
    pub(super) fn enqueue(&mut self, job: Waiting) -> u64 {
        let place = self.numbers.len() as u64;
        self.numbers.push(job.job);
        self.queue.insert(place, job);
        place
    }
    /// Stops checking expected completion times: nodes are unequal or can fail, or more than the
    /// policy decides about them.
    pub(super) fn stop_plan_checks(&mut self) {
        (self.policy, self.promises, self.planner, self.book) = (None, false, None, None);
    }
    /// Returns the number of the job with this submission index.
    pub(super) fn job(&self, place: u64) -> Option<u64> {
        self.numbers.get(usize::try_from(place).ok()?).copied()
    }
    /// Returns the violations on this cluster at the end of the file.
    pub(super) fn end(self, at: usize, now: u64) -> Faults {
        let Cluster { local, numbers, .. } = self;
        local.end(now).map(|fault| Fault {
            job: fault.job.and_then(|place| numbers.get(place as usize).copied()),
            rule: format!("on cluster {at}, whose jobs are numbered from 0: {}", fault.rule).into(),
            ..fault
        })
    }
    /// Plans the starts of waiting jobs at the current time, by submission index; `None` if the plan
    /// is unknown.
    pub(super) fn plan(&mut self, now: u64) -> Option<&SortedMap<u64, u64>> {
        self.reservations.update(self.planner?, (now, self.cores), &self.running, &self.queue)
    }
    /// Updates the plan at the current time if later plans depend on it.
    pub(super) fn reserve(&mut self, now: u64) {
        if self.planner.is_some_and(|(policy, _)| policy == CONS) {
            self.plan(now);
        }
    }
    /// Returns the waiting jobs with their planned starts at the current time; `None` if the plan is
    /// unknown.
    pub(super) fn starts(&mut self, now: u64) -> Option<Vec<(Waiting, u64)>> {
        let planned = self.plan(now)?.clone();
        Some(planned.into_iter().map(|(place, start)| (self.queue[&place], start)).collect())
    }
    /// Publishes the current state, which is the meta-scheduler's knowledge from now on.
    pub(super) fn publish(&mut self, now: u64) {
        let Some(policy) = self.policy else { return };
        self.book = self.starts(now).map(|starts| {
            let mut book =
                PublishedPlan::new(policy, Profile::of_running(self.cores, now, self.running.ends()));
            for (Waiting { job, width, walltime, .. }, start) in starts {
                book.insert(job, start, (width, walltime));
            }
            book
        });
    }
    /// Handles the failure of the cluster: its plan and the meta-scheduler's knowledge of its jobs
    /// are reset.
    pub(super) fn fail(&mut self, now: u64) {
        self.failed = true;
        self.reservations = Reservations::default();
        if let Some(policy) = self.policy.filter(|_| self.book.is_some()) {
            self.book = Some(PublishedPlan::new(policy, Profile::new(self.cores, now)));
        }
    }
    /// Scales a time at speed 1 to this cluster, in microseconds, rounded up.
    pub(super) fn scaled_time(&self, micros: u64) -> u64 {
        let exact = u128::from(micros) * 1_000;
        let speed = u128::from(self.speed);
        u64::try_from(exact / speed + u128::from(exact % speed > 0)).unwrap_or(u64::MAX)
    }
}
