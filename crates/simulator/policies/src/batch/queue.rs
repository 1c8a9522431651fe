//! Queue of waiting jobs.

use super::allocation::{Allocation, Occupancy, Slot};
use super::job::BatchJob;
use super::queue_order::{compare, value};
use dfrsim_cluster::JobHandle;
use dfrsim_model::batch::QueueOrder;
use dfrsim_model::formula::Formula;
use dfrsim_model::{SimTime, TotalF64};
use std::cmp::{Ordering, Reverse};
use std::collections::VecDeque;

/// A job in the queue.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) job: BatchJob,
    /// Number of its request per task.
    pub(super) request: usize,
    /// Priority by the settings of the site; 0 without a site.
    pub(super) priority: u64,
    /// Start, end and allocation of its reservation; the times are [`SimTime::MAX`] if it has none.
    pub(super) start: SimTime,
    pub(super) end: SimTime,
    pub(super) allocation: Allocation,
}

impl Waiting {
    /// Creates a queued job without a reservation.
    #[inline]
    pub(super) fn new(job: BatchJob, request: usize) -> Waiting {
        Waiting {
            job,
            request,
            priority: 0,
            start: SimTime::MAX,
            end: SimTime::MAX,
            allocation: Allocation::default(),
        }
    }

    /// Returns the job, without a reservation, with a request of another level.
    pub(super) fn at(&self, request: usize) -> Waiting {
        Waiting { priority: self.priority, ..Waiting::new(self.job, request) }
    }

    /// Sets the reservation of the job.
    pub(super) fn set_reservation(&mut self, (start, (split, end)): (SimTime, Slot)) {
        (self.start, self.end, self.allocation) = (start, end, split);
    }

    /// Cancels the reservation of the job.
    pub(super) fn cancel_reservation(&mut self) {
        (self.start, self.end) = (SimTime::MAX, SimTime::MAX);
        self.allocation = Allocation::default();
    }

    /// Returns the occupancy of the job's reservation, from `from` on.
    pub(super) fn occupancy(&self, from: SimTime) -> Occupancy<'_> {
        let Waiting { request: need, end, allocation: ref split, .. } = *self;
        Occupancy { request: need, allocation: split, size: self.job.size, start: self.start.max(from), end }
    }
}

/// Waiting jobs by decreasing priority, then in the order of the policy.
#[derive(Debug)]
pub(super) struct Queue {
    order: QueueOrder,
    /// Backfill order, if it differs from the queue order.
    backfill_order: Option<QueueOrder>,
    pub(super) jobs: VecDeque<Waiting>,
    /// A formula, a job for which its value is not finite, and that value.
    pub(super) formula_error: Option<(Formula, JobHandle, f64)>,
}

impl Queue {
    pub(super) fn new(order: QueueOrder, backfill_order: Option<QueueOrder>) -> Queue {
        Queue { order, backfill_order, jobs: VecDeque::new(), formula_error: None }
    }

    /// Returns whether the queue is ordered by priority and submission only.
    pub(super) fn is_by_arrival(&self) -> bool {
        self.order == QueueOrder::Arrival && self.backfill_order.is_none()
    }

    /// Returns whether the order of two jobs can change while they wait.
    pub(super) fn depends_on_time(&self) -> bool {
        self.order.depends_on_time()
    }

    /// Inserts a job without a priority. If the order depends on time, the job is appended, and
    /// [`Queue::sort`] moves it to its position.
    #[inline]
    pub(super) fn insert(&mut self, job: BatchJob, need: usize) {
        let is_behind = || self.jobs.back().is_none_or(|last| last.job.sequence < job.sequence);
        if self.depends_on_time() || self.order == QueueOrder::Arrival && is_behind() {
            self.jobs.push_back(Waiting::new(job, need));
        } else {
            self.insert_in_order(job, need);
        }
    }

    #[inline(never)]
    fn insert_in_order(&mut self, job: BatchJob, need: usize) {
        if let QueueOrder::Formula(formula) = self.order {
            checked_value(formula, &job, job.submit, &mut self.formula_error);
        }
        let at = self.jobs.partition_point(|other| compare(self.order, &other.job, &job, job.submit).is_lt());
        self.jobs.insert(at, Waiting::new(job, need));
    }

    /// Inserts a job into a queue that is ordered by priority, then submission; returns whether
    /// another job is behind it.
    pub(super) fn insert_by_priority(&mut self, job: Waiting) -> bool {
        let key = |job: &Waiting| (Reverse(job.priority), job.job.sequence);
        let own = key(&job);
        let is_last = self.jobs.back().is_none_or(|last| key(last) < own);
        let at = if is_last { self.jobs.len() } else { self.jobs.partition_point(|other| key(other) < own) };
        self.jobs.insert(at, job);
        !is_last
    }

    /// Removes and returns the job at an index.
    #[inline]
    pub(super) fn remove(&mut self, at: usize) -> Waiting {
        let job = if at == 0 { self.jobs.pop_front() } else { self.jobs.remove(at) };
        job.expect("the index must be that of a queued job")
    }

    /// Sorts the queue for the current time; returns whether its order has changed.
    pub(super) fn sort(&mut self, now: SimTime) -> bool {
        self.sort_from(0, self.order, now)
    }

    /// Sorts the jobs from an index on into the backfill order, if there is one.
    pub(super) fn sort_for_backfill(&mut self, from: usize, now: SimTime) {
        if let Some(fill) = self.backfill_order {
            self.sort_from(from, fill, now);
        }
    }

    /// Restores the queue order after a search for another one.
    pub(super) fn restore_searched_order(&mut self, now: SimTime) {
        self.sort(now);
    }

    /// Restores the queue order after backfilling.
    pub(super) fn restore_order(&mut self, now: SimTime) {
        if self.backfill_order.is_some() {
            self.sort(now);
        }
    }

    fn sort_from(&mut self, from: usize, order: QueueOrder, now: SimTime) -> bool {
        if let QueueOrder::Formula(formula) = order {
            return self.sort_by_formula(from, formula, now);
        }
        let compare = |a: &Waiting, b: &Waiting| precedence(order, a, b, now);
        let jobs = &mut self.jobs.make_contiguous()[from..];
        let is_sorted = jobs.is_sorted_by(|a, b| compare(a, b).is_lt());
        if !is_sorted && order == QueueOrder::Arrival {
            // Jobs are large, so their keys are sorted instead.
            jobs.sort_by_cached_key(|job| (Reverse(job.priority), job.job.sequence));
        } else if !is_sorted {
            jobs.sort_by(compare);
        }
        !is_sorted
    }

    /// Sorts by a formula; caches its values while sorting.
    fn sort_by_formula(&mut self, from: usize, formula: Formula, now: SimTime) -> bool {
        let Queue { jobs, formula_error: fault, .. } = self;
        let mut key = |waiting: &Waiting| {
            let value = checked_value(formula, &waiting.job, now, fault);
            (Reverse(waiting.priority), value, waiting.job.sequence)
        };
        let jobs = &mut jobs.make_contiguous()[from..];
        let is_sorted = jobs.is_sorted_by_key(&mut key);
        if !is_sorted {
            jobs.sort_by_cached_key(key);
        }
        !is_sorted
    }
}

/// Computes the value of a formula for a job; records the first job for which it is not finite.
fn checked_value(
    formula: Formula,
    job: &BatchJob,
    now: SimTime,
    fault: &mut Option<(Formula, JobHandle, f64)>,
) -> TotalF64 {
    let value = value(formula, job, now);
    if !value.is_finite() {
        fault.get_or_insert((formula, job.job, value));
    }
    TotalF64(value)
}

impl Waiting {
    /// Returns whether this job is before `other` at time `now`, in a queue of this order.
    pub(super) fn precedes(&self, other: &Waiting, order: QueueOrder, now: SimTime) -> bool {
        precedence(order, self, other, now).is_lt()
    }
}

/// Compares two jobs at time `now`: by decreasing priority, then by the order.
fn precedence(order: QueueOrder, a: &Waiting, b: &Waiting, now: SimTime) -> Ordering {
    b.priority.cmp(&a.priority).then_with(|| compare(order, &a.job, &b.job, now))
}
