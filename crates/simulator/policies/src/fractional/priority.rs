//! Priority of jobs when not all can run (dissertation, section 5.2.3).

use super::{Fractional, FractionalOptions, PriorityRule};
use crate::site::PrioritySystem;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, SimTime, TotalF64, VirtualTime, Yield};
use std::cmp::{Ordering, Reverse};

/// Priority rule and its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Priority {
    rule: PriorityRule,
    /// Age bonus: seconds added to the flow time by the stretch rule (`/AHEAD`).
    age_bonus: f64,
    /// True if (flow time) / (virtual time)^2 is computed by its inverse in whole milliseconds.
    is_coarse: bool,
}

impl Priority {
    pub(super) fn new(policy: &Fractional, options: &FractionalOptions) -> Priority {
        let ahead = policy.extensions.age_bonus;
        // `/AHEAD` overrides the priority rule.
        let rule = if ahead.is_some() { PriorityRule::FlowOverVirtual } else { options.priority };
        let is_coarse = rule == PriorityRule::FlowOverVirtualSquared && options.readings.clock.is_some();
        Priority { rule, age_bonus: ahead.map_or(0.0, SimSpan::as_secs_f64), is_coarse }
    }

    /// Computes the priority of a job with this weight.
    pub(super) fn value(self, flow_time: SimSpan, virtual_time: VirtualTime, weight: u32) -> f64 {
        let weight = f64::from(weight);
        if self.is_coarse {
            let flow = u128::from(flow_time.micros() / 1_000).max(1);
            let done = (virtual_time.units() >> Yield::BITS) / 1_000;
            return -((done * done / flow) as f64) / (weight * weight);
        }
        if virtual_time.is_zero() {
            return f64::INFINITY;
        }
        let (flow_time, virtual_time) = (flow_time.as_secs_f64(), virtual_time.as_secs_f64());
        match self.rule {
            PriorityRule::FlowOverVirtualSquared => {
                weight * weight * (flow_time / (virtual_time * virtual_time))
            }
            PriorityRule::FlowOverVirtual => weight * ((flow_time + self.age_bonus) / virtual_time),
            PriorityRule::InverseVirtual => weight / virtual_time,
        }
    }

    /// Computes an upper bound on the priority of a job with this weight while it makes no progress.
    pub(super) fn bound(self, submit: SimTime, virtual_time: VirtualTime, weight: u32) -> PriorityBound {
        let done = virtual_time.as_secs_f64();
        let weight = f64::from(weight);
        let (factor, slope, constant) = match self.rule {
            PriorityRule::FlowOverVirtualSquared if self.is_coarse => (1.0, 0.0, f64::INFINITY),
            PriorityRule::FlowOverVirtualSquared => (weight * weight, 1.0 / (done * done), 0.0),
            PriorityRule::FlowOverVirtual => (weight, 1.0 / done, self.age_bonus / done),
            PriorityRule::InverseVirtual => (weight, 0.0, 1.0 / done),
        };
        let intercept = constant * (1.0 + 1e-12) - submit.as_secs_f64() * slope;
        PriorityBound { slope: factor * slope, intercept: factor * intercept }
    }
}

/// Linear upper bound on a priority as a function of time in seconds. It holds if the time is
/// overestimated by a factor of 1 + 1e-12, which exceeds all rounding errors. It is NaN for a job
/// that has made no progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriorityBound {
    pub(super) slope: f64,
    pub(super) intercept: f64,
}

/// Ranking of jobs at one time, by site tier, then priority.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranker<'a> {
    priority: Priority,
    site: Option<&'a PrioritySystem>,
    view: View<'a>,
}

impl<'a> Ranker<'a> {
    /// Creates the ranking for the jobs of a view, with the settings of a site if there are any.
    pub(super) fn new(priority: Priority, site: Option<&'a PrioritySystem>, view: View<'a>) -> Ranker<'a> {
        Ranker { priority, site, view }
    }

    /// Returns the rank of a job.
    pub(super) fn rank(self, job: JobHandle) -> Ranked {
        let tier = self.site.map_or(0, |site| site.tier(job));
        Ranked { tier, ..Ranked::new(self.policy_priority(job), self.view.job(job).sequence(), job) }
    }

    /// Computes the priority of a job by the policy alone.
    fn policy_priority(self, job: JobHandle) -> f64 {
        let job = self.view.job(job);
        self.priority.value(job.flow_time(), job.virtual_time(), job.weight())
    }

    /// Returns the first victim among these jobs: the one that a job may preempt if it may preempt
    /// any of them.
    pub(super) fn first_victim(self, jobs: impl Iterator<Item = JobHandle>) -> Option<Ranked> {
        let ranked = jobs.map(|job| (self.preemption_level(job), self.rank(job)));
        ranked.min_by_key(|(level, job)| (*level, job.priority)).map(|(_, job)| job)
    }

    fn preemption_level(self, job: JobHandle) -> u16 {
        self.site.map_or(0, |site| site.level(job))
    }

    /// Builds the claim of a job. It may preempt jobs of lower preemption levels and those of its
    /// own level; with a factor, the latter only if their priority by the policy is below the job's
    /// own priority divided by the factor.
    pub(super) fn claim(self, job: JobHandle, factor: Option<u32>) -> Claim {
        Claim { job, below: factor.map(|factor| self.policy_priority(job) / f64::from(factor)) }
    }

    /// Returns whether a claim may preempt a job.
    pub(super) fn may_preempt(self, claim: Claim, other: Ranked) -> bool {
        match self.preemption_level(claim.job).cmp(&self.preemption_level(other.job)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => claim.below.is_none_or(|below| other.priority.0 < below),
        }
    }
}

/// Jobs that a job may preempt; see [`Ranker::claim`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    job: JobHandle,
    below: Option<f64>,
}

/// A job and its rank; the greater one has precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    /// Tier assigned by the site; takes precedence over the priority.
    tier: u64,
    pub(super) priority: TotalF64,
    /// Index in the order of submission.
    sequence: Reverse<u64>,
    job: JobHandle,
}

impl Ranked {
    /// Sorts jobs by descending rank.
    pub(super) fn sort(jobs: &mut [Ranked]) {
        jobs.sort_unstable_by(|a, b| b.cmp(a));
    }
    pub(super) fn new(priority: f64, sequence: u64, job: JobHandle) -> Ranked {
        Ranked { tier: 0, priority: TotalF64(priority), sequence: Reverse(sequence), job }
    }
    pub(super) fn job(&self) -> JobHandle {
        self.job
    }
}
