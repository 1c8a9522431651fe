//! The queue of waiting jobs.

use super::job::BatchJob;
use super::queue_order::QueueOrder;
use super::split::{Split, Stay};
use dfrsim_model::SimTime;
use std::cmp::Ordering;
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
    pub(super) jobs: VecDeque<Waiting>,
}

impl Queue {
    pub(super) fn new(order: QueueOrder) -> Queue {
        Queue { order, jobs: VecDeque::new() }
    }

    /// Whether priorities alone, and then the order of submission, say which job is first.
    pub(super) fn is_by_arrival(&self) -> bool {
        self.order == QueueOrder::Arrival
    }

    /// A job joins without a priority; orders that depend on the time are for [`Queue::sort`].
    #[inline]
    pub(super) fn insert(&mut self, job: BatchJob, need: usize) {
        let is_last = match self.order {
            QueueOrder::Wfp3 => true,
            QueueOrder::Arrival => self.jobs.back().is_none_or(|last| last.job.sequence < job.sequence),
            QueueOrder::Sjf | QueueOrder::Ljf | QueueOrder::Saf => false,
        };
        if is_last {
            self.jobs.push_back(Waiting::new(job, need));
        } else {
            self.insert_in_order(job, need);
        }
    }

    #[inline(never)]
    fn insert_in_order(&mut self, job: BatchJob, need: usize) {
        let at = self.jobs.partition_point(|other| self.order.compare(&other.job, &job, job.submit).is_lt());
        self.jobs.insert(at, Waiting::new(job, need));
    }

    /// The job of a place leaves the queue.
    #[inline]
    pub(super) fn take(&mut self, at: usize) -> Waiting {
        let job = if at == 0 { self.jobs.pop_front() } else { self.jobs.remove(at) };
        job.expect("there is a job")
    }

    /// Brings the queue into the order of this moment; returns whether it was another one.
    pub(super) fn sort(&mut self, now: SimTime) -> bool {
        let order = self.order;
        let compare = |a: &Waiting, b: &Waiting| precedence(order, a, b, now);
        let jobs = self.jobs.make_contiguous();
        let is_sorted = jobs.is_sorted_by(|a, b| compare(a, b).is_lt());
        if !is_sorted {
            jobs.sort_by(compare);
        }
        !is_sorted
    }
}

impl Waiting {
    /// Whether it is before another job at a moment, in a queue of this order.
    pub(super) fn precedes(&self, other: &Waiting, order: QueueOrder, now: SimTime) -> bool {
        precedence(order, self, other, now).is_lt()
    }
}

/// Which of two jobs is first at a moment: that of the larger priority, then by the order.
fn precedence(order: QueueOrder, a: &Waiting, b: &Waiting, now: SimTime) -> Ordering {
    b.priority.cmp(&a.priority).then_with(|| order.compare(&a.job, &b.job, now))
}
