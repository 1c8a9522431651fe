//! Actions that slow each other down on the nodes that they share.

use crate::action::Action;
use crate::cluster::Cluster;
use crate::durations::Durations;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Concurrent actions that use bandwidth: on each node, and those that access an image.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    on_node: Vec<u32>,
    with_images: u32,
}

impl Load {
    /// Creates the load of idle nodes.
    pub(crate) fn idle(nodes: usize) -> Load {
        Load { on_node: vec![0; nodes], with_images: 0 }
    }

    /// Adds an action; those that use no bandwidth are ignored.
    pub(crate) fn add(&mut self, action: Action) {
        if uses_bandwidth(action) {
            nodes(action).for_each(|node| self.on_node[node.index()] += 1);
            self.with_images += u32::from(action.accesses_image());
        }
    }

    fn remove(&mut self, action: Action) {
        if uses_bandwidth(action) {
            nodes(action).for_each(|node| self.on_node[node.index()] -= 1);
            self.with_images -= u32::from(action.accesses_image());
        }
    }

    /// Returns the factor by which an action of this load is slower than alone.
    pub(crate) fn slowdown(&self, durations: &Durations, action: Action) -> f64 {
        if !uses_bandwidth(action) {
            return 1.0;
        }
        let most = nodes(action).map(|node| self.on_node[node.index()]).max().unwrap_or(1);
        let images = if action.accesses_image() { self.with_images } else { 1 };
        1.0 + durations.contention * f64::from(most - 1)
            + durations.storage_contention * f64::from(images - 1)
    }
}

/// Returns the nodes of an action, each once.
fn nodes(action: Action) -> impl Iterator<Item = NodeId> {
    let (from, to) = (action.from().node(), action.to().node());
    from.into_iter().chain(to.filter(|_| from != to))
}

/// Returns true if the action uses bandwidth of its nodes (section 2.3).
fn uses_bandwidth(action: Action) -> bool {
    action.accesses_image() || action.is_remote()
}

/// Starts or ends of actions, in the order in which they are handled at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    End,
    Begin,
}

/// An action with its progress.
#[derive(Clone, Copy, Debug)]
struct Started {
    action: Action,
    begin: SimTime,
    end: SimTime,
    /// Remaining time without contention, in microseconds, at the time `since`.
    left: f64,
    since: SimTime,
    slowdown: f64,
    /// Number of the last event of the action; earlier ones are void.
    event: u32,
}

/// Progress of actions over time.
pub(crate) struct Progress<'a> {
    cluster: &'a Cluster,
    durations: &'a Durations,
    load: Load,
    started: Vec<Started>,
    /// Actions in progress, if they can slow each other down.
    under_way: FxHashSet<usize>,
    queue: BinaryHeap<Reverse<(SimTime, Turn, usize, u32)>>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(cluster: &'a Cluster, durations: &'a Durations) -> Progress<'a> {
        let load = Load::idle(cluster.nodes().len());
        let (started, under_way, queue) = (Vec::new(), FxHashSet::default(), BinaryHeap::new());
        Progress { cluster, durations, load, started, under_way, queue }
    }

    /// Adds an action that begins at a time, which must not be before the last event.
    pub(crate) fn add(&mut self, action: Action, begin: SimTime) {
        let alone = self.durations.of(self.cluster, action);
        let end = begin + alone;
        let (number, left) = (self.started.len(), alone.micros() as f64);
        self.started.push(Started { action, begin, end, left, since: begin, slowdown: 1.0, event: 0 });
        let turn = if self.durations.has_contention() { (begin, Turn::Begin) } else { (end, Turn::End) };
        self.queue.push(Reverse((turn.0, turn.1, number, 0)));
    }

    /// Returns the time of the next start or end; `None` if all actions have ended.
    pub(crate) fn next(&mut self) -> Option<SimTime> {
        while let Some(&Reverse((at, _, number, event))) = self.queue.peek() {
            if self.started[number].event == event {
                return Some(at);
            }
            self.queue.pop();
        }
        None
    }

    /// Handles all events up to a time, and returns the actions that ended, by number.
    pub(crate) fn advance(&mut self, to: SimTime) -> Vec<usize> {
        let mut ended = Vec::new();
        while let Some(at) = self.next().filter(|at| *at <= to) {
            let Some(Reverse((_, turn, number, _))) = self.queue.pop() else { break };
            let action = self.started[number].action;
            match turn {
                Turn::Begin => {
                    self.under_way.insert(number);
                    self.load.add(action);
                    let started = &mut self.started[number];
                    started.event += 1;
                    self.queue.push(Reverse((started.end, Turn::End, number, started.event)));
                }
                Turn::End => {
                    ended.push(number);
                    if self.under_way.remove(&number) {
                        self.load.remove(action);
                    }
                }
            }
            self.reschedule(at);
        }
        ended
    }

    /// Updates the ends of all actions whose slowdown has changed.
    fn reschedule(&mut self, now: SimTime) {
        for &number in &self.under_way {
            let started = &mut self.started[number];
            let slowdown = self.load.slowdown(self.durations, started.action);
            if slowdown != started.slowdown {
                let passed = now.since(started.since).micros() as f64;
                started.left = (started.left - passed / started.slowdown).max(0.0);
                (started.since, started.slowdown) = (now, slowdown);
                started.end =
                    now.saturating_add(SimSpan::from_micros((started.left * slowdown).ceil() as u64));
                started.event += 1;
                self.queue.push(Reverse((started.end, Turn::End, number, started.event)));
            }
        }
    }

    /// Returns the start and the end of each action, in the order in which they were added.
    pub(crate) fn times(mut self) -> Vec<(SimTime, SimTime)> {
        while let Some(at) = self.next() {
            self.advance(at);
        }
        self.started.iter().map(|started| (started.begin, started.end)).collect()
    }
}
