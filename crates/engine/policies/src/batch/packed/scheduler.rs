//! The queue, and what starts.

use super::room::{Free, Head, Need, Nodes};
use crate::batch::{BatchJob, BatchPolicy, Discipline, OVERRUN};
use dfrsim_cluster::{Decision, JobHandle, Scheduler, Situation, View};
use dfrsim_model::{NodeTasks, SimTime, Yield};
use std::collections::BTreeMap;

#[derive(Debug)]
struct Waiting {
    job: BatchJob,
    need: Need,
}

#[derive(Debug)]
struct Running {
    /// The end of its estimate.
    end: SimTime,
    on: Vec<NodeTasks>,
    need: Need,
}

impl Running {
    fn expected_end(&self, now: SimTime) -> SimTime {
        if self.end <= now { now + OVERRUN } else { self.end }
    }
}

/// FCFS or EASY with several tasks on a node.
#[derive(Debug)]
pub(crate) struct PackedScheduler {
    policy: BatchPolicy,
    cluster: Option<Cluster>,
    queue: Vec<Waiting>,
}

/// Known from the first decision on.
#[derive(Debug)]
struct Cluster {
    nodes: Nodes,
    free: Free,
    running: BTreeMap<JobHandle, Running>,
}

impl Cluster {
    fn leave(&mut self, job: JobHandle) {
        if let Some(Running { on, need, .. }) = self.running.remove(&job) {
            self.nodes.give_back(&mut self.free, &on, &need);
        }
    }

    fn start(&mut self, now: SimTime, waiting: Waiting, on: Vec<NodeTasks>, decision: &mut Decision) {
        decision.start(waiting.job.job, &on, Yield::ONE);
        self.nodes.take(&mut self.free, &on, &waiting.need);
        let end = waiting.job.end(now, self.nodes.slowest(&on));
        self.running.insert(waiting.job.job, Running { end, on, need: waiting.need });
    }

    /// Where a job can start now.
    fn room_now(&self, job: &Waiting) -> Option<Vec<NodeTasks>> {
        let width = job.job.width;
        let speed = self.nodes.speeds_with_room(&job.need, width, &self.free).next()?;
        Some(self.nodes.lowest(&job.need, width, speed, &self.free))
    }

    /// The first moment at which there is room for a job, and what is free then.
    fn reservation<'a>(&self, now: SimTime, job: &'a Waiting) -> (SimTime, Head<'a>) {
        let (need, width) = (&job.need, job.job.width);
        let mut by_end: Vec<_> = self.running.values().map(|job| (job.expected_end(now), job)).collect();
        by_end.sort_by_key(|(end, _)| *end);
        let mut free = self.free.clone();
        for ending in by_end.chunk_by(|a, b| a.0 == b.0) {
            ending.iter().for_each(|(_, job)| self.nodes.give_back(&mut free, &job.on, &job.need));
            let speed = self.nodes.speeds_with_room(need, width, &free).next();
            if let Some(speed) = speed {
                return (ending[0].0, Head { need, width, speed, free });
            }
        }
        unreachable!("a job for which an empty cluster has no room was rejected")
    }

    /// Where a job can start now without delaying the head of the queue.
    fn room_beside(
        &self,
        now: SimTime,
        job: &Waiting,
        shadow: SimTime,
        head: &Head<'_>,
    ) -> Option<Vec<NodeTasks>> {
        let width = job.job.width;
        let mut speeds = self.nodes.speeds_with_room(&job.need, width, &self.free);
        speeds.find_map(|speed| {
            if job.job.end(now, speed) <= shadow {
                return Some(self.nodes.lowest(&job.need, width, speed, &self.free));
            }
            self.nodes.beside(head, &job.need, width, speed, &self.free)
        })
    }

    fn pass(&mut self, now: SimTime, queue: &mut Vec<Waiting>, backfills: bool, decision: &mut Decision) {
        while let Some(on) = queue.first().and_then(|head| self.room_now(head)) {
            self.start(now, queue.remove(0), on, decision);
        }
        if !backfills || queue.is_empty() {
            return;
        }
        let mut others = queue.split_off(1);
        let (shadow, mut head) = self.reservation(now, &queue[0]);
        let mut free_cores = self.nodes.free_cores(&self.free);
        let mut at = 0;
        while at < others.len() && free_cores > 0 {
            let job = &others[at];
            let has_cores = job.need.cores(job.job.width) <= free_cores;
            let Some(on) = has_cores.then(|| self.room_beside(now, job, shadow, &head)).flatten() else {
                at += 1;
                continue;
            };
            let job = others.remove(at);
            if job.job.end(now, self.nodes.slowest(&on)) > shadow {
                self.nodes.take(&mut head.free, &on, &job.need);
            }
            self.start(now, job, on, decision);
            free_cores = self.nodes.free_cores(&self.free);
        }
        queue.append(&mut others);
    }
}

impl PackedScheduler {
    pub(crate) fn new(policy: BatchPolicy) -> PackedScheduler {
        PackedScheduler { policy, cluster: None, queue: Vec::new() }
    }

    fn enqueue(queue: &mut Vec<Waiting>, view: View<'_>, job: JobHandle, need: Need) {
        queue.push(Waiting { job: BatchJob::new(view, job, view.job(job).estimate()), need });
    }
}

impl Scheduler for PackedScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let Some(classes) = view.classes().filter(|_| !view.has_outages()) else {
            return decision
                .fail(format!("{} decides where nodes have cores and never go down", self.policy));
        };
        let (order, backfills) = match self.policy.discipline {
            Discipline::Easy(order) => (order, true),
            Discipline::Fcfs(order) => (order, false),
            Discipline::Spare | Discipline::Conservative(_) => {
                return decision.fail(format!("{} has a node for each task", self.policy.discipline));
            }
        };
        let cluster = self.cluster.get_or_insert_with(|| {
            let nodes = Nodes::new(classes, self.policy.nodes);
            Cluster { free: nodes.all_free(), nodes, running: BTreeMap::new() }
        });
        situation.completed.iter().for_each(|&job| cluster.leave(job));
        for &job in situation.submitted {
            let need = Need::of(view, classes, job);
            let empty = cluster.nodes.all_free();
            if cluster.nodes.room(&need, Yield::ZERO, &empty) < view.job(job).tasks().into() {
                decision.reject(job);
            } else {
                PackedScheduler::enqueue(&mut self.queue, view, job, need);
            }
        }
        let now = view.now();
        self.queue.sort_by(|a, b| order.compare(&a.job, &b.job, now));
        cluster.pass(now, &mut self.queue, backfills, decision);
    }
}
