//! The order of jobs when not all can run (dissertation, section 5.2.3).

use super::{Fractional, FractionalOptions, PriorityRule};
use crate::site::Site;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{SimSpan, SimTime, Total, VirtualTime, Yield};
use std::cmp::{Ordering, Reverse};

/// A rule by the clock that it counts with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Priority {
    rule: PriorityRule,
    /// In seconds: what flow times count more by the rule of the stretch.
    ahead: f64,
    /// Whether (flow time) / (virtual time)^2 counts by its inverse in whole milliseconds.
    is_coarse: bool,
}

impl Priority {
    pub(super) fn new(policy: &Fractional, options: &FractionalOptions) -> Priority {
        let ahead = policy.extensions.ahead;
        // `/AHEAD` replaces the rule.
        let rule = if ahead.is_some() { PriorityRule::FlowOverVirtual } else { options.priority };
        let is_coarse = rule == PriorityRule::FlowOverVirtualSquared && options.readings.clock.is_some();
        Priority { rule, ahead: ahead.map_or(0.0, SimSpan::as_secs_f64), is_coarse }
    }

    /// The priority of a job of this weight.
    pub(super) fn of(self, flow_time: SimSpan, virtual_time: VirtualTime, weight: u32) -> f64 {
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
            PriorityRule::FlowOverVirtual => weight * ((flow_time + self.ahead) / virtual_time),
            PriorityRule::InverseVirtual => weight / virtual_time,
        }
    }

    /// A bound on the priority of a job of this weight that does no more work.
    pub(super) fn bound(self, submit: SimTime, virtual_time: VirtualTime, weight: u32) -> PriorityBound {
        let done = virtual_time.as_secs_f64();
        let weight = f64::from(weight);
        let (factor, slope, constant) = match self.rule {
            PriorityRule::FlowOverVirtualSquared if self.is_coarse => (1.0, 0.0, f64::INFINITY),
            PriorityRule::FlowOverVirtualSquared => (weight * weight, 1.0 / (done * done), 0.0),
            PriorityRule::FlowOverVirtual => (weight, 1.0 / done, self.ahead / done),
            PriorityRule::InverseVirtual => (weight, 0.0, 1.0 / done),
        };
        let intercept = constant * (1.0 + 1e-12) - submit.as_secs_f64() * slope;
        PriorityBound { slope: factor * slope, intercept: factor * intercept }
    }
}

/// A straight line over the time in seconds, which no priority is above if that time is a millionth of a millionth too late,
/// which is more than all that rounding does. It is not a number for a job without any work.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriorityBound {
    pub(super) slope: f64,
    pub(super) intercept: f64,
}

/// What the ranks of jobs come from at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranker<'a> {
    priority: Priority,
    site: Option<&'a Site>,
    view: View<'a>,
}

impl<'a> Ranker<'a> {
    /// For the jobs of a view, with the settings of a site if there are any.
    pub(super) fn new(priority: Priority, site: Option<&'a Site>, view: View<'a>) -> Ranker<'a> {
        Ranker { priority, site, view }
    }

    /// The rank of a job.
    pub(super) fn of(self, job: JobHandle) -> Ranked {
        let tier = self.site.map_or(0, |site| site.tier(job));
        Ranked { tier, ..Ranked::new(self.own(job), self.view.job(job).sequence(), job) }
    }

    /// The priority of a job by the policy.
    fn own(self, job: JobHandle) -> f64 {
        let job = self.view.job(job);
        self.priority.of(job.flow_time(), job.virtual_time(), job.weight())
    }

    /// The one of these jobs that others may make leave if they may do so with any.
    pub(super) fn first_to_leave(self, jobs: impl Iterator<Item = JobHandle>) -> Option<Ranked> {
        let ranked = jobs.map(|job| (self.level(job), self.of(job)));
        ranked.min_by_key(|(level, job)| (*level, job.priority)).map(|(_, job)| job)
    }

    fn level(self, job: JobHandle) -> u16 {
        self.site.map_or(0, |site| site.level(job))
    }

    /// What a job may make leave: not one of a higher level, nor, where there is a factor, one of its own level whose priority by the
    /// policy is at least a part of its own.
    pub(super) fn claim(self, job: JobHandle, factor: Option<u32>) -> Claim {
        Claim { job, below: factor.map(|factor| self.own(job) / f64::from(factor)) }
    }

    /// Whether a claim makes a job leave.
    pub(super) fn makes_leave(self, claim: Claim, other: Ranked) -> bool {
        match self.level(claim.job).cmp(&self.level(other.job)) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => claim.below.is_none_or(|below| other.priority.0 < below),
        }
    }
}

/// See [`Ranker::claim`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    job: JobHandle,
    below: Option<f64>,
}

/// A job and its rank: compared, the higher is the one that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    /// What a site says of it, which comes before its own priority.
    tier: u64,
    pub(super) priority: Total,
    /// Its place in the order of submission.
    sequence: Reverse<u64>,
    job: JobHandle,
}

impl Ranked {
    /// Sorts jobs, the highest first.
    pub(super) fn sort(jobs: &mut [Ranked]) {
        jobs.sort_unstable_by(|a, b| b.cmp(a));
    }
    pub(super) fn new(priority: f64, sequence: u64, job: JobHandle) -> Ranked {
        Ranked { tier: 0, priority: Total(priority), sequence: Reverse(sequence), job }
    }
    pub(super) fn job(&self) -> JobHandle {
        self.job
    }
}
