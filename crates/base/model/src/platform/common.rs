//! Resources that a cluster has as a whole: licences, space in a burst buffer, power.
//!
//! A job holds its amount of such a resource from its start to its end, on any nodes. The amount that
//! there is may change at known times.

use crate::SimTime;
use std::sync::Arc;

/// Name of the resource that a power cap limits.
pub const POWER: &str = "power";

/// First character of the requests of jobs for licences, before their names.
pub const LICENCE: char = '~';

/// Resource of the whole cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonResource {
    /// Name of the resource.
    pub name: Arc<str>,
    /// Use of the resource by jobs.
    pub demand: CommonDemand,
    /// Start and amount of each step, in ascending order of time; the first begins at time zero, and the
    /// last has no end.
    pub steps: Vec<(SimTime, u64)>,
}

/// Use of a resource of the whole cluster by jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonDemand {
    /// A job holds the requested units at any yield, and these for each task and for itself if it
    /// requests none.
    Held {
        /// Units for each task.
        per_task: u64,
        /// Units for the job.
        per_job: u64,
    },
    /// The power that the tasks of a job draw above that of idle nodes, in milliwatts, in proportion to
    /// the yield but for that of used devices and sockets.
    Draw,
}

impl CommonResource {
    /// Returns the amount at a time.
    #[inline]
    pub fn amount_at(&self, time: SimTime) -> u64 {
        let next = self.steps.partition_point(|(from, _)| *from <= time);
        next.checked_sub(1).map_or(0, |at| self.steps[at].1)
    }
    /// Returns the amount after the last step. A job that requests more is never sure to start.
    #[inline]
    pub fn lasting_amount(&self) -> u64 {
        self.steps.last().map_or(0, |(_, amount)| *amount)
    }
    /// Returns the largest amount of all times.
    pub fn largest_amount(&self) -> u64 {
        self.steps.iter().map(|(_, amount)| *amount).max().unwrap_or(0)
    }
    /// Returns the smallest amount of all times.
    pub fn smallest_amount(&self) -> u64 {
        self.steps.iter().map(|(_, amount)| *amount).min().unwrap_or(0)
    }
    /// Returns the smallest amount from a time on.
    pub fn smallest_from(&self, time: SimTime) -> u64 {
        let later = self.steps.iter().filter(|(from, _)| *from > time).map(|(_, amount)| *amount);
        later.fold(self.amount_at(time), u64::min)
    }
    /// Iterates over the times at which the amount increases.
    pub fn rises(&self) -> impl Iterator<Item = SimTime> {
        self.steps.windows(2).filter(|pair| pair[1].1 > pair[0].1).map(|pair| pair[1].0)
    }
    /// Iterates over the steps as begin, end and amount.
    pub fn spans(&self) -> impl Iterator<Item = (SimTime, SimTime, u64)> {
        let ends = self.steps.iter().skip(1).map(|(from, _)| *from).chain([SimTime::MAX]);
        self.steps.iter().zip(ends).map(|(&(from, amount), until)| (from, until, amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_follow_the_steps() {
        let second = SimTime::from_secs;
        let steps = vec![(SimTime::ZERO, 5), (second(10), 2), (second(20), 7)];
        let demand = CommonDemand::Held { per_task: 0, per_job: 0 };
        let resource = CommonResource { name: "matlab".into(), demand, steps };
        let amounts = [0, 9, 10, 19, 20, 99].map(|at| resource.amount_at(second(at)));
        assert_eq!(amounts, [5, 5, 2, 2, 7, 7]);
        assert_eq!((resource.lasting_amount(), resource.largest_amount()), (7, 7));
        assert_eq!(resource.smallest_amount(), 2);
        assert_eq!([0, 10, 19, 20].map(|at| resource.smallest_from(second(at))), [2, 2, 2, 7]);
        assert_eq!(resource.rises().collect::<Vec<_>>(), [second(20)]);
        assert_eq!(resource.spans().nth(1), Some((second(10), second(20), 2)));
    }
}
