//! The policies whose rules can be checked.

use crate::Rule;
use crate::batch::{BatchCheck, BatchPolicy, BatchRule};
use crate::classes::Classes;
use crate::fractional::{FractionalCheck, FractionalPolicy, FractionalRule, Size};
use crate::job::Job;
use crate::platform::Platform;
use dfrsim_model::SimSpan;
use dfrsim_model::named::UnknownName;
use dfrsim_model::priority::{PreemptMode, Priorities};
use std::collections::BTreeMap;
use std::fmt;

/// A policy whose rules can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedPolicy {
    /// A [batch policy](crate::batch).
    Batch(BatchPolicy),
    /// A [fractional policy](crate::fractional).
    Fractional(FractionalPolicy),
}

impl CheckedPolicy {
    /// The policy of this name; the period, which is above 0, is that of its ticks, if it has any.
    ///
    /// # Errors
    /// If no policy of this name can be checked.
    pub fn parse(name: &str, period: SimSpan) -> Result<CheckedPolicy, UnknownName> {
        match FractionalPolicy::parse(name, period) {
            Some(policy) => Ok(CheckedPolicy::Fractional(policy)),
            None => BatchPolicy::parse(name).map(CheckedPolicy::Batch).ok_or_else(|| {
                let batch = BatchPolicy::all().map(|policy| policy.to_string());
                UnknownName::new("policy to check", name, batch.chain(["EQUIPARTITION".into()]))
            }),
        }
    }

    pub(crate) fn check(self, nodes: u32) -> PolicyCheck {
        match self {
            CheckedPolicy::Batch(policy) => PolicyCheck::Batch(Box::new(BatchCheck::new(policy, nodes))),
            CheckedPolicy::Fractional(policy) => {
                PolicyCheck::Fractional(Box::new(FractionalCheck::new(policy, nodes)))
            }
        }
    }
}

impl fmt::Display for CheckedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckedPolicy::Batch(policy) => policy.fmt(f),
            CheckedPolicy::Fractional(policy) => policy.fmt(f),
        }
    }
}

/// A fault of a decision: the job, the moment, the line if it has one, and the rule.
pub(crate) type PolicyFault = (u64, u64, Option<u64>, Rule);

/// Follows what a policy decides.
#[derive(Debug)]
pub(crate) enum PolicyCheck {
    Batch(Box<BatchCheck>),
    Fractional(Box<FractionalCheck>),
}

impl PolicyCheck {
    pub(crate) fn submit(&mut self, number: u64, now: u64, job: &Job) {
        match self {
            PolicyCheck::Batch(batch) => batch.submit(number, now, job),
            PolicyCheck::Fractional(fractional) => fractional.submit(number, now, job),
        }
    }

    pub(crate) fn complete(&mut self, number: u64, now: u64) {
        match self {
            PolicyCheck::Batch(batch) => batch.complete(number, now),
            PolicyCheck::Fractional(fractional) => fractional.complete(number, now),
        }
    }

    /// The site has settings.
    pub(crate) fn priority(&mut self, settings: &Priorities) {
        match self {
            PolicyCheck::Batch(batch) => batch.priority(settings),
            PolicyCheck::Fractional(fractional) => fractional.priority(settings),
        }
    }

    /// Nodes differ.
    pub(crate) fn classes(&mut self, classes: &Classes) {
        match self {
            PolicyCheck::Batch(batch) => batch.classes(classes),
            PolicyCheck::Fractional(fractional) => fractional.classes(classes),
        }
    }

    /// It is known what the tasks of a job that was just submitted take of nodes that differ.
    pub(crate) fn fitting(&mut self, number: u64, job: &Job, classes: &Classes) {
        let fitting = classes.fitting(number, job.need, job.memory);
        match self {
            PolicyCheck::Batch(batch) => {
                batch.fitting(number, fitting, classes.task(number, job.need, job.memory));
            }
            PolicyCheck::Fractional(fractional) => {
                let [held, used] = classes.held_and_used(number, job.need, job.memory);
                fractional.fitting(number, Size { held, used, allowed: fitting });
            }
        }
    }

    /// Nodes have gone down or come up, or a window was announced.
    pub(crate) fn platform(&mut self, platform: &Platform) {
        match self {
            PolicyCheck::Batch(batch) => batch.platform(platform),
            PolicyCheck::Fractional(fractional) => fractional.platform(platform),
        }
    }

    /// A job, which waits now or is lost, was on these nodes.
    pub(crate) fn interrupt(&mut self, number: u64, now: u64, job: &Job, is_lost: bool) {
        match self {
            PolicyCheck::Batch(batch) => {
                batch.interrupt(number, now, (!is_lost).then(|| job.remaining()));
            }
            PolicyCheck::Fractional(fractional) => fractional.interrupt(number, now, is_lost),
        }
    }

    /// A job starts or goes on, on these nodes, which were found to be right.
    pub(crate) fn start(
        &mut self,
        line: u64,
        number: u64,
        on: &[(u32, u32)],
        (record, job_yield): (&'static str, u32),
    ) -> Option<Rule> {
        match self {
            PolicyCheck::Batch(batch) if record == "start" || batch.preempts() => {
                batch.start(line, number, on, job_yield).map(Rule::Batch)
            }
            _ => self.change(line, number, record),
        }
    }

    /// A job has left its nodes to make room for another one.
    pub(crate) fn preempt(
        &mut self,
        place: (u64, u64),
        now: u64,
        mode: PreemptMode,
        estimate: u64,
    ) -> Option<Rule> {
        match self {
            PolicyCheck::Batch(batch) => batch
                .preempt(place, now, mode, (mode != PreemptMode::Cancel).then_some(estimate))
                .map(Rule::Batch),
            PolicyCheck::Fractional(fractional) if mode == PreemptMode::Suspend => {
                fractional.change(place.0, place.1, "pause");
                None
            }
            PolicyCheck::Fractional(fractional) => {
                fractional.interrupt(place.1, now, mode == PreemptMode::Cancel);
                Some(FractionalRule::NotPaused.into())
            }
        }
    }

    /// A job is about to change otherwise.
    pub(crate) fn change(&mut self, line: u64, number: u64, record: &'static str) -> Option<Rule> {
        match self {
            _ if record == "kill" => Some(Rule::KilledByPolicy),
            PolicyCheck::Batch(batch) if record == "reject" => batch.reject(number).map(Rule::Batch),
            PolicyCheck::Batch(_) => Some(BatchRule::Change { record }.into()),
            PolicyCheck::Fractional(fractional) => {
                fractional.change(line, number, record);
                None
            }
        }
    }

    /// What of the decisions so far was not judged.
    pub(crate) fn not_judged(&self) -> Option<String> {
        match self {
            PolicyCheck::Batch(_) => None,
            PolicyCheck::Fractional(fractional) => fractional.not_judged(),
        }
    }

    /// Judges the decision of a moment when all of its records are known.
    pub(crate) fn settle(&mut self, now: u64, jobs: &BTreeMap<u64, Job>, mut fault: impl FnMut(PolicyFault)) {
        match self {
            PolicyCheck::Batch(batch) => {
                batch.settle(now, &mut |job, at, line, rule| fault((job, at, line, rule.into())));
            }
            PolicyCheck::Fractional(fractional) => {
                fractional.settle(now, jobs, |job, line, rule| fault((job, now, line, rule.into())));
            }
        }
    }

    /// Checks the decisions that the policy should have taken between one time and the next, for which the file has no
    /// records.
    pub(crate) fn pass(
        &mut self,
        now: u64,
        until: u64,
        jobs: &BTreeMap<u64, Job>,
        mut fault: impl FnMut(PolicyFault),
    ) {
        match self {
            PolicyCheck::Batch(batch) => {
                batch.pass(now, until, &mut |job, at, line, rule| fault((job, at, line, rule.into())));
            }
            PolicyCheck::Fractional(fractional) => {
                fractional.pass(until, jobs, |job, at, rule| fault((job, at, None, rule.into())));
            }
        }
    }
}
