//! Availability of nodes according to the records, and the effects on jobs.

use crate::job::Job;
use crate::{Rule, placement};
use dfrsim_model::event::{InterruptionRule, PlatformFigures};
use dfrsim_model::{Share, SimTime};

/// Rule for jobs on nodes that fail. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Interruption {
    pub(crate) rule: InterruptionRule,
    pub(crate) interval: u64,
    pub(crate) cost: u64,
    pub(crate) restart: u64,
}

impl Interruption {
    /// Returns the work including a checkpoint at the end of each interval that ends before the work
    /// does.
    pub(crate) fn with_checkpoints(&self, work: u64) -> u64 {
        if self.rule != InterruptionRule::Checkpoint || work == u64::MAX {
            return work;
        }
        let checkpoints = work.div_ceil(self.interval.max(1)).saturating_sub(1);
        work.saturating_add(checkpoints.saturating_mul(self.cost))
    }
    /// Returns the kept part of work, which is given in units of 2^-20 microseconds: whole intervals
    /// with their checkpoints.
    pub(crate) fn kept(&self, done: u128) -> u64 {
        if self.rule != InterruptionRule::Checkpoint {
            return 0;
        }
        let each = u128::from(self.interval.saturating_add(self.cost)).max(1);
        let whole = done >> 20;
        (whole - whole % each) as u64
    }
}

/// Announced window that is not over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) first: u32,
    pub(crate) nodes: u32,
    pub(crate) from: u64,
    pub(crate) until: u64,
    /// True if the state of its nodes at its start was checked.
    is_checked: bool,
}

impl Window {
    pub(crate) fn new((first, nodes): (u32, u32), (from, until): (u64, u64)) -> Window {
        Window { first, nodes, from, until, is_checked: false }
    }
    pub(crate) fn contains(&self, node: u32) -> bool {
        node >= self.first && u64::from(node) < u64::from(self.first) + u64::from(self.nodes)
    }
    /// Checks, once, that all nodes are down after the start.
    fn check_begin(&mut self, down: &[bool]) -> Option<Rule> {
        let mut nodes = self.first..self.first.saturating_add(self.nodes);
        let node = nodes.find(|&node| !down[node as usize]).filter(|_| !self.is_checked);
        self.is_checked = true;
        let from = SimTime::from_micros(self.from);
        node.map(|node| format!("node {node} is up after the start of its window at {from} s").into())
    }
}

/// Nodes of a cluster, some of which can fail.
#[derive(Debug, Default)]
pub(crate) struct Platform {
    pub(crate) interruption: Interruption,
    /// True if nodes can fail; false if jobs are only interrupted by preemption.
    pub(crate) goes_down: bool,
    pub(crate) down: Vec<bool>,
    /// Line in which each node last went down or came up; 0 if it never did.
    changed_in: Vec<u64>,
    /// Line in which each node was drained; `None` if it is not.
    drained_in: Vec<Option<u64>>,
    pub(crate) windows: Vec<Window>,
    /// True if nodes failed or were repaired at the current time, or a window was announced.
    pub(crate) changed: bool,
    interruptions: u64,
    lost: u64,
    lost_work: f64,
    count: u64,
    since: u64,
    /// Accumulated downtime in node-microseconds.
    downtime: u128,
    at_last_completion: u128,
}

impl Platform {
    pub(crate) fn new(interruption: Interruption, nodes: u32) -> Platform {
        let (down, changed_in) = (vec![false; nodes as usize], vec![0; nodes as usize]);
        let drained_in = vec![None; nodes as usize];
        Platform { interruption, goes_down: true, down, changed_in, drained_in, ..Platform::default() }
    }

    /// Creates the platform of a cluster whose nodes never fail but whose jobs can be preempted;
    /// they restart from zero.
    pub(crate) fn without_outages(nodes: u32) -> Platform {
        Platform { goes_down: false, ..Platform::new(Interruption::default(), nodes) }
    }

    pub(crate) fn is_down(&self, node: u32) -> bool {
        self.down.get(node as usize).copied().unwrap_or(false)
    }
    /// Finds the first node of a placement that is down.
    pub(crate) fn first_down(&self, on: &[(u32, u32)]) -> Option<u32> {
        on.iter().map(|&(node, _)| node).find(|&node| self.is_down(node))
    }

    /// Checks that the nodes of a placement take jobs.
    pub(crate) fn check_up(&self, on: &[(u32, u32)]) -> Option<Rule> {
        let drained = |node: u32| self.drained_in.get(node as usize).copied().flatten();
        let closed = |&(node, _): &(u32, u32)| match self.is_down(node) {
            true => Some((node, "down", self.changed_in[node as usize])),
            false => drained(node).map(|line| (node, "drained", line)),
        };
        let (node, state, line) = on.iter().find_map(closed)?;
        Some(format!("it is on node {node}, which is {state} since line {line}").into())
    }

    /// Returns a flag for each node: true if it takes no jobs, because it is down or drained.
    pub(crate) fn closed(&self) -> Vec<bool> {
        self.down
            .iter()
            .zip(&self.drained_in)
            .map(|(is_down, drained)| *is_down || drained.is_some())
            .collect()
    }

    /// Returns a flag for each node: true if it is drained and not down.
    pub(crate) fn drained(&self) -> Vec<bool> {
        self.down
            .iter()
            .zip(&self.drained_in)
            .map(|(is_down, drained)| !is_down && drained.is_some())
            .collect()
    }

    /// Applies the start or the end of a drain of nodes by a line; returns the first violation.
    pub(crate) fn drain(&mut self, line: u64, spans: &[(u32, u32)], begins: bool) -> Option<Rule> {
        self.changed = true;
        let mut fault = None;
        for node in spans.iter().flat_map(|&(first, nodes)| first..first.saturating_add(nodes)) {
            let nodes = self.drained_in.len() as u32;
            let Some(drained) = self.drained_in.get_mut(node as usize) else {
                return fault.or_else(|| Some(placement::missing_node(node, nodes)));
            };
            match std::mem::replace(drained, begins.then_some(line)) {
                Some(before) if begins => {
                    let rule = format!("node {node} is already drained since line {before}");
                    fault.get_or_insert_with(|| rule.into());
                }
                None if !begins => {
                    fault.get_or_insert_with(|| format!("node {node} is not drained").into());
                }
                _ => {}
            }
        }
        fault
    }

    pub(crate) fn announce(&mut self, now: u64, window: Window) -> Option<Rule> {
        self.changed = true;
        let Window { first, nodes, from, until, .. } = window;
        let end = u64::from(first) + u64::from(nodes);
        if nodes == 0 || end > self.down.len() as u64 || from >= until || now > from {
            let wrong = "invalid window: expected existing nodes, an end after the start, and an announcement no later than the start";
            return Some(wrong.into());
        }
        self.windows.push(window);
        None
    }

    fn accrue_downtime(&mut self, now: u64) {
        self.downtime += u128::from(self.count) * u128::from(now - self.since);
        self.since = now;
    }

    /// Applies failures or repairs of nodes by a line; returns the first violation.
    pub(crate) fn change(
        &mut self,
        (line, now): (u64, u64),
        spans: &[(u32, u32)],
        goes_down: bool,
    ) -> Option<Rule> {
        self.accrue_downtime(now);
        self.changed = true;
        let mut fault = None;
        for node in spans.iter().flat_map(|&(first, nodes)| first..first.saturating_add(nodes)) {
            let nodes = self.down.len() as u32;
            let Some(is_down) = self.down.get_mut(node as usize) else {
                return fault.or_else(|| Some(placement::missing_node(node, nodes)));
            };
            let was_down = std::mem::replace(is_down, goes_down);
            if was_down == goes_down {
                let state = if was_down { "down" } else { "up" };
                let since = match self.changed_in[node as usize] {
                    0 => "from the beginning".to_owned(),
                    before => format!("since line {before}"),
                };
                fault.get_or_insert_with(|| format!("node {node} is already {state} {since}").into());
                continue;
            }
            self.changed_in[node as usize] = line;
            self.count = if goes_down { self.count + 1 } else { self.count - 1 };
            let in_window =
                |window: &Window| window.contains(node) && window.from <= now && now < window.until;
            if !goes_down && self.windows.iter().any(in_window) {
                fault.get_or_insert_with(|| format!("node {node} comes up during a window").into());
            }
        }
        fault
    }

    /// Starts the accounting at the arrival of the first job.
    pub(crate) fn begin(&mut self, now: u64) {
        (self.since, self.downtime) = (now, 0);
    }
    pub(crate) fn completed(&mut self, now: u64) {
        self.accrue_downtime(now);
        self.at_last_completion = self.downtime;
    }

    /// Counts the interruption of a running job; returns the work that it keeps.
    pub(crate) fn interrupt(&mut self, now: u64, job: &Job, is_lost: bool) -> u64 {
        let done = job.done_at(now);
        let kept = if is_lost { 0 } else { self.interruption.kept(done) };
        self.interruptions += 1;
        self.lost += u64::from(is_lost);
        let lost = (done - (u128::from(kept) << 20)) as f64 / (1_u64 << 20) as f64 / 1e6;
        let need = f64::from(job.need) / f64::from(Share::ONE.units());
        self.lost_work += f64::from(job.tasks) * need * lost;
        kept
    }

    /// Checks that the nodes of windows that begin before `until` are down, when no earlier record
    /// can follow.
    pub(crate) fn check_windows(&mut self, until: u64, fault: impl FnMut(Rule)) {
        let begun = self.windows.iter_mut().filter(|window| window.from < until);
        begun.filter_map(|window| window.check_begin(&self.down)).for_each(fault);
    }

    /// Checks the state after all records of a time: the nodes of windows that have begun are down.
    pub(crate) fn settle(&mut self, now: u64, fault: impl FnMut(Rule)) {
        self.check_windows(now.saturating_add(1), fault);
        self.windows.retain(|window| window.until > now);
        self.changed = false;
    }

    /// Computes the figures of a run with these nodes, this makespan in microseconds, and this work
    /// in share units * microseconds.
    pub(crate) fn figures(&self, nodes: u32, makespan: u64, work: f64) -> PlatformFigures {
        let all = u128::from(nodes) * u128::from(makespan);
        let up = all.saturating_sub(self.at_last_completion);
        let part = |some: f64, of: u128| if of == 0 { 0.0 } else { some / of as f64 };
        PlatformFigures {
            interruptions: self.interruptions,
            lost: self.lost,
            lost_work_s: self.lost_work,
            availability: part(up as f64, all),
            goodput: part(work / f64::from(Share::ONE.units()), up),
        }
    }
}
