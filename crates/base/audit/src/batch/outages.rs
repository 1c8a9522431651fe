//! Batch policies on clusters whose nodes go down or differ, node by node.
//!
//! A node is of use to a job at a moment if it is not down (but for a window that is over by then), no other job is expected to have it
//! then, no announced window begins on it before the job is expected to end, and a task of the job fits it. A job takes the fastest
//! nodes with which it can start: of each speed, from the highest on, it is judged whether nodes that are no slower suffice.

use super::check::{OVERRUN, Verdict};
use super::queue::Waiting;
use super::{BatchRule, Placing};
use crate::classes::Classes;
use crate::platform::{Platform, Window};
use dfrsim_model::{SimTime, Yield};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Running {
    nodes: Vec<u32>,
    /// The end of its estimate.
    end: u64,
}

/// What a policy knows of the platform, and the jobs on each node.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeByNode {
    down: Vec<bool>,
    windows: Vec<Window>,
    running: BTreeMap<u64, Running>,
    holders: BTreeMap<u32, u64>,
    /// The speed of each node, where they differ.
    speeds: Vec<u32>,
    /// The place of the class of each node, where they differ.
    class_of: Vec<usize>,
    /// How many classes have less than that of each node, where they differ.
    plenty: Vec<usize>,
    /// Which classes the tasks of a job fit, where nodes differ.
    fitting: BTreeMap<u64, Vec<bool>>,
}

/// The first job of the queue that does not start.
struct Head {
    job: u64,
    width: u32,
    /// When it can start, and the nodes of which it could have its own then; `None` if too many nodes are down.
    reservation: Option<(u64, Vec<u32>)>,
}

/// A start as it was decided.
#[derive(Clone, Copy)]
pub(super) struct Starting<'a> {
    pub(super) job: u64,
    pub(super) nodes: &'a [u32],
}

impl NodeByNode {
    pub(super) fn follow(&mut self, platform: &Platform) {
        self.down.clone_from(&platform.down);
        self.windows.clone_from(&platform.windows);
    }
    pub(super) fn differ(&mut self, classes: &Classes) {
        self.speeds = classes.speeds();
        self.class_of = classes.places();
        self.plenty = classes.plenty();
        self.down.resize(self.speeds.len(), false);
    }
    pub(super) fn fitting(&mut self, job: u64, fitting: Vec<bool>) {
        self.fitting.insert(job, fitting);
    }
    /// How many nodes the tasks of a job fit, where nodes differ.
    pub(super) fn nodes_for(&self, job: u64) -> Option<u32> {
        let fitting = self.fitting.get(&job)?;
        Some(self.class_of.iter().filter(|class| fitting[**class]).count() as u32)
    }
    fn fits(&self, job: u64, node: u32) -> bool {
        self.fitting.get(&job).is_none_or(|fitting| fitting[self.class_of[node as usize]])
    }
    fn speed(&self, node: u32) -> u32 {
        self.speeds.get(node as usize).copied().unwrap_or(Yield::ONE.units())
    }
    /// The different speeds, the highest first.
    fn all_speeds(&self) -> Vec<u32> {
        let mut speeds = if self.speeds.is_empty() { vec![Yield::ONE.units()] } else { self.speeds.clone() };
        speeds.sort_unstable_by(|a, b| b.cmp(a));
        speeds.dedup();
        speeds
    }
    /// When a job ends by its estimate that starts on these nodes.
    fn end_on(&self, start: u64, job: &Waiting, nodes: &[u32]) -> u64 {
        let slowest = nodes.iter().map(|&node| self.speed(node)).min();
        job.end_at(start, slowest.unwrap_or(Yield::ONE.units()))
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
    pub(super) fn start(&mut self, now: u64, job: &Waiting, nodes: &[u32]) {
        nodes.iter().for_each(|&node| _ = self.holders.insert(node, job.job));
        let end = self.end_on(now, job, nodes);
        self.running.insert(job.job, Running { nodes: nodes.to_vec(), end });
    }
    pub(super) fn is_running(&self, job: u64) -> bool {
        self.running.contains_key(&job)
    }

    /// The same with rounded ends of all running jobs.
    pub(super) fn rounded(&self, now: u64, rounded: impl Fn(u64) -> u64) -> NodeByNode {
        let mut same = self.clone();
        for job in same.running.values_mut() {
            job.end = rounded(if job.end <= now { now.saturating_add(OVERRUN) } else { job.end });
        }
        same
    }

    /// The window on a node that overlaps a time.
    fn window(&self, node: u32, from: u64, to: u64) -> Option<&Window> {
        self.windows.iter().find(|window| window.has(node) && window.from < to && window.until > from)
    }
    fn is_down(&self, node: u32) -> bool {
        self.down.get(node as usize).copied().unwrap_or(false)
    }
    /// The nodes that are free now.
    fn free_now(&self, now: u64) -> Vec<u32> {
        let is_free = |node: &u32| !self.is_down(*node) && !self.holders.contains_key(node);
        let nodes = (0..self.down.len() as u32).filter(is_free);
        nodes.filter(|&node| self.window(node, now, now + 1).is_none()).collect()
    }
    /// The free nodes that are of use to a job from now on if it takes none that are slower than a speed, and its end then; for each
    /// speed, the highest first.
    fn of_use_now(&self, now: u64, job: &Waiting) -> Vec<(Vec<u32>, u64)> {
        let free = self.free_now(now);
        let of_speed = |speed: u32| {
            let end = job.end_at(now, speed);
            let is_of_use = |node: &u32| {
                self.speed(*node) >= speed
                    && self.fits(job.job, *node)
                    && self.window(*node, now, end).is_none()
            };
            (free.iter().copied().filter(is_of_use).collect(), end)
        };
        self.all_speeds().into_iter().map(of_speed).collect()
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
        let speeds = self.all_speeds();
        moments.into_iter().filter(|&at| at >= least.max(now) && at < u64::MAX).find_map(|at| {
            speeds.iter().find_map(|&speed| {
                let end = job.end_at(at, speed);
                let is_of_use = |&(node, free): &(u32, Option<u64>)| {
                    free.is_some_and(|free| free <= at)
                        && self.speed(node) >= speed
                        && self.fits(job.job, node)
                        && self.window(node, at, end).is_none()
                };
                let nodes: Vec<u32> =
                    (0..).zip(free.iter().copied()).filter(is_of_use).map(|(node, _)| node).collect();
                (nodes.len() >= job.width as usize).then_some((at, nodes))
            })
        })
    }

    /// Whether a job that starts reaches into a window that was announced.
    fn reaches_window(&self, now: u64, job: &Waiting, nodes: &[u32]) -> Option<BatchRule> {
        let end = self.end_on(now, job, nodes);
        let found = nodes.iter().find_map(|&node| Some((node, self.window(node, now, end)?)));
        found.map(|(node, window)| BatchRule::IntoWindow { node, from: SimTime::from_micros(window.from) })
    }

    /// The nodes of these that a job gets: of sets of nodes with the same class and windows, first those outside of what is reserved, then
    /// those with the next window, then, where the rule says so, those of the class with least, then the lowest; within a set by the
    /// rule.
    fn chosen(
        &self,
        now: u64,
        of_use: &[u32],
        width: u32,
        placing: Placing,
        reserved: Option<&[u32]>,
    ) -> Vec<u32> {
        let kind = |node: u32| {
            let ahead = |window: &Window| window.has(node) && window.until > now;
            let windows = self.windows.iter().enumerate().filter(|(_, window)| ahead(window));
            let windows: Vec<usize> = windows.map(|(place, _)| place).collect();
            (self.class_of.get(node as usize).copied().unwrap_or(0), windows)
        };
        let mut sets: BTreeMap<(usize, Vec<usize>), Vec<u32>> = BTreeMap::new();
        of_use.iter().for_each(|&node| sets.entry(kind(node)).or_default().push(node));
        let rank = |(kind_of, nodes): (&(usize, Vec<usize>), &Vec<u32>)| {
            let is_reserved = reserved.is_some_and(|all| all.iter().any(|&node| kind(node) == *kind_of));
            let next = kind_of.1.iter().map(|&place| self.windows[place].from).filter(|&from| from > now);
            let plenty = self.plenty.get(nodes[0] as usize).filter(|_| placing == Placing::Best);
            let lowest = (0..self.down.len() as u32).find(|&node| kind(node) == *kind_of);
            (is_reserved, next.min().unwrap_or(u64::MAX), plenty.copied().unwrap_or(0), lowest)
        };
        let mut ranked: Vec<_> = sets.iter().map(|set| (rank(set), set.1)).collect();
        ranked.sort_unstable();
        let mut chosen: Vec<u32> = Vec::new();
        for (_, nodes) in ranked {
            chosen
                .extend(placing.nodes(nodes.iter().copied(), nodes.len().min(width as usize - chosen.len())));
        }
        chosen.sort_unstable();
        chosen
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

    /// Judges a decision of FCFS or, with backfilling, of EASY, job by job in the order of the queue, and the nodes that jobs get.
    pub(super) fn decide(
        &mut self,
        now: u64,
        queue: &[Waiting],
        (backfills, placing): (bool, Placing),
        starting: &[Starting<'_>],
        verdicts: &mut Vec<Verdict>,
    ) {
        let mut left = starting.len();
        let mut free_now = self.free_now(now).len();
        let mut head: Option<Head> = None;
        for job in queue {
            if left == 0 && (free_now == 0 || head.is_some() && !backfills) {
                return;
            }
            let started = starting.iter().find(|start| start.job == job.job);
            if started.is_none() && job.width as usize > free_now && head.is_some() {
                continue;
            }
            let rooms = self.of_use_now(now, job);
            let width = job.width;
            let free = rooms.iter().map(|(nodes, _)| nodes.len() as u32).max().unwrap_or(0);
            let first_room = rooms.iter().find(|(nodes, _)| nodes.len() as u32 >= width);
            let fits = first_room.is_some();
            // Only where speeds differ can it be on slower nodes than it could.
            let slow = |start: &Starting<'_>, room: Option<&(Vec<u32>, u64)>| {
                let end = self.end_on(now, job, start.nodes);
                let expected = room?.1;
                let [end_s, expected_s] = [end, expected].map(SimTime::from_micros);
                (end > expected).then_some(BatchRule::SlowerNodes { end: end_s, expected: expected_s })
            };
            let others = |start: &Starting<'_>, room: Option<&(Vec<u32>, u64)>, reserved: Option<&[u32]>| {
                let expected = self.chosen(now, &room?.0, width, placing, reserved);
                placing.fault(start.nodes.iter().copied(), &expected)
            };
            let rule = match &mut head {
                None if started.is_none() => {
                    let reservation = if backfills { self.reservation(now, job) } else { None };
                    head = Some(Head { job: job.job, width, reservation });
                    fits.then_some(BatchRule::HeadWaits { free, width })
                }
                None if !fits => Some(BatchRule::NoRoom { width, free }),
                None => started
                    .and_then(|start| slow(start, first_room).or_else(|| others(start, first_room, None))),
                Some(head) if !backfills => started.map(|_| BatchRule::OutOfTurn { head: head.job }),
                Some(Head { job: first, width: of_head, reservation }) => {
                    let spare = |nodes: &Vec<u32>| (nodes.len() as u32).saturating_sub(*of_head);
                    // The first room of which the job may take nodes.
                    let may_take = |(free, end): &&(Vec<u32>, u64)| {
                        let reserved = reservation.as_ref().filter(|(shadow, _)| end > shadow);
                        let all = free.len() as u32;
                        reserved.map_or(all >= width, |(_, nodes)| {
                            let inside = free.iter().filter(|node| nodes.contains(node)).count() as u32;
                            all - inside + inside.min(spare(nodes)) >= width
                        })
                    };
                    let room = rooms.iter().find(may_take);
                    let end = started.map_or(now, |start| self.end_on(now, job, start.nodes));
                    let contested = reservation.as_mut().filter(|(shadow, _)| end > *shadow);
                    match (contested, started) {
                        (_, Some(_)) if !fits => Some(BatchRule::NoRoom { width, free }),
                        (None, Some(start)) => slow(start, room).or_else(|| others(start, room, None)),
                        (Some((shadow, nodes)), Some(start)) => {
                            let before = spare(nodes);
                            let other = others(start, room, Some(nodes));
                            nodes.retain(|node| !start.nodes.contains(node));
                            let (shadow, end) = (SimTime::from_micros(*shadow), SimTime::from_micros(end));
                            let delays = (nodes.len() as u32) < *of_head;
                            delays
                                .then_some(BatchRule::DelaysHead {
                                    head: *first,
                                    shadow,
                                    end,
                                    width,
                                    spare: before,
                                })
                                .or_else(|| slow(start, room))
                                .or(other)
                        }
                        (_, None) => {
                            room.is_some().then_some(BatchRule::NotBackfilled { free, width, head: *first })
                        }
                    }
                }
            };
            verdicts.extend(rule.map(|rule| (job.job, rule)));
            if let Some(start) = started {
                left -= 1;
                verdicts.extend(self.reaches_window(now, job, start.nodes).map(|rule| (job.job, rule)));
                self.start(now, job, start.nodes);
                free_now = self.free_now(now).len();
            }
        }
    }
}
