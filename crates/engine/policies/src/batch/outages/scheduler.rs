//! From groups of nodes to decisions.

use super::conservative::Reservations;
use super::groups::NodeGroups;
use super::spare::SpareNodes;
use super::{Split, Start, Wanted, easy};
use crate::batch::{BatchJob, BatchPolicy, Discipline, OVERRUN, QueueOrder};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Scheduler, Situation, View};
use dfrsim_model::{SimTime, Yield};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A scheduler that is another one where nodes go down or differ.
#[derive(Debug)]
pub(crate) struct WithOutages<S> {
    plain: S,
    policy: BatchPolicy,
    aware: Option<Box<OutageScheduler>>,
}

impl<S> WithOutages<S> {
    pub(crate) fn new(plain: S, policy: BatchPolicy) -> WithOutages<S> {
        WithOutages { plain, policy, aware: None }
    }
}

impl<S: Scheduler> Scheduler for WithOutages<S> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        if situation.view.has_outages() || situation.view.classes().is_some() {
            let new = || Box::new(OutageScheduler::new(self.policy, situation.view.nodes()));
            self.aware.get_or_insert_with(new).decide(situation, decision);
        } else {
            self.plain.decide(situation, decision);
        }
    }
}

/// A running job, and when it is expected to leave its nodes.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) end: SimTime,
    pub(super) job: JobHandle,
    pub(super) sequence: u64,
    pub(super) split: Split,
}

#[derive(Debug)]
struct Running {
    on: Vec<NodeRange>,
    sequence: u64,
    /// The end of its estimate.
    end: SimTime,
}

/// A batch policy that knows which nodes are up, of windows, and what nodes have.
#[derive(Debug)]
struct OutageScheduler {
    policy: BatchPolicy,
    nodes: NodeGroups,
    queue: Vec<Wanted>,
    running: BTreeMap<JobHandle, Running>,
    spare: SpareNodes,
    reservations: Reservations,
    /// Whether a job left its nodes before the end of its estimate since the last pass.
    freed: bool,
    /// Whether a job was past its estimate in the last pass.
    overdue: bool,
}

impl OutageScheduler {
    fn new(policy: BatchPolicy, nodes: u32) -> OutageScheduler {
        OutageScheduler {
            policy,
            nodes: NodeGroups::new(nodes, policy.place),
            queue: Vec::new(),
            running: BTreeMap::new(),
            spare: SpareNodes::default(),
            reservations: Reservations::default(),
            freed: false,
            overdue: false,
        }
    }

    fn enqueue(&mut self, view: View<'_>, job: JobHandle) {
        let job = BatchJob::new(view, job, view.job(job).remaining_estimate());
        self.queue.push(Wanted::new(view, job));
    }

    fn leave(&mut self, now: SimTime, job: JobHandle) {
        let Some(Running { on, end, .. }) = self.running.remove(&job) else { return };
        self.nodes.release(&on);
        self.freed |= end > now;
        self.spare.ended(job);
    }

    /// The running jobs by expected end, then submission; whether one is past its estimate.
    fn expected(&self, now: SimTime) -> (Vec<Expected>, bool) {
        let mut all = Vec::with_capacity(self.running.len());
        let mut overdue = false;
        for (&job, running) in &self.running {
            let split = self.nodes.groups().split(&running.on);
            overdue |= running.end <= now;
            let end = if running.end <= now { now + OVERRUN } else { running.end };
            let end = self.nodes.groups().stays_until(now, end, &split);
            all.push(Expected { end, job, sequence: running.sequence, split });
        }
        all.sort_by_key(|it| (it.end, it.sequence));
        (all, overdue)
    }

    fn pass(&mut self, now: SimTime, platform_changed: bool) -> Vec<Start> {
        let (mut expected, overdue) = self.expected(now);
        let was_overdue = std::mem::replace(&mut self.overdue, overdue);
        let freed = std::mem::take(&mut self.freed);
        let groups = Arc::clone(self.nodes.groups());
        let mut profiles = groups.profiles(now);
        for Expected { end, split, .. } in &expected {
            profiles.take(split, now, *end);
        }
        let order = match self.policy.discipline {
            Discipline::Fcfs(order) | Discipline::Easy(order) => order,
            Discipline::Spare | Discipline::Conservative(_) => QueueOrder::Arrival,
        };
        if platform_changed {
            self.queue.extend(self.spare.withdraw());
        }
        self.queue.sort_by(|a, b| order.compare(&a.job, &b.job, now));
        let (queue, mut starts) = (&mut self.queue, Vec::new());
        match self.policy.discipline {
            Discipline::Fcfs(_) => easy::pass(now, queue, &mut profiles, false, &mut starts),
            Discipline::Easy(_) => easy::pass(now, queue, &mut profiles, true, &mut starts),
            Discipline::Spare => self.spare.pass(now, queue, &mut profiles, &mut expected, &mut starts),
            Discipline::Conservative(compression) => {
                let replans = platform_changed || overdue || was_overdue;
                if replans {
                    self.reservations.clear();
                }
                let freed = (freed && !replans).then_some(compression);
                self.reservations.pass(now, queue, &mut profiles, freed, &mut starts);
            }
        }
        starts
    }
}

impl Scheduler for OutageScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        for &job in situation.completed {
            self.leave(now, job);
        }
        for interrupted in situation.interrupted {
            self.leave(now, interrupted.job);
            if view.job(interrupted.job).state() == JobState::Waiting {
                self.enqueue(view, interrupted.job);
            }
        }
        for &job in situation.submitted {
            if view.job(job).tasks() > self.nodes.nodes_for(view, job) {
                decision.reject(job);
            } else {
                self.enqueue(view, job);
            }
        }
        let platform_changed = self.nodes.follow(view);
        for (Wanted { job, .. }, split, end) in self.pass(now, platform_changed) {
            let on = self.nodes.place(view, &job, &split);
            decision.start(job.job, on.iter().copied(), Yield::ONE);
            self.running.insert(job.job, Running { on, sequence: job.sequence, end });
        }
        let not_before = if self.overdue { now + OVERRUN } else { now };
        if let Some(time) = self.reservations.next_start(not_before) {
            decision.wake_at(time);
        }
    }
}
