//! What the policy of a cluster makes of its queue.

use super::running::Running;
use crate::profile::{Profile, reservation};
use std::collections::BTreeMap;

/// The longest queue of which the plan is made again, and how many waiting jobs are examined for one that should have started.
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
    /// When it joined.
    pub(super) since: u64,
}

/// The cores, the jobs on them and the queue.
pub(super) struct Situation<'a> {
    pub(super) local: Local,
    pub(super) now: u64,
    pub(super) cores: u32,
    pub(super) running: &'a Running,
    /// By the place in the queue.
    pub(super) queue: &'a BTreeMap<u64, Waiting>,
}

impl Situation<'_> {
    fn free(&self) -> u32 {
        u32::try_from(u64::from(self.cores).saturating_sub(self.running.cores())).unwrap_or(0)
    }

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

    /// A job that should have started by now.
    pub(super) fn overdue(&self) -> Option<u64> {
        let head = self.queue.values().next()?;
        let free = self.free();
        if free == 0 {
            return None;
        }
        match self.local {
            // Its reservation was the only one from the beginning.
            Local::Conservative => {
                let is_first = self.queue.len() == 1 && head.since == self.now;
                (is_first && head.width <= free).then_some(head.job)
            }
            Local::ConservativeReplan => {
                let mut at_once = None;
                self.plan(|job, start| at_once = at_once.or((start == self.now).then_some(job.job)))?;
                at_once
            }
            Local::Fcfs => (head.width <= free).then_some(head.job),
            Local::Easy if head.width <= free => Some(head.job),
            Local::Easy => {
                let others = self.queue.values().skip(1).take(LONGEST_QUEUE);
                let (shadow, spare) = self.reservation(head);
                others
                    .filter(|job| job.width <= free)
                    .find(|job| self.now.saturating_add(job.walltime) <= shadow || job.width <= spare)
                    .map(|job| job.job)
            }
        }
    }

    /// When the head of the queue can start, and how many cores it leaves then.
    fn reservation(&self, head: &Waiting) -> (u64, u32) {
        reservation(self.now, self.free(), head.width, self.running.ends())
    }

    /// The head of the queue, if EASY may not start this other job because of it.
    pub(super) fn delayed_by(&self, job: &Waiting) -> Option<u64> {
        let head = self.queue.values().next().filter(|head| head.job != job.job)?;
        let (shadow, spare) = self.reservation(head);
        let delays = self.now.saturating_add(job.walltime) > shadow && job.width > spare;
        (self.local == Local::Easy && delays).then_some(head.job)
    }
}
