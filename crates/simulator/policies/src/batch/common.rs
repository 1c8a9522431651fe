//! Resources of the whole cluster (licences, power) under a batch policy.
//!
//! A job holds its amounts on any nodes, for as long as it has them. A cluster without such resources
//! has no [`CommonAmounts`], and takes the paths of plain clusters everywhere.

use super::profile::Profile;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::common::CommonResource;
use dfrsim_model::{SimSpan, SimTime};

/// Amounts of all resources of the whole cluster, and those that jobs hold.
#[derive(Clone, Debug)]
pub(super) struct CommonAmounts {
    resources: Vec<CommonResource>,
    /// True if an amount changes over time.
    has_steps: bool,
    /// Largest amount of all times, and what jobs leave of it.
    largest: Vec<u64>,
    left: Vec<u64>,
    /// Smallest amount of all times.
    smallest: Vec<u64>,
    /// Smallest amount that a job seen so far requests at some level, if an amount may become too small.
    least: Vec<u64>,
    /// Largest number of tasks that can run at once, each on a node of its own; `None` if tasks share
    /// nodes.
    most_tasks: Option<u64>,
    /// True if an amount may become too small for the jobs seen so far: so many tasks, each with the
    /// largest part of a task, need more than the smallest amount of all times.
    can_bind: bool,
    /// Free amounts over time in the current cycle, beside running jobs and the reservation of the queue
    /// head; present once they are needed.
    over_time: Option<Vec<Profile>>,
}

impl CommonAmounts {
    /// Creates the amounts of an idle cluster; `None` if there are no such resources. `most_tasks` is the
    /// largest number of tasks that can run at once, if each has a node of its own; `before` are the
    /// amounts before the nodes changed.
    pub(super) fn new(
        classes: Option<&NodeClasses>,
        most_tasks: Option<u64>,
        before: Option<&CommonAmounts>,
    ) -> Option<Box<CommonAmounts>> {
        let resources = classes.map(NodeClasses::common).filter(|resources| !resources.is_empty())?;
        let largest: Vec<u64> = resources.iter().map(CommonResource::largest_amount).collect();
        Some(Box::new(CommonAmounts {
            has_steps: resources.iter().any(|resource| !resource.is_constant()),
            smallest: resources.iter().map(CommonResource::smallest_amount).collect(),
            least: vec![u64::MAX; resources.len()],
            largest: largest.clone(),
            left: largest,
            most_tasks,
            can_bind: most_tasks.is_none() || before.is_some_and(CommonAmounts::can_bind),
            resources: resources.to_vec(),
            over_time: None,
        }))
    }

    /// Learns the amounts of a job that may start, at one of its speed levels. This is needed only once
    /// an amount may become too small.
    pub(super) fn learn_least(&mut self, amounts: &[u64]) {
        self.least.iter_mut().zip(amounts).for_each(|(least, amount)| *least = (*least).min(*amount));
    }

    /// Learns the amounts of a job with this number of tasks.
    pub(super) fn learn(&mut self, amounts: &[u64], tasks: u64) {
        let Some(most) = self.most_tasks.filter(|_| !self.can_bind) else { return };
        let mut each = self.smallest.iter().zip(amounts);
        self.can_bind =
            each.any(|(smallest, amount)| amount.saturating_mul(most) > smallest.saturating_mul(tasks));
    }

    /// Returns whether an amount may become too small for the jobs seen so far.
    pub(super) fn can_bind(&self) -> bool {
        self.can_bind
    }

    /// Returns whether a job with these amounts can run at some time, for as long as it may take.
    pub(super) fn can_hold(&self, amounts: &[u64]) -> bool {
        self.resources.iter().zip(amounts).all(|(resource, amount)| *amount <= resource.lasting_amount())
    }

    /// Returns whether a job of this length that needs more than the smallest amounts of resources that
    /// repeat can run at some time of a round, if it is the only one.
    pub(super) fn has_round_for(&self, amounts: &[u64], length: SimSpan) -> bool {
        let pairs = self.resources.iter().zip(amounts);
        let is_bound =
            |(it, amount): &(&CommonResource, &u64)| it.period.is_some() && **amount > it.smallest_amount();
        let bound: Vec<(&CommonResource, &u64)> = pairs.filter(is_bound).collect();
        // No amount lasts for two rounds.
        let round = self.longest_period();
        let length = length.min(round.saturating_add(round));
        let has_all = |start: SimTime| {
            let end = start.saturating_add(length);
            { bound.iter() }.all(|(it, amount)| it.spans_between(start, end).all(|span| span.2 >= **amount))
        };
        let rises = std::iter::successors(Some(SimTime::ZERO), |&at| {
            bound.iter().filter_map(|(it, _)| it.next_rise(at)).min()
        });
        bound.is_empty() || { rises }.take_while(|&at| at <= SimTime::ZERO.saturating_add(round)).any(has_all)
    }

    /// Changes what jobs leave by the amounts of a job.
    pub(super) fn change(&mut self, amounts: &[u64], change: impl Fn(&mut u64, u64)) {
        self.left.iter_mut().zip(amounts).for_each(|(left, amount)| change(left, *amount));
    }

    /// Returns whether so little of a resource is free now that no job seen so far can start.
    pub(super) fn is_full(&self, now: SimTime) -> bool {
        self.can_bind && self.least.iter().enumerate().any(|(at, least)| self.free_now(at, now) < *least)
    }

    /// Returns what is free now of each resource; `None` if no amount can become too small.
    pub(super) fn left_now(&self, now: SimTime) -> Option<Vec<u64>> {
        self.can_bind.then(|| (0..self.left.len()).map(|at| self.free_now(at, now)).collect())
    }

    /// Returns what the plan of the cycle leaves of each resource at a time; `None` if it has none.
    pub(super) fn left_in_plan(&self, time: SimTime) -> Option<Vec<u64>> {
        self.over_time.as_ref().map(|all| all.iter().map(|profile| profile.min_free(time, time)).collect())
    }

    fn free_now(&self, at: usize, now: SimTime) -> u64 {
        match &self.over_time {
            Some(profiles) => profiles[at].min_free(now, now),
            None => {
                let in_use = self.largest[at] - self.left[at];
                self.resources[at].amount_at(now).saturating_sub(in_use)
            }
        }
    }

    /// Returns whether these amounts are free from `start` to `end`. In a cycle whose plan has not been
    /// made, `start` must be the current time.
    pub(super) fn fits(&self, amounts: &[u64], start: SimTime, end: SimTime) -> bool {
        let mut requested = amounts.iter().enumerate().filter(|(_, amount)| **amount > 0);
        requested.all(|(at, amount)| match &self.over_time {
            Some(profiles) => profiles[at].min_free(start, end) >= *amount,
            None => {
                let in_use = self.largest[at] - self.left[at];
                in_use + amount <= self.resources[at].amount_at(start)
            }
        })
    }

    /// Creates the amounts over time from `now` on, while no job runs.
    pub(super) fn profiles(&self, now: SimTime) -> impl Iterator<Item = Profile> {
        self.resources.iter().map(move |resource| Profile::of_common(resource, now))
    }

    /// Begins a cycle; returns whether it needs a plan from its start on.
    pub(super) fn begin_cycle(&mut self) -> bool {
        self.over_time = None;
        self.has_steps && self.can_bind
    }

    /// Returns whether what is left now suffices for all of these amounts together. Amounts that do not
    /// change over time then limit none of their jobs in the cycle, which needs no plan.
    pub(super) fn suffices<'a>(&self, amounts: impl IntoIterator<Item = &'a [u64]>) -> bool {
        if !self.can_bind {
            return true;
        }
        let mut left = self.left.clone();
        let mut take = |amounts: &[u64]| {
            left.iter_mut().zip(amounts).all(|(left, amount)| {
                let rest = left.checked_sub(*amount);
                *left = rest.unwrap_or(0);
                rest.is_some()
            })
        };
        !self.has_steps && amounts.into_iter().all(&mut take)
    }

    /// Returns whether the cycle has a plan.
    pub(super) fn has_plan(&self) -> bool {
        self.over_time.is_some()
    }

    /// Makes the plan of a cycle, given the amounts of the running jobs with the times at which they are
    /// expected to release them, in ascending order.
    pub(super) fn plan<'a>(&mut self, now: SimTime, running: impl Iterator<Item = (SimTime, &'a [u64])>) {
        let mut profiles: Vec<Profile> = self.profiles(now).collect();
        for (profile, (largest, left)) in profiles.iter_mut().zip(self.largest.iter().zip(&self.left)) {
            profile.reserve(now, SimTime::MAX, largest - left);
        }
        // In the order of their ends, jobs change the end of a profile only.
        for (end, amounts) in running {
            for (profile, amount) in profiles.iter_mut().zip(amounts) {
                profile.release(end, SimTime::MAX, *amount);
            }
        }
        self.over_time = Some(profiles);
    }

    /// Reserves amounts in the plan of the cycle, if it has one.
    pub(super) fn reserve(&mut self, amounts: &[u64], start: SimTime, end: SimTime) {
        for (profile, amount) in self.over_time.iter_mut().flatten().zip(amounts) {
            profile.reserve(start, end, *amount);
        }
    }

    /// Releases amounts in the plan of the cycle, if it has one.
    pub(super) fn release(&mut self, amounts: &[u64], start: SimTime, end: SimTime) {
        for (profile, amount) in self.over_time.iter_mut().flatten().zip(amounts) {
            profile.release(start, end, *amount);
        }
    }

    /// Returns whether an amount increases now.
    pub(super) fn rises_now(&self, now: SimTime) -> bool {
        self.resources.iter().any(|resource| resource.rises_at(now))
    }

    /// Returns the first time after `after` at which an amount increases.
    pub(super) fn next_rise(&self, after: SimTime) -> Option<SimTime> {
        self.resources.iter().filter_map(|resource| resource.next_rise(after)).min()
    }

    /// Returns the longest time after which amounts repeat; zero if none does.
    pub(super) fn longest_period(&self) -> SimSpan {
        let periods = self.resources.iter().filter_map(|resource| resource.period);
        periods.max().unwrap_or(SimSpan::ZERO)
    }

    /// Returns the first time after `after` at which an amount increases that may be of use to a search
    /// for a start, given the last time at which something else has changed: if no start is found in two
    /// rounds of amounts that repeat, there is none without another change.
    pub(super) fn next_rise_of_search(&self, after: SimTime, changed: SimTime) -> Option<SimTime> {
        let is_of_use = |resource: &&CommonResource| {
            let period = resource.period.map(|_| self.longest_period());
            period.is_none_or(|period| after <= changed.saturating_add(period).saturating_add(period))
        };
        let rises = self.resources.iter().filter(is_of_use);
        rises.filter_map(|resource| resource.next_rise(after)).min()
    }
}
