//! The queue of waiting jobs.

use super::job::BatchJob;
use super::queue_order::{compare, value};
use super::split::{Room, Split, Stay};
use dfrsim_cluster::JobHandle;
use dfrsim_model::batch::QueueOrder;
use dfrsim_model::formula::Formula;
use dfrsim_model::{SimTime, Total};
use std::cmp::{Ordering, Reverse};
use std::collections::VecDeque;

/// A job in the queue.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) job: BatchJob,
    /// The number of what its tasks take.
    pub(super) need: usize,
    /// By the settings of the site; 0 without.
    pub(super) priority: u64,
    /// When its reservation begins and ends, and where that is; [`SimTime::MAX`] if it has none.
    pub(super) start: SimTime,
    pub(super) end: SimTime,
    pub(super) split: Split,
}

impl Waiting {
    /// A job without a reservation.
    #[inline]
    pub(super) fn new(job: BatchJob, need: usize) -> Waiting {
        Waiting { job, need, priority: 0, start: SimTime::MAX, end: SimTime::MAX, split: Split::default() }
    }

    /// Gives it a reservation.
    pub(super) fn promise(&mut self, (start, (split, end)): (SimTime, Room)) {
        (self.start, self.end, self.split) = (start, end, split);
    }

    /// Gives its reservation up.
    pub(super) fn withdraw(&mut self) {
        (self.start, self.end) = (SimTime::MAX, SimTime::MAX);
        self.split = Split::default();
    }

    /// What its reservation takes, from a moment on.
    pub(super) fn stay(&self, from: SimTime) -> Stay<'_> {
        let Waiting { need, end, ref split, .. } = *self;
        Stay { need, split, width: self.job.width, start: self.start.max(from), end }
    }
}

/// The waiting jobs: by decreasing priority, then in the order of the policy.
#[derive(Debug)]
pub(super) struct Queue {
    order: QueueOrder,
    /// In which jobs are tried behind the head, if in another one.
    fill: Option<QueueOrder>,
    pub(super) jobs: VecDeque<Waiting>,
    /// A formula, and a job for which it has no finite value, and what it has.
    pub(super) fault: Option<(Formula, JobHandle, f64)>,
}

impl Queue {
    pub(super) fn new(order: QueueOrder, fill: Option<QueueOrder>) -> Queue {
        Queue { order, fill, jobs: VecDeque::new(), fault: None }
    }

    /// Whether priorities alone, and then the order of submission, say which job is first.
    pub(super) fn is_by_arrival(&self) -> bool {
        self.order == QueueOrder::Arrival && self.fill.is_none()
    }

    /// Whether the order of two jobs can change while they wait.
    pub(super) fn depends_on_time(&self) -> bool {
        self.order.depends_on_time()
    }

    /// A job joins without a priority; orders that depend on the time are for [`Queue::sort`].
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
            checked(formula, &job, job.submit, &mut self.fault);
        }
        let at = self.jobs.partition_point(|other| compare(self.order, &other.job, &job, job.submit).is_lt());
        self.jobs.insert(at, Waiting::new(job, need));
    }

    /// A job joins a queue that is in the order of priorities, then of submission; returns whether another one is behind it.
    pub(super) fn insert_by_priority(&mut self, job: Waiting) -> bool {
        let key = |job: &Waiting| (Reverse(job.priority), job.job.sequence);
        let own = key(&job);
        let is_last = self.jobs.back().is_none_or(|last| key(last) < own);
        let at = if is_last { self.jobs.len() } else { self.jobs.partition_point(|other| key(other) < own) };
        self.jobs.insert(at, job);
        !is_last
    }

    /// The job of a place leaves the queue.
    #[inline]
    pub(super) fn take(&mut self, at: usize) -> Waiting {
        let job = if at == 0 { self.jobs.pop_front() } else { self.jobs.remove(at) };
        job.expect("there is a job")
    }

    /// Brings the queue into the order of this moment; returns whether it was another one.
    pub(super) fn sort(&mut self, now: SimTime) -> bool {
        self.sort_from(0, self.order, now)
    }

    /// Brings the jobs from a place on into the order in which they are tried behind the head.
    pub(super) fn sort_behind(&mut self, from: usize, now: SimTime) {
        if let Some(fill) = self.fill {
            self.sort_from(from, fill, now);
        }
    }

    /// Brings the queue back into its own order.
    pub(super) fn sort_back(&mut self, now: SimTime) {
        if self.fill.is_some() {
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
            // Jobs are large: it is their keys that are sorted.
            jobs.sort_by_cached_key(|job| (Reverse(job.priority), job.job.sequence));
        } else if !is_sorted {
            jobs.sort_by(compare);
        }
        !is_sorted
    }

    /// The same with each value computed once for each look at the jobs.
    fn sort_by_formula(&mut self, from: usize, formula: Formula, now: SimTime) -> bool {
        let Queue { jobs, fault, .. } = self;
        let mut key = |waiting: &Waiting| {
            let value = checked(formula, &waiting.job, now, fault);
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

/// The value of a formula for a job; notes the first job that has no finite one.
fn checked(
    formula: Formula,
    job: &BatchJob,
    now: SimTime,
    fault: &mut Option<(Formula, JobHandle, f64)>,
) -> Total {
    let value = value(formula, job, now);
    if !value.is_finite() {
        fault.get_or_insert((formula, job.job, value));
    }
    Total(value)
}

impl Waiting {
    /// Whether it is before another job at a moment, in a queue of this order.
    pub(super) fn precedes(&self, other: &Waiting, order: QueueOrder, now: SimTime) -> bool {
        precedence(order, self, other, now).is_lt()
    }
}

/// Which of two jobs is first at a moment: that of the larger priority, then by the order.
fn precedence(order: QueueOrder, a: &Waiting, b: &Waiting, now: SimTime) -> Ordering {
    b.priority.cmp(&a.priority).then_with(|| compare(order, &a.job, &b.job, now))
}
