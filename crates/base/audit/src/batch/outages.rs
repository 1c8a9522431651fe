//! Batch policies on clusters whose nodes go down, node by node.
//!
//! A node is of use to a job at a moment if it is not down (but for a window that is over by then), no other job is expected to have it
//! then, and no announced window begins on it before the job is expected to end.

use super::BatchRule;
use super::check::{OVERRUN, Verdict};
use super::queue::Waiting;
use crate::platform::{Platform, Window};
use dfrsim_model::SimTime;
use std::collections::BTreeMap;

#[derive(Debug)]
struct Running {
    nodes: Vec<u32>,
    /// The end of its estimate.
    end: u64,
}

/// What a policy knows of the platform, and the jobs on each node.
#[derive(Debug, Default)]
pub(super) struct NodeByNode {
    down: Vec<bool>,
    windows: Vec<Window>,
    running: BTreeMap<u64, Running>,
    holders: BTreeMap<u32, u64>,
}

/// The first job of the queue that does not start.
struct Head {
    job: u64,
    width: u32,
    /// When it can start, and the nodes of which it could have its own then; `None` if too many nodes are down.
    reservation: Option<(u64, Vec<u32>)>,
}

/// A start as it was decided.
pub(super) struct Starting<'a> {
    pub(super) job: u64,
    pub(super) nodes: &'a [u32],
}

impl NodeByNode {
    pub(super) fn follow(&mut self, platform: &Platform) {
        self.down.clone_from(&platform.down);
        self.windows.clone_from(&platform.windows);
    }
    pub(super) fn leave(&mut self, job: u64) {
        if let Some(running) = self.running.remove(&job) {
            for node in running.nodes {
                if self.holders.get(&node) == Some(&job) {
                    self.holders.remove(&node);
                }
            }
        }
    }
    fn start(&mut self, now: u64, job: &Waiting, nodes: &[u32]) {
        nodes.iter().for_each(|&node| _ = self.holders.insert(node, job.job));
        let end = now.saturating_add(job.estimate);
        self.running.insert(job.job, Running { nodes: nodes.to_vec(), end });
    }
    pub(super) fn is_running(&self, job: u64) -> bool {
        self.running.contains_key(&job)
    }

    /// The window on a node that overlaps a time.
    fn window(&self, node: u32, from: u64, to: u64) -> Option<&Window> {
        self.windows.iter().find(|window| window.has(node) && window.from < to && window.until > from)
    }
    fn is_down(&self, node: u32) -> bool {
        self.down.get(node as usize).copied().unwrap_or(false)
    }
    /// The free nodes that are of use to a job for so long from now on.
    fn of_use_now(&self, now: u64, span: u64) -> Vec<u32> {
        let end = now.saturating_add(span);
        let is_free = |node: &u32| !self.is_down(*node) && !self.holders.contains_key(node);
        let nodes = (0..self.down.len() as u32).filter(is_free);
        nodes.filter(|&node| self.window(node, now, end).is_none()).collect()
    }

    /// When each node is expected to be free, if that is known: of those in use when their job ends or has to make way for a window.
    fn free_from(&self, now: u64) -> Vec<Option<u64>> {
        let mut free: Vec<Option<u64>> = (0..self.down.len() as u32)
            .map(|node| (!self.is_down(node) || self.window(node, now, now + 1).is_some()).then_some(now))
            .collect();
        for job in self.running.values() {
            let expected = if job.end <= now { now.saturating_add(OVERRUN) } else { job.end };
            let windows = self.windows.iter().filter(|window| window.from > now);
            let in_the_way = windows.filter(|window| job.nodes.iter().any(|&node| window.has(node)));
            let end = in_the_way.map(|window| window.from).fold(expected, u64::min);
            for &node in &job.nodes {
                free[node as usize] = free[node as usize].map(|_| end);
            }
        }
        free
    }

    /// The earliest moment at which enough nodes are of use to a job, and those nodes.
    fn reservation(&self, now: u64, job: &Waiting) -> Option<(u64, Vec<u32>)> {
        let free = self.free_from(now);
        let mut moments: Vec<u64> = free.iter().copied().flatten().collect();
        moments.extend(self.windows.iter().map(|window| window.until));
        moments.sort_unstable();
        moments.dedup();
        // Before this many nodes are free at all, there is none.
        let mut known: Vec<u64> = free.iter().copied().flatten().collect();
        known.sort_unstable();
        let least = *known.get(job.width.checked_sub(1)? as usize)?;
        moments.into_iter().filter(|&at| at >= least.max(now) && at < u64::MAX).find_map(|at| {
            let end = at.saturating_add(job.estimate);
            let is_of_use = |&(node, free): &(u32, Option<u64>)| {
                free.is_some_and(|free| free <= at) && self.window(node, at, end).is_none()
            };
            let nodes: Vec<u32> =
                (0..).zip(free.iter().copied()).filter(is_of_use).map(|(node, _)| node).collect();
            (nodes.len() >= job.width as usize).then_some((at, nodes))
        })
    }

    /// Whether a job that starts reaches into a window that was announced.
    fn reaches_window(&self, now: u64, job: &Waiting, nodes: &[u32]) -> Option<BatchRule> {
        let end = now.saturating_add(job.estimate);
        let found = nodes.iter().find_map(|&node| Some((node, self.window(node, now, end)?)));
        found.map(|(node, window)| BatchRule::IntoWindow { node, from: SimTime::from_micros(window.from) })
    }

    /// Takes in the starts of a policy whose other rules are not judged.
    pub(super) fn take(
        &mut self,
        now: u64,
        queue: &[Waiting],
        starting: &[Starting<'_>],
        verdicts: &mut Vec<Verdict>,
    ) {
        for start in starting {
            if let Some(job) = queue.iter().find(|job| job.job == start.job) {
                verdicts.extend(self.reaches_window(now, job, start.nodes).map(|rule| (job.job, rule)));
                self.start(now, job, start.nodes);
            }
        }
    }

    /// Judges a decision of FCFS or, with backfilling, of EASY, job by job in the order of the queue.
    pub(super) fn decide(
        &mut self,
        now: u64,
        queue: &[Waiting],
        backfills: bool,
        starting: &[Starting<'_>],
        verdicts: &mut Vec<Verdict>,
    ) {
        let mut left = starting.len();
        let mut free_now = self.of_use_now(now, 1).len();
        let mut head: Option<Head> = None;
        for job in queue {
            if left == 0 && (free_now == 0 || head.is_some() && !backfills) {
                return;
            }
            let started = starting.iter().find(|start| start.job == job.job);
            if started.is_none() && job.width as usize > free_now && head.is_some() {
                continue;
            }
            let of_use = self.of_use_now(now, job.estimate);
            let (free, width) = (of_use.len() as u32, job.width);
            let fits = free >= width;
            let rule = match &mut head {
                None if started.is_none() => {
                    let reservation = if backfills { self.reservation(now, job) } else { None };
                    head = Some(Head { job: job.job, width, reservation });
                    fits.then_some(BatchRule::HeadWaits { free, width })
                }
                None => (!fits).then_some(BatchRule::NoRoom { width, free }),
                Some(head) if !backfills => started.map(|_| BatchRule::OutOfTurn { head: head.job }),
                Some(Head { job: first, width: of_head, reservation }) => {
                    let end = now.saturating_add(job.estimate);
                    let contested = reservation.as_mut().filter(|(shadow, _)| end > *shadow);
                    let spare = |nodes: &Vec<u32>| (nodes.len() as u32).saturating_sub(*of_head);
                    match (contested, started) {
                        (_, Some(_)) if !fits => Some(BatchRule::NoRoom { width, free }),
                        (None, Some(_)) => None,
                        (Some((shadow, nodes)), Some(start)) => {
                            let before = spare(nodes);
                            nodes.retain(|node| !start.nodes.contains(node));
                            let (shadow, end) = (SimTime::from_micros(*shadow), SimTime::from_micros(end));
                            let delays = (nodes.len() as u32) < *of_head;
                            delays.then_some(BatchRule::DelaysHead {
                                head: *first,
                                shadow,
                                end,
                                width,
                                spare: before,
                            })
                        }
                        (contested, None) => {
                            let may = contested.is_none_or(|(_, nodes)| {
                                let inside = of_use.iter().filter(|node| nodes.contains(node)).count() as u32;
                                free - inside + inside.min(spare(nodes)) >= width
                            });
                            (fits && may).then_some(BatchRule::NotBackfilled { free, width, head: *first })
                        }
                    }
                }
            };
            verdicts.extend(rule.map(|rule| (job.job, rule)));
            if let Some(start) = started {
                left -= 1;
                verdicts.extend(self.reaches_window(now, job, start.nodes).map(|rule| (job.job, rule)));
                self.start(now, job, start.nodes);
                free_now = self.of_use_now(now, 1).len();
            }
        }
    }
}
