//! Interruptions that nodes going down force on jobs, demanded at their moment.

use crate::check::Jobs;
use crate::platform::Platform;
use crate::{Phase, Rule};
use std::collections::BTreeMap;

/// Node that went down under a job, with the line of the record.
#[derive(Clone, Copy, Debug)]
struct LostNode {
    node: u32,
    line: u64,
}

/// Jobs that have to be interrupted before any other event of the current time.
#[derive(Debug, Default)]
pub(crate) struct DueInterruptions(BTreeMap<u64, LostNode>);

impl DueInterruptions {
    /// Adds the running jobs on nodes that are down, after nodes went down in a line.
    pub(crate) fn add(&mut self, line: u64, jobs: &Jobs, platform: &Platform) {
        for (&number, job) in jobs.iter().filter(|(_, job)| job.phase == Phase::Running) {
            let lost = platform.first_down(&job.placement).map(|node| LostNode { node, line });
            lost.into_iter().for_each(|lost| _ = self.0.entry(number).or_insert(lost));
        }
    }

    /// Removes a job that was interrupted or has left.
    pub(crate) fn settle(&mut self, job: u64) {
        self.0.remove(&job);
    }

    /// Takes the jobs that were not interrupted, each with the violation.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (u64, Rule)> {
        std::mem::take(&mut self.0).into_iter().map(|(job, LostNode { node, line })| {
            let rule = format!("it is not interrupted, although its node {node} goes down in line {line}");
            (job, rule.into())
        })
    }
}
