//! What the policy of a cluster makes of its queue.

use super::running::Running;
use crate::profile::Profile;
use dfrsim_model::SortedMap;

/// The longest queue of which the plan is made again.
pub const LONGEST_QUEUE: usize = 64;

/// A policy whose rules are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Local {
    Fcfs,
    Easy,
    Conservative,
    ConservativeReplan,
}

impl Local {
    pub(super) fn parse(name: &str) -> Option<Local> {
        Some(match name {
            "FCFS" => Local::Fcfs,
            "EASY" => Local::Easy,
            "CONS" | "CBF" => Local::Conservative,
            "CONS/REPLAN" | "CBF-REPLAN" => Local::ConservativeReplan,
            _ => return None,
        })
    }

    /// Whether no job completes later than was expected when it was submitted.
    pub(super) fn keeps_promises(self) -> bool {
        matches!(self, Local::Fcfs | Local::Conservative)
    }
}

/// A job that waits; times are those of this cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) job: u64,
    pub(super) width: u32,
    pub(super) walltime: u64,
}

/// The cores, the jobs on them and the queue.
pub(super) struct Situation<'a> {
    pub(super) local: Local,
    pub(super) now: u64,
    pub(super) cores: u32,
    pub(super) running: &'a Running,
    /// By the place in the queue.
    pub(super) queue: &'a SortedMap<u64, Waiting>,
}

impl Situation<'_> {
    /// Shows when each waiting job starts by the plan; gives what is left of the cores, and from when on another job could have
    /// them. `None` where the policy's plan depends on what happened before, or is too long.
    pub(super) fn plan(&self, mut show: impl FnMut(&Waiting, u64)) -> Option<(Profile, u64)> {
        if self.local == Local::Conservative || self.queue.len() > LONGEST_QUEUE {
            return None;
        }
        let mut profile = Profile::of_running(self.cores, self.now, self.running.ends());
        let mut from = self.now;
        for job in self.queue.values() {
            let start = profile.earliest_from(from, job.width, job.walltime);
            profile.take(start, start.saturating_add(job.walltime), job.width);
            if self.local == Local::Fcfs {
                from = start;
            }
            show(job, start);
        }
        Some((profile, from))
    }

    /// When a job is expected to end if it is submitted now, where that can be said.
    pub(super) fn expected_end(&self, width: u32, walltime: u64) -> Option<u64> {
        let (profile, from) = self.plan(|_, _| {})?;
        Some(profile.earliest_from(from, width, walltime).saturating_add(walltime))
    }
}
