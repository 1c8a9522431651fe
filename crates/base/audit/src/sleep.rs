//! Nodes that sleep, followed one by one in plain lists.

use crate::nodes::Kind;
use dfrsim_model::event::SleepOfNode;

/// Nodes of a cluster of which some may sleep.
#[derive(Debug, Default)]
pub(crate) struct Sleep {
    /// Nodes by number; empty if none sleeps.
    nodes: Vec<Node>,
    /// Time asleep of all nodes, in microseconds.
    pub(crate) time: u128,
    /// Number of times that a node was woken up, and the time for which jobs waited, in microseconds.
    pub(crate) wakes: u64,
    pub(crate) waited: u64,
}

/// Node that may sleep.
#[derive(Clone, Debug)]
struct Node {
    rule: Option<SleepOfNode>,
    /// Power without tasks, in milliwatts.
    idle: u64,
    jobs: u64,
    is_down: bool,
    /// Time at which the last job left or the node came up, and the end of its last wake-up.
    left: u64,
    awake: u64,
}

impl Node {
    /// Returns the time from which the node is asleep without tasks; `None` if it never is.
    fn asleep(&self) -> Option<u64> {
        let rule = self.rule.filter(|_| self.jobs == 0 && !self.is_down)?;
        Some(self.left.max(self.awake).saturating_add(rule.after_us).saturating_add(rule.falls_us))
    }
    /// Returns whether the node is asleep or falls asleep.
    fn rests(&self, now: u64) -> bool {
        let falls = self.rule.map_or(0, |rule| rule.falls_us);
        self.asleep().is_some_and(|asleep| now >= asleep - falls)
    }
    /// Returns the time from which the node is awake if a job starts on it now.
    fn ready(&self, now: u64) -> u64 {
        let Some((rule, asleep)) = self.rule.zip(self.asleep()) else { return self.awake.max(now) };
        let is_falling_or_asleep = now >= asleep - rule.falls_us;
        match is_falling_or_asleep {
            true => asleep.max(now).saturating_add(rule.wakes_us),
            false => self.awake.max(now),
        }
    }
}

impl Sleep {
    /// Creates the nodes of these kinds, which have no tasks since time zero.
    pub(crate) fn new(kinds: &[Kind]) -> Sleep {
        let rule = |kind: &Kind| kind.power.as_ref().map_or(kind.sleep, |power| power.sleep);
        if kinds.iter().all(|kind| rule(kind).is_none()) {
            return Sleep::default();
        }
        let node = |kind: &Kind| {
            let (rule, idle) = (rule(kind), kind.idle_power());
            Node { rule, idle, jobs: 0, is_down: false, left: 0, awake: 0 }
        };
        let nodes = kinds.iter().flat_map(|kind| vec![node(kind); kind.nodes as usize]);
        Sleep { nodes: nodes.collect(), ..Sleep::default() }
    }

    pub(crate) fn is_used(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Returns, for each node, whether it is awake.
    pub(crate) fn awake(&self, now: u64) -> Vec<bool> {
        self.nodes.iter().map(|node| node.ready(now) == now).collect()
    }

    /// Takes a job off its nodes.
    pub(crate) fn leave(&mut self, now: u64, on: &[(u32, u32)]) {
        for (at, _) in on {
            let Some(node) = self.nodes.get_mut(*at as usize) else { continue };
            node.jobs = node.jobs.saturating_sub(1);
            node.left = now;
        }
    }

    /// Puts a job on nodes; returns the time until the last of them is awake.
    pub(crate) fn enter(&mut self, now: u64, on: &[(u32, u32)]) -> u64 {
        let mut last = now;
        for (at, _) in on {
            let Some(node) = self.nodes.get_mut(*at as usize) else { continue };
            self.wakes += u64::from(node.rests(now));
            node.awake = node.ready(now);
            node.jobs += 1;
            last = last.max(node.awake);
        }
        last - now
    }

    /// Takes nodes down or brings them up; those that come up are awake.
    pub(crate) fn change(&mut self, now: u64, spans: &[(u32, u32)], goes_down: bool) {
        for &(first, count) in spans {
            for node in self.nodes.iter_mut().skip(first as usize).take(count as usize) {
                node.is_down = goes_down;
                if !goes_down {
                    (node.left, node.awake) = (now, now);
                }
            }
        }
    }

    /// Adds the time asleep of all nodes between two times.
    pub(crate) fn elapse(&mut self, from: u64, until: u64) {
        let asleep = self.nodes.iter().filter_map(Node::asleep);
        self.time += asleep.map(|at| u128::from(until.saturating_sub(at.max(from)))).sum::<u128>();
    }

    /// Splits a time into parts in which no node falls asleep: the power of all nodes that are up without
    /// their tasks, in milliwatts, and the length of each part.
    pub(crate) fn powers(&self, from: u64, until: u64) -> Vec<(u64, u64)> {
        let up = || self.nodes.iter().filter(|node| !node.is_down);
        let mut changes: Vec<(u64, u64)> = up()
            .filter_map(|node| {
                let saved = node.idle - node.rule?.asleep_mw.min(node.idle);
                Some((node.asleep()?.max(from), saved))
            })
            .filter(|(at, _)| *at < until)
            .collect();
        changes.sort_unstable();
        let mut power = up().map(|node| node.idle).fold(0, u64::saturating_add);
        let (mut now, mut parts) = (from, Vec::new());
        for (at, saved) in changes {
            parts.push((power, at - now));
            (now, power) = (at, power - saved);
        }
        parts.push((power, until - now));
        parts.retain(|(_, span)| *span > 0);
        parts
    }
}
