//! From groups of nodes to decisions.

use super::conservative::Reservations;
use super::profile::Profiles;
use super::spare::SpareNodes;
use super::{Group, Split, Start, Wanted, easy};
use crate::batch::{BatchJob, BatchPolicy, Discipline, OVERRUN, Place, QueueOrder};
use dfrsim_cluster::{Decision, JobHandle, JobState, NodeRange, Scheduler, Situation, View};
use dfrsim_model::{NodeId, NodeTasks, SimSpan, SimTime, Yield};
use dfrsim_platform::classes::{NodeClass, NodeClasses};
use std::collections::BTreeMap;
use std::ops::Range;

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
    nodes: u32,
    queue: Vec<Wanted>,
    running: BTreeMap<JobHandle, Running>,
    /// The job on each node.
    holders: Vec<Option<JobHandle>>,
    groups: Vec<Group>,
    /// Their different speeds, the highest first.
    speeds: Vec<Yield>,
    /// The group of each node.
    group_of: Vec<usize>,
    /// The nodes of each group that are up, or down in a window.
    up: Vec<u32>,
    /// The state of the platform for which the groups were made.
    platform_changes: Option<u64>,
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
            nodes,
            queue: Vec::new(),
            running: BTreeMap::new(),
            holders: vec![None; nodes as usize],
            groups: Vec::new(),
            speeds: Vec::new(),
            group_of: Vec::new(),
            up: Vec::new(),
            platform_changes: None,
            spare: SpareNodes::default(),
            reservations: Reservations::default(),
            freed: false,
            overdue: false,
        }
    }

    fn enqueue(&mut self, view: View<'_>, job: JobHandle) {
        let seen = view.job(job);
        let fits = view
            .classes()
            .map(|classes| (0..classes.classes().len()).map(|class| view.fits(job, class)).collect());
        let job = BatchJob {
            job,
            sequence: seen.sequence(),
            submit: seen.submit(),
            width: seen.tasks(),
            estimate: seen.remaining_estimate().unwrap_or(SimSpan::MAX),
        };
        self.queue.push(Wanted { job, fits });
    }

    /// How many nodes have what a task of a job asks for.
    fn nodes_for(&self, view: View<'_>, job: JobHandle) -> u32 {
        let Some(classes) = view.classes() else { return self.nodes };
        let fitting = classes.classes().iter().enumerate().filter(|(class, _)| view.fits(job, *class));
        fitting.map(|(_, class)| class.nodes).sum()
    }

    fn leave(&mut self, now: SimTime, job: JobHandle) {
        let Some(Running { on, end, .. }) = self.running.remove(&job) else { return };
        on.iter().for_each(|range| self.holders[range.indices()].fill(None));
        self.freed |= end > now;
        self.spare.ended(job);
    }

    /// Makes the groups of nodes for their classes and the windows that are announced now.
    fn regroup(&mut self, view: View<'_>) {
        let windows = view.windows();
        let classes = view.classes();
        let mut by_windows: BTreeMap<(usize, Vec<usize>), Vec<u32>> = BTreeMap::new();
        for node in 0..self.nodes {
            let places = windows.iter().enumerate().filter(|(_, it)| it.outage.nodes.has(node));
            let places = places.map(|(place, _)| place).collect();
            let class = classes.map_or(0, |classes| classes.class_of(node));
            by_windows.entry((class, places)).or_default().push(node);
        }
        self.groups.clear();
        self.up.clear();
        self.group_of.resize(self.nodes as usize, 0);
        let now = view.now();
        let plenty = match self.policy.place {
            Place::Best => classes.map(by_plenty).unwrap_or_default(),
            Place::First | Place::Contiguous => Vec::new(),
        };
        for ((class, places), nodes) in by_windows {
            let of = |place: usize| windows[place].outage;
            let mut holes: Vec<_> = places.iter().map(|&it| (of(it).from, of(it).until)).collect();
            holes.sort_unstable();
            let in_window = holes.iter().any(|&(from, until)| from <= now && now < until);
            let up = nodes.iter().filter(|&&node| in_window || view.is_up(NodeId(node))).count();
            nodes.iter().for_each(|&node| self.group_of[node as usize] = self.groups.len());
            self.up.push(up as u32);
            let speed = classes.map_or(Yield::ONE, |classes| classes.classes()[class].speed);
            let plenty = plenty.get(class).copied().unwrap_or(0);
            self.groups.push(Group { nodes, class, speed, plenty, holes });
        }
        self.speeds = self.groups.iter().map(|group| group.speed).collect();
        self.speeds.sort_unstable_by(|a, b| b.cmp(a));
        self.speeds.dedup();
    }

    /// The running jobs by expected end, then submission; whether one is past its estimate.
    fn expected(&self, now: SimTime) -> (Vec<Expected>, bool) {
        let mut all = Vec::with_capacity(self.running.len());
        let mut overdue = false;
        for (&job, running) in &self.running {
            let mut split = vec![0; self.groups.len()];
            for node in running.on.iter().flat_map(|range| range.indices()) {
                split[self.group_of[node]] += 1;
            }
            overdue |= running.end <= now;
            let end = if running.end <= now { now + OVERRUN } else { running.end };
            // A window ends its stay at the latest.
            let used = self.groups.iter().zip(&split).filter(|(_, nodes)| **nodes > 0);
            let begins = used.flat_map(|(group, _)| group.holes.iter().map(|&(from, _)| from));
            let end = begins.filter(|&from| from > now).fold(end, SimTime::min);
            all.push(Expected { end, job, sequence: running.sequence, split });
        }
        all.sort_by_key(|it| (it.end, it.sequence));
        (all, overdue)
    }

    fn pass(&mut self, now: SimTime, platform_changed: bool) -> Vec<Start> {
        let (mut expected, overdue) = self.expected(now);
        let was_overdue = std::mem::replace(&mut self.overdue, overdue);
        let freed = std::mem::take(&mut self.freed);
        let mut profiles = Profiles::new(now, &self.groups, &self.speeds, &self.up);
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

    /// Nodes of each group, by the rule of the policy.
    fn place(&mut self, view: View<'_>, job: &BatchJob, split: &[u32]) -> Vec<NodeRange> {
        let mut nodes = Vec::with_capacity(job.width as usize);
        for (group, &count) in self.groups.iter().zip(split) {
            let holders = &self.holders;
            let free = |node: &u32| holders[*node as usize].is_none() && view.is_up(NodeId(*node));
            let free = group.nodes.iter().copied().filter(free);
            match self.policy.place {
                Place::First => nodes.extend(free.take(count as usize)),
                place => nodes.extend(place.choose(runs(free), count).into_iter().flatten()),
            }
        }
        nodes.sort_unstable();
        let mut ranges = Vec::new();
        for node in nodes {
            self.holders[node as usize] = Some(job.job);
            NodeRange::from(NodeTasks { node: NodeId(node), tasks: 1 }).push_onto(&mut ranges);
        }
        ranges
    }
}

/// The place of each class among all by what its nodes have. What a job leaves of it is in the same order for all jobs.
fn by_plenty(classes: &NodeClasses) -> Vec<usize> {
    let classes = classes.classes();
    let has = |class: &NodeClass| (class.amounts.clone(), class.memory, class.cpu);
    classes.iter().map(|class| classes.iter().filter(|other| has(other) < has(class)).count()).collect()
}

/// Rising nodes as few ranges.
fn runs(nodes: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for node in nodes {
        match runs.last_mut().filter(|run| run.end == node) {
            Some(run) => run.end += 1,
            None => runs.push(node..node + 1),
        }
    }
    runs
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
            if view.job(job).tasks() > self.nodes_for(view, job) {
                decision.reject(job);
            } else {
                self.enqueue(view, job);
            }
        }
        let platform_changed =
            self.platform_changes.replace(view.platform_changes()) != Some(view.platform_changes());
        if platform_changed {
            self.regroup(view);
        }
        for (Wanted { job, .. }, split, end) in self.pass(now, platform_changed) {
            let on = self.place(view, &job, &split);
            decision.start(job.job, on.iter().copied(), Yield::ONE);
            self.running.insert(job.job, Running { on, sequence: job.sequence, end });
        }
        let not_before = if self.overdue { now + OVERRUN } else { now };
        if let Some(time) = self.reservations.next_start(not_before) {
            decision.wake_at(time);
        }
    }
}
