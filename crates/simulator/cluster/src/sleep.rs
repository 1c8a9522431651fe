//! Nodes that sleep: awake, falling asleep, asleep, or waking up, by the rule of their class.

use crate::{NodeRange, Occurrence, Placement};
use dfrsim_model::platform::NodeSpan;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::power::SleepRule;
use dfrsim_model::{SimSpan, SimTime};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// States of all nodes, of which some may sleep.
#[derive(Clone, Debug)]
pub(crate) struct NodeStates {
    /// Rule of each node; `None` if it stays awake.
    rules: Vec<Option<SleepRule>>,
    states: Vec<NodeState>,
}

/// State of a node. All nodes have been without tasks since time zero at the beginning.
#[derive(Clone, Copy, Debug)]
struct NodeState {
    /// Number of jobs on it.
    jobs: u32,
    /// Without jobs, the time since which it has had none; with jobs, the end of its wake-up. It may
    /// be in the future until a node has woken up.
    since: SimTime,
    is_down: bool,
}

impl NodeStates {
    /// Creates the states of nodes without tasks; `None` if all nodes stay awake.
    pub(crate) fn new(classes: &NodeClasses) -> Option<NodeStates> {
        let rules = || classes.sleep_rules().zip(classes.classes());
        let idle = NodeState { jobs: 0, since: SimTime::ZERO, is_down: false };
        classes.can_sleep().then(|| NodeStates {
            rules: rules().flat_map(|(rule, class)| vec![rule; class.nodes as usize]).collect(),
            states: vec![idle; classes.nodes() as usize],
        })
    }

    /// Returns the time at which a node is awake if a job starts on it now.
    fn ready_at(&self, node: usize, now: SimTime) -> SimTime {
        let NodeState { jobs, since, .. } = self.states[node];
        match self.rules[node].filter(|_| jobs == 0) {
            Some(rule) => rule.ready_at(since, now),
            None => now.max(since),
        }
    }

    /// Returns whether a job that starts on a node now wakes it up: it has no jobs, and is asleep or
    /// falls asleep.
    fn is_woken(&self, node: usize, now: SimTime) -> bool {
        let NodeState { jobs, since, .. } = self.states[node];
        self.rules[node].is_some_and(|rule| jobs == 0 && rule.is_resting(since, now))
    }

    /// Returns whether a node is awake.
    pub(crate) fn is_awake(&self, node: usize, now: SimTime) -> bool {
        self.ready_at(node, now) == now
    }

    /// Puts a job on nodes, and wakes these up; returns the time until the last one is awake.
    pub(crate) fn enter(&mut self, now: SimTime, on: Placement<'_>) -> SimSpan {
        let mut last = now;
        for node in nodes_of(on) {
            let ready = self.ready_at(node, now);
            self.states[node].jobs += 1;
            self.states[node].since = ready;
            last = last.max(ready);
        }
        last.since(now)
    }

    /// Takes a job off its nodes. Calls `each` with each node that is up and has no jobs any more, and
    /// with the time from which it is asleep if none starts there.
    pub(crate) fn leave(&mut self, now: SimTime, on: Placement<'_>, mut each: impl FnMut(u32, SimTime)) {
        for node in nodes_of(on) {
            let state = &mut self.states[node];
            state.jobs -= 1;
            if state.jobs == 0 {
                state.since = state.since.max(now);
                if let Some(rule) = self.rules[node].filter(|_| !state.is_down) {
                    each(node as u32, rule.asleep_from(state.since));
                }
            }
        }
    }

    /// Marks nodes as down.
    pub(crate) fn go_down(&mut self, spans: &[NodeSpan]) {
        nodes_in(spans).for_each(|node| self.states[node].is_down = true);
    }

    /// Marks nodes as up; they are awake. Calls `each` as [`NodeStates::leave`] does.
    pub(crate) fn come_up(&mut self, now: SimTime, spans: &[NodeSpan], mut each: impl FnMut(u32, SimTime)) {
        for node in nodes_in(spans) {
            self.states[node] = NodeState { jobs: self.states[node].jobs, since: now, is_down: false };
            if let Some(rule) = self.rules[node] {
                each(node as u32, rule.asleep_from(now));
            }
        }
    }

    /// Iterates over the nodes that may sleep, with the time from which each is asleep if no job starts
    /// there first.
    pub(crate) fn sleepers(&self) -> impl Iterator<Item = (u32, SimTime)> {
        let rules = (0_u32..).zip(&self.rules);
        rules.filter_map(|(node, rule)| Some((node, (*rule)?.asleep_from(SimTime::ZERO))))
    }
}

pub(crate) fn nodes_of(on: Placement<'_>) -> impl Iterator<Item = usize> {
    on.ranges().iter().flat_map(|range| range.indices())
}

pub(crate) fn nodes_in(spans: &[NodeSpan]) -> impl Iterator<Item = usize> {
    spans.iter().flat_map(|span| span.first as usize..span.end() as usize)
}

/// Nodes that may sleep, as an observer follows them: those that are asleep, and the power that they
/// save.
#[derive(Clone, Debug)]
pub(crate) struct SleepingNodes {
    states: NodeStates,
    /// Power that each node saves while it is asleep, in milliwatts.
    saves: Vec<u64>,
    /// Nodes without jobs by the time from which each is asleep, and this time of each node.
    pending: BTreeSet<(SimTime, u32)>,
    due: Vec<Option<SimTime>>,
    is_asleep: Vec<bool>,
    asleep: u64,
    /// Nodes of each job.
    placements: FxHashMap<u64, Vec<NodeRange>>,
    /// Time for which each job in the system has waited for its nodes, and the job that left last.
    woken: FxHashMap<u64, SimSpan>,
    pub(crate) last_woken: SimSpan,
    /// Time asleep of all nodes in microseconds, and the time for which jobs waited for nodes.
    pub(crate) time: u128,
    pub(crate) waited: u128,
    /// Number of times that a node was woken up.
    pub(crate) wakes: u64,
}

impl SleepingNodes {
    /// Creates the state of nodes without tasks; `None` if all nodes stay awake.
    pub(crate) fn new(classes: &NodeClasses) -> Option<SleepingNodes> {
        let states = NodeStates::new(classes)?;
        let saves = classes.sleep_rules().zip(classes.classes()).flat_map(|(rule, class)| {
            let saves = rule.map_or(0, |rule| class.idle_power() - rule.asleep);
            vec![saves; class.nodes as usize]
        });
        let nodes = classes.nodes() as usize;
        let mut all = SleepingNodes {
            saves: saves.collect(),
            pending: BTreeSet::new(),
            due: vec![None; nodes],
            is_asleep: vec![false; nodes],
            asleep: 0,
            placements: FxHashMap::default(),
            woken: FxHashMap::default(),
            last_woken: SimSpan::ZERO,
            time: 0,
            waited: 0,
            wakes: 0,
            states,
        };
        for (node, at) in all.states.sleepers().collect::<Vec<_>>() {
            all.wait(node, at);
        }
        Some(all)
    }

    /// Returns the next time until `now` from which a node is asleep.
    pub(crate) fn next(&self, now: SimTime) -> Option<SimTime> {
        self.pending.first().map(|(at, _)| *at).filter(|at| *at <= now)
    }

    /// Adds a time in which no state changes.
    pub(crate) fn elapse(&mut self, span: u128) {
        self.time += u128::from(self.asleep) * span;
    }

    /// Lets a node sleep from a time on, unless a job starts there.
    fn wait(&mut self, node: u32, at: SimTime) {
        self.due[node as usize] = Some(at);
        self.pending.insert((at, node));
    }

    /// Lets the nodes sleep that are asleep from a time on; returns the power that they save.
    pub(crate) fn fall_asleep(&mut self, at: SimTime) -> u64 {
        let mut saved = 0;
        while let Some((_, node)) = self.pending.first().copied().filter(|(time, _)| *time <= at) {
            self.pending.pop_first();
            let node = node as usize;
            (self.due[node], self.is_asleep[node]) = (None, true);
            self.asleep += 1;
            saved += self.saves[node];
        }
        saved
    }

    /// Ends the sleep of a node, and the time until it would sleep; returns the power that it saved.
    fn stir(&mut self, node: usize) -> u64 {
        if let Some(at) = self.due[node].take() {
            self.pending.remove(&(at, node as u32));
        }
        match std::mem::take(&mut self.is_asleep[node]) {
            true => {
                self.asleep -= 1;
                self.saves[node]
            }
            false => 0,
        }
    }

    /// Follows a job; returns the power that the nodes which it wakes up have saved.
    pub(crate) fn follow(&mut self, now: SimTime, job: u64, occurrence: &Occurrence<'_>) -> u64 {
        match *occurrence {
            Occurrence::Started(on, _) | Occurrence::Resumed(on, _) | Occurrence::Migrated(on, ..) => {
                self.leave(now, job);
                let woken = nodes_of(on).filter(|&node| self.states.is_woken(node, now)).count();
                self.wakes += woken as u64;
                self.states.enter(now, on);
                self.placements.insert(job, on.ranges().to_vec());
                let mut saved = 0;
                for node in nodes_of(on) {
                    saved += self.stir(node);
                }
                return saved;
            }
            Occurrence::Woken(span) => {
                self.waited += u128::from(span.micros());
                *self.woken.entry(job).or_default() += span;
            }
            Occurrence::Paused(_) | Occurrence::Interrupted(..) => self.leave(now, job),
            Occurrence::Rejected
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Completed(_) => {
                self.leave(now, job);
                self.last_woken = self.woken.remove(&job).unwrap_or(SimSpan::ZERO);
            }
            Occurrence::Submitted(..)
            | Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Bound(_)
            | Occurrence::YieldChanged(_) => {}
        }
        0
    }

    fn leave(&mut self, now: SimTime, job: u64) {
        let Some(on) = self.placements.remove(&job) else { return };
        let mut idle = Vec::new();
        self.states.leave(now, Placement::new(&on), |node, at| idle.push((node, at)));
        idle.into_iter().for_each(|(node, at)| self.wait(node, at));
    }

    /// Takes nodes down; returns the power that they have saved.
    pub(crate) fn go_down(&mut self, spans: &[NodeSpan]) -> u64 {
        self.states.go_down(spans);
        nodes_in(spans).map(|node| self.stir(node)).sum()
    }

    /// Brings nodes up.
    pub(crate) fn come_up(&mut self, now: SimTime, spans: &[NodeSpan]) {
        let mut idle = Vec::new();
        self.states.come_up(now, spans, |node, at| idle.push((node, at)));
        idle.into_iter().for_each(|(node, at)| self.wait(node, at));
    }
}
