//! EASY that backfills into spare nodes only.

use super::node_use::NodeUse;
use super::pools::{Head, Pools, Room, Split};
use super::queue::Waiting;
use super::running::Run;
use super::scheduler::{BatchScheduler, Beside};
use dfrsim_cluster::{Decision, JobHandle, View};
use dfrsim_model::SimTime;

/// The nodes that a job waits for.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) job: Waiting,
    /// What it keeps from others as far as that is free: nodes that are free already, or, where tasks share nodes, room on certain nodes.
    held: Split,
    /// The nodes that it takes of running jobs when they end, where a task has a node of its own.
    awaited: Vec<(JobHandle, Split)>,
}

/// What a reservation holds, and what it awaits.
type Bound = (Split, Vec<(JobHandle, Split)>);

impl Reserved {
    /// Binds those of the nodes that can be a job's at the earliest moment at which there are enough that are free latest; `None` if
    /// there is no such moment. Running jobs are in the order in which they are expected to leave, then of submission.
    fn bind(pools: &Pools, now: SimTime, job: &Waiting, releases: &[(SimTime, &Run)]) -> Option<Bound> {
        let head = Head::new(pools, now, job, releases.iter().copied())?;
        let in_time = &releases[..releases.partition_point(|(end, _)| *end <= head.time)];
        Some(match pools.node_use {
            NodeUse::Whole => Reserved::bind_numbers(pools, &head, job, in_time),
            NodeUse::Shared | NodeUse::Exclusive => {
                (Reserved::bind_nodes(pools, &head, job, in_time), Vec::new())
            }
        })
    }

    fn bind_numbers(pools: &Pools, head: &Head, job: &Waiting, releases: &[(SimTime, &Run)]) -> Bound {
        let (mut rooms, mut missing) = (head.rooms(job.job.width), job.job.width);
        let mut awaited = Vec::new();
        for (_, run) in releases.iter().rev() {
            let mut taken = Split::default();
            let mut parts: Vec<(usize, u32)> = run.split.parts(run.width).collect();
            parts.sort_unstable();
            for (pool, nodes) in parts {
                let of_it = nodes.min(u32::try_from(rooms[pool]).unwrap_or(u32::MAX)).min(missing);
                rooms[pool] -= u64::from(of_it);
                missing -= of_it;
                taken.add(pool, of_it);
            }
            if !taken.0.is_empty() {
                awaited.push((run.job, taken));
            }
        }
        (pools.choose(head.at(), job.need, missing, |pool| rooms[pool]), awaited)
    }

    fn bind_nodes(pools: &Pools, head: &Head, job: &Waiting, releases: &[(SimTime, &Run)]) -> Split {
        let (mut rooms, mut missing) = (head.rooms(job.job.width), job.job.width);
        let mut bound = Split::default();
        for (_, run) in releases.iter().rev() {
            let mut on: Vec<usize> = run.split.parts(run.width).map(|(pool, _)| pool).collect();
            on.sort_unstable_by_key(|&pool| pools.node(pool));
            for pool in on {
                // Of the jobs that leave a node, the last one counts.
                let tasks = u32::try_from(std::mem::take(&mut rooms[pool])).unwrap_or(u32::MAX).min(missing);
                missing -= tasks;
                bound.add(pool, tasks);
            }
        }
        let rest = pools.choose(head.at(), job.need, missing, |pool| rooms[pool]);
        rest.0.into_iter().for_each(|(pool, tasks)| bound.add(pool, tasks));
        bound
    }

    /// A job has ended, whose nodes may be awaited.
    pub(super) fn ended(&mut self, job: JobHandle) {
        if let Some(at) = self.awaited.iter().position(|(awaited, _)| *awaited == job) {
            let (_, split) = self.awaited.swap_remove(at);
            split.0.into_iter().for_each(|(pool, nodes)| self.held.add(pool, nodes));
        }
    }

    fn is_ready(&self, pools: &Pools) -> bool {
        self.awaited.is_empty() && pools.have_room(self.job.need, &self.held)
    }
}

impl BatchScheduler {
    /// Gives the head of the queue a reservation of certain nodes: those that are free latest by the earliest time at which there are enough. It
    /// keeps them until all of them are free, and starts then. Other jobs start, in the order of the queue, if they fit into what is free
    /// and not reserved, however short they are; EASY would also let those onto reserved nodes that end by the time of the reservation.
    ///
    /// This is what the simulator of the dissertation's author does (vcsim, M. Stillwell, 2010, `results/scripts/sim.py`): the time
    /// of its reservation is unknown until it starts, and in Python 2 no number is below or equal to an unknown one, so the rule
    /// for short jobs never applies. The published figures of EASY are those of this policy.
    ///
    /// The reservation is given up when nodes go down or come up or a window is announced, when the job could start and would reach into a
    /// window, and when a limit holds the job back.
    pub(super) fn backfill_spare_nodes(&mut self, view: View<'_>, decision: &mut Decision) {
        let (now, clock) = (view.now(), self.clock(view.now()));
        self.start_reserved(view, decision);
        let (mut at, mut tests) = (0, clock.tests);
        let mut has_head = self.reserved.is_some();
        tests -= u32::from(has_head);
        self.hold(&[]);
        while at < self.queue.jobs.len() && !(has_head && (tests == 0 || !clock.backfills)) {
            let job = &self.queue.jobs[at];
            let is_hopeless = self.site.is_none() && has_head && !self.pools.might_fit(job);
            if is_hopeless || self.holds(job.job.job) {
                at += 1;
                continue;
            }
            let job = self.planned(now, at);
            if let Some(room) = self.room_or_make(view, &job, Beside::NoReservation, decision) {
                let job = self.queue.take(at);
                self.start(view, &job, room, decision);
            } else if has_head {
                at += 1;
            } else {
                has_head = true;
                if !clock.backfills {
                    break;
                }
                let mut releases = self.releases(now);
                releases.sort_by_key(|(end, run)| (*end, run.sequence));
                if let Some((held, awaited)) = Reserved::bind(&self.pools, now, &job, &releases) {
                    self.reserved = Some(Reserved { job: self.queue.take(at), held, awaited });
                    self.hold(&[]);
                } else {
                    at += 1;
                }
            }
            tests -= u32::from(has_head);
        }
        self.release();
    }

    /// Takes what the reservation keeps from others, as if some jobs had left.
    pub(super) fn hold(&mut self, left: &[JobHandle]) {
        if let Some(reserved) = &self.reserved {
            let mut split = reserved.held.clone();
            let awaited = reserved.awaited.iter().filter(|(job, _)| left.contains(job));
            awaited.flat_map(|(_, split)| &split.0).for_each(|&(pool, nodes)| split.add(pool, nodes));
            self.held = self.pools.hold(reserved.job.need, &split);
        }
    }

    /// Gives back what was taken for the reservation.
    pub(super) fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.pools.release(&held);
    }

    /// Starts the job of the reservation if its nodes are free, or if others make room for it.
    fn start_reserved(&mut self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let Some(reserved) = self.reserved.take() else { return };
        let (job, held) = (self.as_planned(now, &reserved.job), &reserved.held);
        let is_ready = reserved.is_ready(&self.pools);
        let end = self.pools.end(now, &job.job, held);
        if self.holds(job.job.job) || is_ready && !self.pools.is_open(held, now, end) {
            self.join(reserved.job);
            self.order(now);
        } else if is_ready {
            let split = if self.pools.single().is_some() { Split::default() } else { reserved.held };
            self.start(view, &reserved.job, (split, end), decision);
        } else if let Some(room) = self.room_if_preempting(view, &job, decision) {
            self.start(view, &reserved.job, room, decision);
        } else {
            self.reserved = Some(reserved);
        }
    }

    fn room_if_preempting(&mut self, view: View<'_>, job: &Waiting, decision: &mut Decision) -> Option<Room> {
        let candidates = self.site.as_ref()?.candidates(view.now(), job.job.job);
        let waits_on = candidates.is_empty() || self.pools.room_now(view.now(), job).is_some();
        if waits_on { None } else { self.room_or_make(view, job, Beside::NoReservation, decision) }
    }
}
