//! Node outages: nodes that go down and come back.

use crate::{JobHandle, NodeRange, Placement};
use dfrsim_model::platform::{Interruption, NodeSpan, Outage, OutageError, Outages, Window};
use dfrsim_model::{NodeId, SimTime};
use std::sync::Arc;

/// State of nodes that may go down: which are up, and the outages still to come. Absent in a cluster
/// without outages.
#[derive(Debug)]
pub(crate) struct Platform {
    outages: Arc<Outages>,
    /// Steps still to come, in reverse order of time.
    steps: Vec<Step>,
    /// Number of outages in force on each node.
    outages_on: Vec<u32>,
    /// Number of drains in force on each node.
    drains_on: Vec<u32>,
    /// Announced windows that are not over, in order of announcement.
    pub(crate) windows: Vec<Window>,
    /// Number of times at which a change of the platform became visible to policies.
    pub(crate) version: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    at: SimTime,
    kind: StepKind,
}

/// Kind of step. The order of the variants matters: at one time nodes go down before others come up,
/// so a node that leaves one outage just when another begins stays down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum StepKind {
    Announce(Window),
    Down(NodeSpan),
    Up(NodeSpan),
    Drain(NodeSpan),
    Undrain(NodeSpan),
}

/// Nodes whose state changed at one time.
#[derive(Debug, Default)]
pub(crate) struct ChangedNodes {
    pub(crate) down: Vec<NodeSpan>,
    pub(crate) up: Vec<NodeSpan>,
    pub(crate) drained: Vec<NodeSpan>,
    pub(crate) undrained: Vec<NodeSpan>,
}

/// Job that was taken off its nodes by an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Handle of the job; waiting if it will be restarted, lost if it has left.
    pub job: JobHandle,
    /// Former nodes; some of them may still be up.
    pub on: Vec<NodeRange>,
}

impl Platform {
    pub(crate) fn new(outages: Arc<Outages>, nodes: u32) -> Result<Platform, OutageError> {
        outages.check(nodes)?;
        let mut steps = Vec::new();
        for &Outage { from, until, nodes } in outages.all() {
            steps.push(Step { at: from, kind: StepKind::Down(nodes) });
            steps.push(Step { at: until, kind: StepKind::Up(nodes) });
        }
        for &Outage { from, until, nodes } in &outages.drains {
            steps.push(Step { at: from, kind: StepKind::Drain(nodes) });
            steps.push(Step { at: until, kind: StepKind::Undrain(nodes) });
        }
        let announce = |&window: &Window| Step { at: window.announced, kind: StepKind::Announce(window) };
        steps.extend(outages.windows.iter().map(announce));
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let (outages_on, drains_on) = (vec![0; nodes as usize], vec![0; nodes as usize]);
        Ok(Platform { outages, steps, outages_on, drains_on, windows: Vec::new(), version: 0 })
    }

    pub(crate) fn interruption(&self) -> Interruption {
        self.outages.interruption
    }
    /// Returns whether a node takes jobs: it is neither down nor drained.
    pub(crate) fn takes_jobs(&self, node: usize) -> bool {
        self.outages_on[node] == 0 && self.drains_on[node] == 0
    }
    /// Returns whether a node is drained, and not down.
    pub(crate) fn is_drained(&self, node: u32) -> bool {
        self.drains_on[node as usize] > 0 && self.outages_on[node as usize] == 0
    }
    /// Finds the first node of a range that takes no jobs.
    pub(crate) fn first_closed(&self, range: NodeRange) -> Option<NodeId> {
        let node = range.indices().find(|&node| !self.takes_jobs(node))?;
        Some(NodeId(node as u32))
    }
    pub(crate) fn has_down(&self, placement: Placement<'_>) -> bool {
        placement.ranges().iter().any(|&range| range.indices().any(|node| self.outages_on[node] > 0))
    }
    /// Returns the time of the next step.
    pub(crate) fn next_step(&self) -> Option<SimTime> {
        self.steps.last().map(|step| step.at)
    }

    /// Performs all steps of this time: calls `announce` for new windows, and returns the nodes whose
    /// state changed.
    pub(crate) fn step(&mut self, now: SimTime, mut announce: impl FnMut(&Window)) -> ChangedNodes {
        let known = self.windows.len();
        self.windows.retain(|window| window.outage.until > now);
        let mut is_seen = self.windows.len() < known;
        let [mut down, mut up, mut drained, mut undrained] = [const { Vec::new() }; 4];
        while let Some(step) = self.steps.pop_if(|step| step.at == now) {
            let (span, change, last, changed) = match step.kind {
                StepKind::Announce(window) => {
                    self.windows.push(window);
                    is_seen = true;
                    announce(&window);
                    continue;
                }
                StepKind::Down(span) => (span, 1, 1, &mut down),
                StepKind::Up(span) => (span, -1, 0, &mut up),
                StepKind::Drain(span) => (span, 1, 1, &mut drained),
                StepKind::Undrain(span) => (span, -1, 0, &mut undrained),
            };
            let is_drain = matches!(step.kind, StepKind::Drain(_) | StepKind::Undrain(_));
            let counts = if is_drain { &mut self.drains_on } else { &mut self.outages_on };
            for node in span.iter() {
                let count = &mut counts[node as usize];
                *count = count.wrapping_add_signed(change);
                changed.extend((*count == last).then_some(node));
            }
        }
        is_seen |= self.windows.iter().any(|window| window.outage.from == now);
        // Another failure of nodes that are already down is not visible until they fail to come up,
        // so it does not count.
        is_seen |= [&down, &up, &drained, &undrained].iter().any(|nodes| !nodes.is_empty());
        self.version += u64::from(is_seen);
        let [down, up, drained, undrained] = [down, up, drained, undrained].map(spans);
        ChangedNodes { down, up, drained, undrained }
    }
}

/// Groups nodes into spans of consecutive ones.
fn spans(mut nodes: Vec<u32>) -> Vec<NodeSpan> {
    nodes.sort_unstable();
    let mut spans: Vec<NodeSpan> = Vec::new();
    for node in nodes {
        match spans.last_mut().filter(|last| last.end() == u64::from(node)) {
            Some(last) => last.nodes += 1,
            None => spans.push(NodeSpan { first: node, nodes: 1 }),
        }
    }
    spans
}
