//! Resources that the cluster has as a whole: the amounts that jobs hold.

use crate::Rule;
use dfrsim_model::event::{ResourceOfCluster, UseOfResource};
use dfrsim_model::{SortedMap, Yield};

/// Shortest time after which steps may repeat, in microseconds.
const SHORTEST_PERIOD: u64 = 1_000_000;

/// Amounts in use of all resources of the cluster, in units of 2^-20 of one. They are checked once per
/// time, after all changes of that time.
#[derive(Debug, Default)]
pub(crate) struct Common {
    resources: Vec<ResourceOfCluster>,
    used: Vec<u128>,
    /// Amounts in use before the changes of the policy at the current time.
    before: Vec<u128>,
    held: SortedMap<u64, Vec<u128>>,
    /// Amounts in use times microseconds, and the largest amounts in use.
    sums: Vec<u128>,
    largest: Vec<u128>,
    /// Line and job of the last change that began to hold an amount.
    last: (u64, u64),
}

/// Returns the microseconds after which the steps of a resource repeat; `None` if they do not.
pub(crate) fn period(resource: &ResourceOfCluster) -> Option<u64> {
    resource.period_us.filter(|&period| period > 0)
}

/// Returns the smallest amount of a resource from a time in microseconds on.
pub(crate) fn least_from(resource: &ResourceOfCluster, now: u64) -> u64 {
    let later = resource.steps.iter().filter(|(from, _)| period(resource).is_some() || *from > now);
    later.map(|step| step.1).chain([amount_at(resource, now)]).min().unwrap_or(0)
}

/// Returns the amount of a resource of which a job that requests more may never start: that of its last
/// step, or the largest one of steps that repeat.
pub(crate) fn lasting_amount(resource: &ResourceOfCluster) -> u64 {
    match period(resource) {
        Some(_) => resource.steps.iter().map(|step| step.1).max().unwrap_or(0),
        None => amount_at(resource, u64::MAX),
    }
}

/// Returns whether a job that needs these amounts for this long, in microseconds, has a time at which it may
/// run, as far as amounts that repeat matter.
pub(crate) fn has_round(needs: &[(&ResourceOfCluster, u64)], length: u64) -> bool {
    let is_bound =
        |(it, amount): &&(&ResourceOfCluster, u64)| period(it).is_some() && *amount > least_from(it, 0);
    let bound: Vec<_> = needs.iter().filter(is_bound).collect();
    let Some(longest) = bound.iter().filter_map(|(it, _)| period(it)).max() else { return true };
    let later = |at: u64| bound.iter().filter_map(|(it, _)| next_step(it, at)).min();
    let starts = std::iter::successors(Some(0), |&at| later(at)).take_while(|&at| at <= longest);
    let has_all = |start: u64| {
        let end = start.saturating_add(length.min(longest.saturating_mul(2)));
        let mut times = std::iter::successors(Some(start), |&at| later(at)).take_while(|&at| at < end);
        times.all(|at| bound.iter().all(|(it, amount)| amount_at(it, at) >= *amount))
    };
    { starts }.any(has_all)
}

/// Returns the amount of a resource at a time in microseconds.
pub(crate) fn amount_at(resource: &ResourceOfCluster, now: u64) -> u64 {
    let now = period(resource).map_or(now, |period| now % period);
    resource.steps.iter().rev().find(|(from, _)| *from <= now).map_or(0, |(_, amount)| *amount)
}

/// Returns the next time in microseconds at which the amount of a resource changes. Where steps do not
/// repeat, each of them counts.
pub(crate) fn next_step(resource: &ResourceOfCluster, now: u64) -> Option<u64> {
    let Some(period) = period(resource) else {
        return resource.steps.iter().map(|(from, _)| *from).find(|from| *from > now);
    };
    let begin = now - now % period;
    let rounds = [begin, begin.saturating_add(period), begin.saturating_add(period).saturating_add(period)];
    let starts = rounds
        .into_iter()
        .flat_map(|round| resource.steps.iter().map(move |(from, _)| round.saturating_add(*from)));
    let changes = |at: &u64| *at > now && amount_at(resource, *at) != amount_at(resource, *at - 1);
    { starts }.find(changes)
}

/// Returns whether the amount of a resource increases at a time in microseconds.
pub(crate) fn rises_at(resource: &ResourceOfCluster, now: u64) -> bool {
    now > 0 && amount_at(resource, now) > amount_at(resource, now - 1)
}

/// Returns the next time in microseconds at which the amount of a resource increases.
pub(crate) fn next_rise(resource: &ResourceOfCluster, now: u64) -> Option<u64> {
    let mut at = now;
    for _ in 0..2 * resource.steps.len() {
        at = next_step(resource, at)?;
        if rises_at(resource, at) {
            return Some(at);
        }
    }
    None
}

impl Common {
    /// Sets the resources; returns false if their steps are not in order.
    pub(crate) fn set(&mut self, resources: &[ResourceOfCluster]) -> bool {
        self.resources = resources.to_vec();
        self.used = vec![0; resources.len()];
        for all in [&mut self.before, &mut self.sums, &mut self.largest] {
            all.clone_from(&self.used);
        }
        let begins_at_zero = |it: &ResourceOfCluster| it.steps.first().is_some_and(|(from, _)| *from == 0);
        let rises = |it: &ResourceOfCluster| it.steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_behind = |it: &ResourceOfCluster, period: u64| it.steps.iter().all(|(from, _)| *from < period);
        let repeats_after = |it: &ResourceOfCluster| {
            it.period_us.is_none_or(|period| period >= SHORTEST_PERIOD && is_behind(it, period))
        };
        resources.iter().all(|it| begins_at_zero(it) && rises(it) && repeats_after(it))
    }
    /// Adds a time in microseconds in which jobs hold what they hold now.
    pub(crate) fn elapse(&mut self, span: u64) {
        for ((sum, largest), used) in self.sums.iter_mut().zip(&mut self.largest).zip(&self.used) {
            *sum = sum.saturating_add(used.saturating_mul(span.into()));
            *largest = (*largest).max(*used);
        }
    }
    /// Returns the names of the resources other than power, and their use over a time in microseconds.
    pub(crate) fn uses(&self, span: u64) -> (Vec<String>, Vec<UseOfResource>) {
        let of = |((sum, largest), resource): ((&u128, &u128), &ResourceOfCluster)| {
            let mean = *sum as f64 / f64::from(Yield::ONE.units()) / span as f64;
            let largest = u64::try_from(*largest >> Yield::BITS).unwrap_or(u64::MAX);
            (resource.name.clone(), UseOfResource { mean, largest })
        };
        let all = self.sums.iter().zip(&self.largest).zip(&self.resources);
        all.filter(|(_, resource)| !resource.power).map(of).unzip()
    }
    /// Returns the resources.
    pub(crate) fn resources(&self) -> &[ResourceOfCluster] {
        &self.resources
    }
    /// Returns the amount of a resource that is in use, rounded up.
    pub(crate) fn used(&self, place: usize) -> u64 {
        let used = self.used.get(place).map_or(0, |used| used.div_ceil(1 << Yield::BITS));
        u64::try_from(used).unwrap_or(u64::MAX)
    }
    /// Sets the amounts that a running job holds at a yield, except for the power at a lower speed level,
    /// which is given, and given the power that does not follow the yield.
    pub(crate) fn hold(
        &mut self,
        (line, job): (u64, u64),
        (amounts, power): (&[u64], Option<u64>),
        fixed_power: u64,
        job_yield: u32,
    ) {
        if self.resources.is_empty() {
            return;
        }
        self.take(job);
        let of = |(resource, amount): (&ResourceOfCluster, &u64)| {
            let amount = power.filter(|_| resource.power).unwrap_or(*amount);
            let fixed = if resource.power { fixed_power.min(amount) } else { amount };
            (u128::from(fixed) << Yield::BITS) + u128::from(amount - fixed) * u128::from(job_yield)
        };
        let held: Vec<u128> = self.resources.iter().zip(amounts).map(of).collect();
        self.used.iter_mut().zip(&held).for_each(|(used, amount)| *used += amount);
        self.held.insert(job, held);
        self.last = (line, job);
    }
    /// Releases the amounts of a job within the changes of the policy.
    pub(crate) fn take(&mut self, job: u64) {
        let held = self.held.remove(&job).unwrap_or_default();
        self.used.iter_mut().zip(held).for_each(|(used, amount)| *used -= amount);
    }
    /// Releases the amounts of a job that leaves.
    pub(crate) fn release(&mut self, job: u64) {
        self.take(job);
        self.before.iter_mut().zip(&self.used).for_each(|(before, used)| *before = (*used).min(*before));
    }
    /// Checks that no resource is exceeded whose use has grown. When its amount falls, jobs may
    /// keep their units.
    pub(crate) fn settle(&mut self, now: u64, mut fault: impl FnMut((u64, u64), Rule)) {
        for ((resource, used), before) in self.resources.iter().zip(&self.used).zip(&self.before) {
            let amount = amount_at(resource, now);
            if used > before && *used > u128::from(amount) << Yield::BITS {
                let used = *used as f64 / f64::from(Yield::ONE.units());
                let name = &resource.name;
                let rule = format!("the {name} of the cluster is over-committed: {used} of {amount}");
                fault(self.last, rule.into());
            }
        }
        self.before.clone_from(&self.used);
    }
}
