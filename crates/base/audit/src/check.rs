//! What the rules of a policy are asked while a record is followed.

use crate::job::Job;
use crate::nodes::Kind;
use crate::platform::Platform;
use dfrsim_model::priority::{PreemptMode, Priorities};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The jobs in the system, by their place in the order of submission.
pub(crate) type Jobs = BTreeMap<u64, Job>;

/// Takes a fault: the job, the moment, the line if it has one, and what is wrong.
pub(crate) type Report<'a> = &'a mut dyn FnMut(u64, u64, Option<u64>, String);

/// A record that says that a job changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) line: u64,
    pub(crate) job: u64,
    /// The name of the record.
    pub(crate) record: &'static str,
    /// Its nodes and its yield from now on, where the record has them.
    pub(crate) on: &'a [(u32, u32)],
    pub(crate) job_yield: u32,
}

/// Judges the decisions of a policy. A fault of a record that does not depend on the decision is returned at once, in words.
pub(crate) trait Check: fmt::Debug {
    /// Nodes differ.
    fn classes(&mut self, kinds: &Arc<Vec<Kind>>);
    /// The site has settings, and nodes of these kinds.
    fn priority(&mut self, settings: &Priorities, kinds: &[Kind]);
    /// Nodes have gone down or come up, or a window was announced.
    fn platform(&mut self, platform: &Platform);

    /// A job arrives.
    fn submit(&mut self, number: u64, now: u64, job: &Job);
    /// A job changes.
    fn change(&mut self, change: Change<'_>) -> Option<String>;
    /// A job makes room for another one, and may wait again with an estimate.
    fn preempt(
        &mut self,
        line: u64,
        job: u64,
        now: u64,
        mode: PreemptMode,
        waits: Option<u64>,
    ) -> Option<String>;
    /// A node of a job went down: it waits again with an estimate, or is lost.
    fn interrupt(&mut self, number: u64, now: u64, waits: Option<u64>);
    /// A job is done.
    fn complete(&mut self, number: u64, now: u64, job: &Job);
    /// A waiting job leaves, though the policy did not decide that.
    fn withdraw(&mut self, number: u64, now: u64);

    /// Judges the decision of a moment of which all records are known.
    fn settle(&mut self, now: u64, jobs: &Jobs, fault: Report<'_>);
    /// Judges the decisions that were due between one moment and the next for which there are records.
    fn pass(&mut self, now: u64, until: u64, jobs: &Jobs, fault: Report<'_>);
    /// What of the decisions was not judged.
    fn not_judged(&self) -> Option<String> {
        None
    }
}
