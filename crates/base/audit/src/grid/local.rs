//! What the policy of a cluster makes of its queue.

use crate::profile::{Profile, reservation};
use std::collections::BTreeMap;

/// The longest queue of which the plan is made again, and how many waiting jobs are looked at for one that should have started.
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

/// The cores that running jobs have.
pub(super) fn running_profile(now: u64, cores: u32, running: &BTreeMap<u64, (u64, u32)>) -> Profile {
    let mut profile = Profile::new(cores, now);
    for &(end, width) in running.values() {
        profile.take(now, end.max(now), width);
    }
    profile
}

/// The cores, the jobs on them and the queue.
pub(super) struct Situation<'a> {
    pub(super) local: Local,
    pub(super) now: u64,
    pub(super) cores: u32,
    /// By the job: when it is killed, and its width.
    pub(super) running: &'a BTreeMap<u64, (u64, u32)>,
    /// By the place in the queue.
    pub(super) queue: &'a BTreeMap<u64, Waiting>,
}

impl Situation<'_> {
    fn free(&self) -> u32 {
        let used: u64 = self.running.values().map(|&(_, width)| u64::from(width)).sum();
        u32::try_from(u64::from(self.cores).saturating_sub(used)).unwrap_or(0)
    }

    /// When another job would be expected to end, and of the plan for that the first job that should start now; `None` where the
    /// policy's plan depends on what happened before, or is too long.
    fn plan(&self, last: Option<(u32, u64)>) -> Option<(Option<u64>, u64)> {
        if self.local == Local::Conservative || self.queue.len() > LONGEST_QUEUE {
            return None;
        }
        let mut profile = running_profile(self.now, self.cores, self.running);
        let (mut from, mut at_once) = (self.now, None);
        let waiting = self.queue.values().map(|it| (Some(it.job), it.width, it.walltime));
        for (job, width, walltime) in waiting.chain(last.map(|(width, walltime)| (None, width, walltime))) {
            let start = profile.earliest_from(from, width, walltime);
            let end = start.saturating_add(walltime);
            profile.take(start, end, width);
            if self.local == Local::Fcfs {
                from = start;
            }
            match job {
                None => return Some((at_once, end)),
                Some(_) if start == self.now => at_once = at_once.or(job),
                Some(_) => {}
            }
        }
        Some((at_once, 0))
    }

    /// When a job is expected to end if it is submitted now, where that can be said.
    pub(super) fn expected_end(&self, width: u32, walltime: u64) -> Option<u64> {
        self.plan(Some((width, walltime))).map(|(_, end)| end)
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
            Local::ConservativeReplan => self.plan(None)?.0,
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
        reservation(self.now, self.free(), head.width, self.running.values().copied().collect())
    }

    /// The head of the queue, if EASY may not start this other job because of it.
    pub(super) fn delayed_by(&self, job: &Waiting) -> Option<u64> {
        let head = self.queue.values().next().filter(|head| head.job != job.job)?;
        let (shadow, spare) = self.reservation(head);
        let delays = self.now.saturating_add(job.walltime) > shadow && job.width > spare;
        (self.local == Local::Easy && delays).then_some(head.job)
    }
}
