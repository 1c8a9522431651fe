//! Resources that the cluster has as a whole: the amounts that jobs hold.

use crate::Rule;
use dfrsim_model::event::{ResourceOfCluster, UseOfResource};
use dfrsim_model::{SortedMap, Yield};

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

/// Returns the smallest amount of a resource from a time in microseconds on.
pub(crate) fn least_from(resource: &ResourceOfCluster, now: u64) -> u64 {
    let later = resource.steps.iter().filter(|(from, _)| *from > now).map(|step| step.1);
    later.chain([amount_at(resource, now)]).min().unwrap_or(0)
}

/// Returns the amount of a resource at a time in microseconds.
pub(crate) fn amount_at(resource: &ResourceOfCluster, now: u64) -> u64 {
    resource.steps.iter().rev().find(|(from, _)| *from <= now).map_or(0, |(_, amount)| *amount)
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
        resources.iter().all(|it| begins_at_zero(it) && rises(it))
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
