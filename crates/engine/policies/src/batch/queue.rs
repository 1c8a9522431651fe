//! The queue of waiting jobs and its orders.

use super::BatchJob;
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// The order of waiting jobs; ties by order of submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum QueueOrder {
    /// By submission.
    #[default]
    Arrival,
    /// Shortest job first, by estimate.
    Sjf,
    /// Longest job first, by estimate.
    Ljf,
    /// Smallest area first: estimate * width.
    Saf,
    /// Largest (wait / estimate)^3 * width first, again in each pass (Tang et al. 2009, "WFP3").
    Wfp3,
}

impl QueueOrder {
    /// All orders.
    pub const ALL: [QueueOrder; 5] =
        [QueueOrder::Arrival, QueueOrder::Sjf, QueueOrder::Ljf, QueueOrder::Saf, QueueOrder::Wfp3];

    /// Its name in the names of policies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            QueueOrder::Arrival => "ARRIVAL",
            QueueOrder::Sjf => "SJF",
            QueueOrder::Ljf => "LJF",
            QueueOrder::Saf => "SAF",
            QueueOrder::Wfp3 => "WFP3",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            QueueOrder::Arrival => "queue by arrival",
            QueueOrder::Sjf => "shortest job first",
            QueueOrder::Ljf => "longest job first",
            QueueOrder::Saf => "smallest area first",
            QueueOrder::Wfp3 => "largest (wait / estimate)^3 * width first",
        }
    }

    /// Which of two jobs is first at this moment.
    pub(super) fn compare(self, a: &BatchJob, b: &BatchJob, now: SimTime) -> Ordering {
        let area = |job: &BatchJob| u128::from(job.estimate.micros()) * u128::from(job.width);
        let by_key = match self {
            QueueOrder::Arrival => Ordering::Equal,
            QueueOrder::Sjf => a.estimate.cmp(&b.estimate),
            QueueOrder::Ljf => b.estimate.cmp(&a.estimate),
            QueueOrder::Saf => area(a).cmp(&area(b)),
            QueueOrder::Wfp3 => wfp3(b, now).total_cmp(&wfp3(a, now)),
        };
        by_key.then(a.sequence.cmp(&b.sequence))
    }
}

fn wfp3(job: &BatchJob, now: SimTime) -> f64 {
    let wait = now.since(job.submit).as_secs_f64();
    (wait / job.estimate.as_secs_f64()).powi(3) * f64::from(job.width)
}

/// The waiting jobs, in order.
#[derive(Debug)]
pub(crate) struct Queue {
    order: QueueOrder,
    jobs: VecDeque<BatchJob>,
}

impl Queue {
    pub(crate) fn new(order: QueueOrder) -> Queue {
        Queue { order, jobs: VecDeque::new() }
    }

    /// A job joins; the fixed orders do not depend on the time, and the one that does is sorted in
    /// [`Queue::begin_pass`].
    pub(crate) fn insert(&mut self, job: BatchJob) {
        let at = match self.order {
            QueueOrder::Arrival | QueueOrder::Wfp3 => self.jobs.len(),
            QueueOrder::Sjf | QueueOrder::Ljf | QueueOrder::Saf => {
                self.jobs.partition_point(|other| self.order.compare(other, &job, job.submit).is_lt())
            }
        };
        self.jobs.insert(at, job);
    }

    /// Brings the queue into the order of this moment.
    pub(crate) fn begin_pass(&mut self, now: SimTime) {
        if self.order == QueueOrder::Wfp3 {
            let order = self.order;
            self.jobs.make_contiguous().sort_unstable_by(|a, b| order.compare(a, b, now));
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<&BatchJob> {
        self.jobs.get(at)
    }

    /// The first job from a place on that is wanted, and its place.
    pub(crate) fn find(
        &self,
        from: usize,
        is_wanted: impl Fn(&BatchJob) -> bool,
    ) -> Option<(usize, BatchJob)> {
        let place = (from..self.jobs.len()).find(|&place| is_wanted(&self.jobs[place]))?;
        Some((place, self.jobs[place]))
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.jobs.remove(at);
    }

    /// Takes out this job, if it waits here.
    pub(crate) fn cancel(&mut self, job: JobHandle) {
        self.jobs.retain(|other| other.job != job);
    }

    /// Takes out all jobs.
    pub(crate) fn clear(&mut self) {
        self.jobs.clear();
    }
}
