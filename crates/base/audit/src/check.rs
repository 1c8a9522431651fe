//! Interface between the auditor and the rules of a policy.

use crate::devices::Triples;
use crate::job::Job;
use crate::nodes::Kind;
use crate::platform::Platform;
use dfrsim_model::event::ResourceOfCluster;
use dfrsim_model::site::{PreemptMode, SiteSettings};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Jobs in the system by submission index.
pub(crate) type Jobs = BTreeMap<u64, Job>;

/// Callback for a violation: the job, the time, the line if there is one, and the message.
pub(crate) type ReportViolation<'a> = &'a mut dyn FnMut(u64, u64, Option<u64>, String);

/// Change of a job by a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) line: u64,
    pub(crate) job: u64,
    /// Name of the record.
    pub(crate) record: &'static str,
    /// New placement and yield, if the record has them.
    pub(crate) on: &'a [(u32, u32)],
    pub(crate) job_yield: u32,
    /// Speed level after the record.
    pub(crate) level: u32,
}

/// Rules of a policy, which check its decisions. Violations by a record that are independent of the
/// whole decision are returned at once as a message.
pub(crate) trait Check: fmt::Debug {
    /// Learns the node kinds of a cluster with unequal nodes.
    fn classes(&mut self, kinds: &Arc<Vec<Kind>>);
    /// Learns the resources that the cluster has as a whole.
    fn common(&mut self, _resources: &[ResourceOfCluster]) {}
    /// Learns the settings of the site and the kinds of nodes.
    fn priority(&mut self, settings: &SiteSettings, kinds: &[Kind]);
    /// Learns about failures, repairs, and announced windows.
    fn platform(&mut self, platform: &Platform);

    /// Learns which nodes are awake before the decision at a time, if some may sleep.
    fn awake(&mut self, _awake: Vec<bool>) {}

    /// Handles the arrival of a job.
    fn submit(&mut self, number: u64, now: u64, job: &Job);
    /// Checks a change of a job.
    fn change(&mut self, change: Change<'_>) -> Option<String>;
    /// Learns the devices of the job that was placed last.
    fn bind(&mut self, _job: u64, _devices: &Triples) {}
    /// Checks the preemption of a job, which may wait with a remaining estimate. Unless the policy has
    /// other rules, jobs are paused.
    fn preempt(
        &mut self,
        line: u64,
        job: u64,
        now: u64,
        mode: PreemptMode,
        waits: Option<u64>,
    ) -> Option<String> {
        if mode == PreemptMode::Suspend {
            return self.change(Change { line, job, record: "pause", on: &[], job_yield: 0, level: 0 });
        }
        self.interrupt(job, now, waits);
        Some("it is preempted by an interruption, but under this policy jobs are paused".to_owned())
    }
    /// Handles the interruption of a job by a node failure; it waits with a remaining estimate, or
    /// is lost.
    fn interrupt(&mut self, number: u64, now: u64, waits: Option<u64>);
    /// Handles the completion of a job.
    fn complete(&mut self, number: u64, now: u64, job: &Job);
    /// Handles the departure of a waiting job that the policy did not decide on.
    fn withdraw(&mut self, number: u64, now: u64);

    /// Checks the decision at a time, after all its records.
    fn settle(&mut self, now: u64, jobs: &Jobs, fault: ReportViolation<'_>);
    /// Learns the time of the first decision of a policy that takes over a running system.
    fn take_over(&mut self, first_decision: u64);
    /// Handles the jobs that started at a time before the first decision, after all of its records.
    fn adopt(&mut self, now: u64, jobs: &Jobs);
    /// Learns that the first decision is due, if it is not that of the first event.
    fn begin(&mut self);
    /// Checks that no decision was due between two consecutive times with records.
    fn pass(&mut self, now: u64, until: u64, jobs: &Jobs, fault: ReportViolation<'_>);
    /// Tells the rules that the cluster is one of a grid.
    fn join_grid(&mut self) {}
    /// Describes the decisions that were not checked; `None` if all were.
    fn not_judged(&self) -> Option<String> {
        None
    }
}
