//! Resources that a cluster has as a whole: licences, space in a burst buffer, power.
//!
//! A job holds its amount of such a resource from its start to its end, on any nodes. The amount that
//! there is may change at known times.

use crate::{SimSpan, SimTime};
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
    /// last has no end unless they repeat.
    pub steps: Vec<(SimTime, u64)>,
    /// Time after which the steps repeat, later than the start of the last one; `None` if they do not.
    pub period: Option<SimSpan>,
}

/// Use of a resource of the whole cluster by jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonDemand {
    /// A job holds the requested units at any yield, and these for each task and for itself if it
    /// requests none, rounded up.
    Held {
        /// Units for each task.
        per_task: u64,
        /// Units for the job.
        per_job: u64,
        /// Number to whose multiples the units of a job are rounded up; at least one.
        granularity: u64,
    },
    /// The power that the tasks of a job draw above that of idle nodes, in milliwatts, in proportion to
    /// the yield but for that of used devices and sockets.
    Draw,
}

impl CommonResource {
    /// Returns the amount at a time.
    #[inline]
    pub fn amount_at(&self, time: SimTime) -> u64 {
        let time = self.period.map_or(time, |period| SimTime::from_micros(time.micros() % period.micros()));
        let next = self.steps.partition_point(|(from, _)| *from <= time);
        next.checked_sub(1).map_or(0, |at| self.steps[at].1)
    }
    /// Returns the amount of which a job that requests more is never sure to start: that after the last
    /// step, or the largest one of steps that repeat.
    #[inline]
    pub fn lasting_amount(&self) -> u64 {
        match self.period {
            Some(_) => self.largest_amount(),
            None => self.steps.last().map_or(0, |(_, amount)| *amount),
        }
    }
    /// Returns whether the amount never changes.
    #[inline]
    pub fn is_constant(&self) -> bool {
        self.steps.len() <= 1
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
        if self.period.is_some() {
            return self.smallest_amount();
        }
        let later = self.steps.iter().filter(|(from, _)| *from > time).map(|(_, amount)| *amount);
        later.fold(self.amount_at(time), u64::min)
    }
    /// Iterates over the steps that begin after a time, with their amounts: without end if they repeat,
    /// and then without those that change nothing.
    pub fn later_steps(&self, after: SimTime) -> impl Iterator<Item = (SimTime, u64)> + '_ {
        let period = self.period.map_or(0, SimSpan::micros);
        let first = after.micros().checked_div(period).unwrap_or(0);
        let last = u64::MAX.checked_div(period).map_or(0, |rounds| rounds.saturating_sub(1));
        let of_round = move |round: u64| {
            let at = move |from: SimTime| SimTime::from_micros(round * period + from.micros());
            self.steps
                .iter()
                .enumerate()
                .filter(move |(place, (_, amount))| {
                    let before = place.checked_sub(1).or(self.steps.len().checked_sub(1));
                    period == 0 || before.is_none_or(|before| self.steps[before].1 != *amount)
                })
                .map(move |(_, (from, amount))| (at(*from), *amount))
        };
        // A constant amount has no later steps.
        let rounds = (period == 0 || !self.is_constant()).then_some(first..=last);
        rounds.into_iter().flatten().flat_map(of_round).skip_while(move |(from, _)| *from <= after)
    }
    /// Returns the first time after a time at which the amount increases.
    pub fn next_rise(&self, after: SimTime) -> Option<SimTime> {
        let mut before = self.amount_at(after);
        let mut rises = self.later_steps(after).take(2 * self.steps.len());
        rises.find(|(_, amount)| *amount > std::mem::replace(&mut before, *amount)).map(|(from, _)| from)
    }
    /// Returns whether the amount increases at a time.
    #[inline]
    pub fn rises_at(&self, time: SimTime) -> bool {
        if self.is_constant() {
            return false;
        }
        let before = time.micros().checked_sub(1).map(SimTime::from_micros);
        before.is_some_and(|before| self.amount_at(time) > self.amount_at(before))
    }
    /// Iterates over the steps between two times as begin, end and amount.
    pub fn spans_between(
        &self,
        from: SimTime,
        until: SimTime,
    ) -> impl Iterator<Item = (SimTime, SimTime, u64)> {
        let mut later = self.later_steps(from).take_while(move |(begin, _)| *begin < until);
        let mut next = (from < until).then(|| (from, self.amount_at(from)));
        std::iter::from_fn(move || {
            let (begin, amount) = next?;
            next = later.next();
            Some((begin, next.map_or(until, |(end, _)| end), amount))
        })
    }
    /// Moves steps that repeat, so that the time zero is the given time after their start.
    pub fn begin_within(&mut self, since: SimSpan) {
        let Some(period) = self.period else { return };
        let since = since.micros() % period.micros();
        let now = self.amount_at(SimTime::from_micros(since));
        for (from, _) in &mut self.steps {
            *from = SimTime::from_micros((from.micros() + period.micros() - since) % period.micros());
        }
        self.steps.sort_unstable();
        if self.steps.first().is_none_or(|(from, _)| *from > SimTime::ZERO) {
            self.steps.insert(0, (SimTime::ZERO, now));
        }
        self.steps.dedup_by_key(|(_, amount)| *amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_follow_the_steps() {
        let second = SimTime::from_secs;
        let steps = vec![(SimTime::ZERO, 5), (second(10), 2), (second(20), 7)];
        let demand = CommonDemand::Held { per_task: 0, per_job: 0, granularity: 1 };
        let resource = CommonResource { name: "matlab".into(), demand, steps, period: None };
        let amounts = [0, 9, 10, 19, 20, 99].map(|at| resource.amount_at(second(at)));
        assert_eq!(amounts, [5, 5, 2, 2, 7, 7]);
        assert_eq!((resource.lasting_amount(), resource.largest_amount()), (7, 7));
        assert_eq!(resource.smallest_amount(), 2);
        assert_eq!([0, 10, 19, 20].map(|at| resource.smallest_from(second(at))), [2, 2, 2, 7]);
        assert_eq!(
            [0, 19, 20].map(|at| resource.next_rise(second(at))),
            [Some(second(20)), Some(second(20)), None]
        );
        assert_eq!(
            [0, 10, 19, 20, 21].map(|at| resource.rises_at(second(at))),
            [false, false, false, true, false]
        );
        let spans: Vec<_> = resource.spans_between(second(5), second(25)).collect();
        let expected = [(5, 10, 5), (10, 20, 2), (20, 25, 7)];
        assert_eq!(spans, expected.map(|(from, until, amount)| (second(from), second(until), amount)));
    }

    /// Amounts of 5, of 2 from 8 s and of 7 from 20 s on repeat every 24 s. Where time zero is 9 s after their
    /// start, it is 2 until 11 s, 7 until 15 s, 5 until 23 s, and then 2 again.
    #[test]
    fn steps_repeat_from_any_time_within_them() {
        let second = SimTime::from_secs;
        let steps = vec![(SimTime::ZERO, 5), (second(8), 2), (second(20), 7)];
        let demand = CommonDemand::Held { per_task: 0, per_job: 0, granularity: 1 };
        let period = Some(SimSpan::from_secs(24));
        let mut resource = CommonResource { name: "matlab".into(), demand, steps, period };
        assert_eq!([0, 7, 8, 20, 24, 32, 44].map(|at| resource.amount_at(second(at))), [5, 5, 2, 7, 5, 2, 7]);
        assert_eq!((resource.lasting_amount(), resource.smallest_from(second(21))), (7, 2));
        let later: Vec<_> = resource.later_steps(second(20)).take(3).collect();
        assert_eq!(later, [(second(24), 5), (second(32), 2), (second(44), 7)]);
        assert_eq!(
            [0, 20, 44].map(|at| resource.next_rise(second(at))),
            [20, 44, 68].map(|at| Some(second(at)))
        );
        assert_eq!([0, 24, 44, 68].map(|at| resource.rises_at(second(at))), [false, false, true, true]);
        resource.begin_within(SimSpan::from_secs(33));
        let expected = [(0, 2), (11, 7), (15, 5), (23, 2)];
        assert_eq!(resource.steps, expected.map(|(from, amount)| (second(from), amount)));
        // The step at the start of a round changes nothing.
        let later: Vec<_> = resource.later_steps(second(15)).take(3).collect();
        assert_eq!(later, [(second(23), 2), (second(35), 7), (second(39), 5)]);
        resource.steps = vec![(SimTime::ZERO, 4)];
        assert_eq!(resource.later_steps(SimTime::ZERO).next(), None);
        assert_eq!(resource.next_rise(SimTime::ZERO), None);
    }
}
