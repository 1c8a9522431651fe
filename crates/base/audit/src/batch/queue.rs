//! The waiting jobs in the order of a policy.

use dfrsim_model::Yield;
use std::cmp::Ordering;

/// Which waiting job is first; ties by submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Submission,
    ShortestFirst,
    LongestFirst,
    SmallestAreaFirst,
    /// Tang et al. 2009: by a value that changes with time, in double precision.
    Wfp3,
}

/// A job in the queue. Times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) submit: u64,
    pub(super) width: u32,
    pub(super) estimate: u64,
}

impl Waiting {
    /// When it ends by its estimate if it starts on nodes of this speed, in units of 2^-20.
    pub(super) fn end_at(&self, start: u64, speed: u32) -> u64 {
        if self.estimate == u64::MAX {
            return u64::MAX;
        }
        let span = (u128::from(self.estimate) << Yield::BITS).div_ceil(u128::from(speed.max(1)));
        start.saturating_add(u64::try_from(span).unwrap_or(u64::MAX))
    }

    fn wfp3(&self, now: u64) -> f64 {
        let seconds = |micros: u64| micros as f64 / 1e6;
        let ratio = seconds(now.saturating_sub(self.submit)) / seconds(self.estimate);
        ratio * ratio * ratio * f64::from(self.width)
    }

    fn area(&self) -> u128 {
        u128::from(self.estimate) * u128::from(self.width)
    }
}

impl Order {
    /// Sorts a queue for this moment.
    pub(super) fn sort(self, queue: &mut [Waiting], now: u64) {
        let compare = |a: &Waiting, b: &Waiting| match self {
            Order::Submission => Ordering::Equal,
            Order::ShortestFirst => a.estimate.cmp(&b.estimate),
            Order::LongestFirst => b.estimate.cmp(&a.estimate),
            Order::SmallestAreaFirst => a.area().cmp(&b.area()),
            Order::Wfp3 => b.wfp3(now).total_cmp(&a.wfp3(now)),
        };
        // Mostly sorted already, which costs this sort one comparison a job.
        queue.sort_by(|a, b| compare(a, b).then(a.job.cmp(&b.job)));
    }
}
