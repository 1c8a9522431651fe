//! Several tasks on a node, node by node and task by task.
//!
//! A task holds whole cores, memory and all that it asks for of other resources. What is free at a moment is what nodes have without the
//! jobs that are expected to be there then.

use super::BatchRule;
use super::check::{OVERRUN, Verdict};
use super::placing::Packing;
use super::queue::Waiting;
use crate::classes::Classes;
use dfrsim_model::{SimTime, Yield};
use std::collections::BTreeMap;

/// What tasks take, or nodes have: cores, memory, then the other resources.
type Amounts = Vec<u64>;
/// Nodes, each with a number of tasks.
type On = Vec<(u32, u32)>;

#[derive(Debug)]
struct Running {
    on: On,
    /// The end of its estimate.
    end: u64,
}

/// The nodes, and the jobs on them.
#[derive(Debug)]
pub(super) struct Packed {
    packing: Packing,
    /// Of nodes in turn.
    has: Vec<Amounts>,
    speeds: Vec<u32>,
    class_of: Vec<usize>,
    /// What a task of each job takes, and which classes it fits.
    tasks: BTreeMap<u64, (Amounts, Vec<bool>)>,
    running: BTreeMap<u64, Running>,
}

/// The first job of the queue that does not start.
struct Head<'a> {
    job: &'a Waiting,
    /// When it can start, and the speed of the slowest nodes that it takes then.
    reservation: (u64, u32),
}

impl Packed {
    /// `None` if it is not known how many cores nodes have.
    pub(super) fn new(packing: Packing, classes: &Classes) -> Option<Packed> {
        Some(Packed {
            packing,
            has: classes.amounts()?,
            speeds: classes.speeds(),
            class_of: classes.places(),
            tasks: BTreeMap::new(),
            running: BTreeMap::new(),
        })
    }
    pub(super) fn submit(&mut self, job: u64, task: Amounts, fitting: Vec<bool>) {
        self.tasks.insert(job, (task, fitting));
    }
    pub(super) fn leave(&mut self, job: u64) {
        self.running.remove(&job);
    }
    pub(super) fn is_running(&self, job: u64) -> bool {
        self.running.contains_key(&job)
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        0..self.has.len() as u32
    }
    fn speed(&self, node: u32) -> u32 {
        self.speeds[node as usize]
    }
    /// The different speeds, the highest first.
    fn all_speeds(&self) -> Vec<u32> {
        let mut speeds = self.speeds.clone();
        speeds.sort_unstable_by(|a, b| b.cmp(a));
        speeds.dedup();
        speeds
    }
    fn end_on(&self, start: u64, job: &Waiting, on: &On) -> u64 {
        let slowest = on.iter().map(|&(node, _)| self.speed(node)).min();
        job.end_at(start, slowest.unwrap_or(Yield::ONE.units()))
    }
    fn expected_end(now: u64, job: &Running) -> u64 {
        if job.end <= now { now.saturating_add(OVERRUN) } else { job.end }
    }

    /// What is left of a node's resources under tasks of a job.
    fn without(&self, free: &Amounts, job: u64, tasks: u32) -> Amounts {
        if tasks > 0 && self.packing == Packing::Exclusive {
            return vec![0; free.len()];
        }
        let task = &self.tasks[&job].0;
        free.iter().zip(task).map(|(free, task)| free.saturating_sub(task * u64::from(tasks))).collect()
    }
    /// What is free on each node under the jobs that stay.
    fn free(&self, stays: impl Fn(&Running) -> bool) -> Vec<Amounts> {
        let mut free = self.has.clone();
        for (&job, running) in self.running.iter().filter(|(_, running)| stays(running)) {
            for &(node, tasks) in &running.on {
                free[node as usize] = self.without(&free[node as usize], job, tasks);
            }
        }
        free
    }
    /// How many tasks of a job a node has room for.
    fn room(&self, node: u32, job: u64, free: &Amounts) -> u32 {
        let (task, fitting) = &self.tasks[&job];
        let whole = *free == self.has[node as usize] || self.packing == Packing::Shared;
        if !fitting[self.class_of[node as usize]] || !whole {
            return 0;
        }
        let most = free.iter().zip(task).filter(|(_, task)| **task > 0).map(|(free, task)| free / task).min();
        most.map_or(u32::MAX, |most| u32::try_from(most).unwrap_or(u32::MAX))
    }
    /// How many tasks of a job there is room for on nodes that are no slower than a speed.
    fn total(&self, job: u64, speed: u32, free: &[Amounts]) -> u64 {
        let nodes = self.nodes().filter(|&node| self.speed(node) >= speed);
        nodes.map(|node| u64::from(self.room(node, job, &free[node as usize]))).sum()
    }
    /// How many tasks of a job an empty cluster has room for, if that is known.
    pub(super) fn most(&self, job: u64) -> Option<u32> {
        self.tasks.get(&job)?;
        Some(u32::try_from(self.total(job, 0, &self.has)).unwrap_or(u32::MAX))
    }

    /// The earliest moment at which jobs end and there is room for a job then, and the speed of its nodes.
    fn reservation(&self, now: u64, job: &Waiting) -> Option<(u64, u32)> {
        let mut moments: Vec<u64> = self.running.values().map(|it| Packed::expected_end(now, it)).collect();
        moments.sort_unstable();
        moments.into_iter().find_map(|at| {
            let free = self.free(|it| Packed::expected_end(now, it) > at);
            let speeds = self.all_speeds().into_iter();
            let mut enough = speeds.filter(|&speed| self.total(job.job, speed, &free) >= job.width.into());
            enough.next().map(|speed| (at, speed))
        })
    }

    /// Tasks of a job on the lowest nodes, at most as many on each as is said.
    fn lowest(&self, width: u32, most: impl Fn(u32) -> u32) -> On {
        let mut on = On::new();
        let mut missing = width;
        for node in self.nodes() {
            let tasks = most(node).min(missing);
            missing -= tasks;
            if tasks > 0 {
                on.push((node, tasks));
            }
        }
        on
    }

    /// The room that the head of the queue has at its reservation beside a job.
    fn left(&self, now: u64, head: &Head<'_>, job: u64, on: &On) -> u64 {
        let (shadow, speed) = head.reservation;
        let mut then = self.free(|it| Packed::expected_end(now, it) > shadow);
        for &(node, tasks) in on {
            then[node as usize] = self.without(&then[node as usize], job, tasks);
        }
        self.total(head.job.job, speed, &then)
    }

    /// Where a job would start now, behind the head if there is one.
    fn expected(&self, now: u64, job: &Waiting, head: Option<&Head<'_>>) -> Option<On> {
        let free = self.free(|_| true);
        self.all_speeds().into_iter().find_map(|speed| {
            let room = |node: u32| {
                if self.speed(node) < speed { 0 } else { self.room(node, job.job, &free[node as usize]) }
            };
            if self.total(job.job, speed, &free) < job.width.into() {
                return None;
            }
            let contested = head.filter(|head| job.end_at(now, speed) > head.reservation.0);
            let Some(head) = contested else { return Some(self.lowest(job.width, room)) };
            let then = self.free(|it| Packed::expected_end(now, it) > head.reservation.0);
            let harmless = |node: u32| {
                let of_head = |tasks: u32| {
                    let free = self.without(&then[node as usize], job.job, tasks);
                    self.room(node, head.job.job, &free)
                };
                let of_use = self.speed(node) >= head.reservation.1;
                (1..=room(node).min(job.width))
                    .take_while(|&tasks| !of_use || of_head(tasks) == of_head(0))
                    .count() as u32
            };
            let cheap = self.lowest(job.width, harmless);
            let has = |node: u32| cheap.iter().find(|part| part.0 == node).map_or(0, |part| part.1);
            let missing = job.width - cheap.iter().map(|part| part.1).sum::<u32>();
            let dear = self.lowest(missing, |node| room(node) - has(node));
            let both =
                |node: u32| has(node) + dear.iter().find(|part| part.0 == node).map_or(0, |part| part.1);
            let on = self.lowest(job.width, both);
            (self.left(now, head, job.job, &on) >= head.job.width.into()).then_some(on)
        })
    }

    /// Judges a decision, job by job in the order of the queue.
    pub(super) fn decide(
        &mut self,
        now: u64,
        queue: &[Waiting],
        backfills: bool,
        starting: &[(u64, On)],
        verdicts: &mut Vec<Verdict>,
    ) {
        let mut left = starting.len();
        let mut head: Option<Head<'_>> = None;
        for job in queue {
            if left == 0 && head.is_some() && !backfills {
                return;
            }
            let found = starting.iter().find(|(starting, _)| *starting == job.job).map(|(_, on)| on);
            let may_start = head.is_none() || backfills;
            let expected = if may_start { self.expected(now, job, head.as_ref()) } else { None };
            let width = job.width;
            let room = self.total(job.job, 0, &self.free(|_| true));
            let rule = match (found, &expected, &head) {
                (None, None, _) => None,
                (None, Some(_), _) => Some(BatchRule::RoomUnused { room, width }),
                (Some(_), None, None) => Some(BatchRule::NoRoomForTasks { room, width }),
                (Some(_), None, Some(_)) if room < width.into() => {
                    Some(BatchRule::NoRoomForTasks { room, width })
                }
                (Some(_), None, Some(head)) if !backfills => {
                    Some(BatchRule::OutOfTurn { head: head.job.job })
                }
                (Some(on), None, Some(head)) => Some(BatchRule::CostsHeadItsRoom {
                    head: head.job.job,
                    shadow: SimTime::from_micros(head.reservation.0),
                    end: SimTime::from_micros(self.end_on(now, job, on)),
                    left: self.left(now, head, job.job, on),
                    of_head: head.job.width,
                }),
                (Some(on), Some(expected), _) => Packed::other_tasks(on, expected),
            };
            verdicts.extend(rule.map(|rule| (job.job, rule)));
            if let Some(on) = found {
                left -= 1;
                self.running.insert(job.job, Running { on: on.clone(), end: self.end_on(now, job, on) });
            } else if head.is_none() {
                let Some(reservation) = self.reservation(now, job) else { continue };
                head = Some(Head { job, reservation });
            }
        }
    }

    fn other_tasks(found: &On, expected: &On) -> Option<BatchRule> {
        let on = |all: &On, node: u32| all.iter().find(|part| part.0 == node).map_or(0, |part| part.1);
        let mut nodes: Vec<u32> = found.iter().chain(expected).map(|part| part.0).collect();
        nodes.sort_unstable();
        let node = nodes.into_iter().find(|&node| on(found, node) != on(expected, node))?;
        Some(BatchRule::OtherTasks { node, tasks: on(found, node), expected: on(expected, node) })
    }
}
