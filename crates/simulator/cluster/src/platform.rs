//! Nodes that go down and come back.

use crate::{JobHandle, NodeRange, Placement};
use dfrsim_model::platform::{Interruption, NodeSpan, Outage, OutageError, Outages, Window};
use dfrsim_model::{NodeId, SimTime};
use std::sync::Arc;

/// Which nodes are up, and what is known of the future. What a cluster without outages does not have.
#[derive(Debug)]
pub(crate) struct Platform {
    outages: Arc<Outages>,
    /// What is left to happen, the next thing last.
    steps: Vec<Step>,
    /// How many outages each node is in.
    outages_of: Vec<u32>,
    /// Windows that are announced and not over, by announcement.
    pub(crate) windows: Vec<Window>,
    /// How many moments there were at which policies can see that something changed.
    pub(crate) version: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    at: SimTime,
    what: What,
}

/// Within a moment nodes go down before others come up: one that an outage leaves in the moment in which another begins stays down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Announce(Window),
    Down(NodeSpan),
    Up(NodeSpan),
}

/// A job that lost its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The job: waiting if it is to be started again, lost if it has left.
    pub job: JobHandle,
    /// Its former nodes; some of these may be up.
    pub on: Vec<NodeRange>,
}

impl Platform {
    pub(crate) fn new(outages: Arc<Outages>, nodes: u32) -> Result<Platform, OutageError> {
        outages.check(nodes)?;
        let mut steps = Vec::new();
        for &Outage { from, until, nodes } in outages.all() {
            steps.push(Step { at: from, what: What::Down(nodes) });
            steps.push(Step { at: until, what: What::Up(nodes) });
        }
        let announce = |&window: &Window| Step { at: window.announced, what: What::Announce(window) };
        steps.extend(outages.windows.iter().map(announce));
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let outages_of = vec![0; nodes as usize];
        Ok(Platform { outages, steps, outages_of, windows: Vec::new(), version: 0 })
    }

    pub(crate) fn interruption(&self) -> Interruption {
        self.outages.interruption
    }
    pub(crate) fn is_up(&self, node: u32) -> bool {
        self.outages_of[node as usize] == 0
    }
    /// The first node of a range that is down.
    pub(crate) fn down_in(&self, range: NodeRange) -> Option<NodeId> {
        let node = range.indices().find(|&node| self.outages_of[node] > 0)?;
        Some(NodeId(node as u32))
    }
    pub(crate) fn has_down(&self, placement: Placement<'_>) -> bool {
        placement.ranges().iter().any(|&range| self.down_in(range).is_some())
    }
    /// The moment of the next step.
    pub(crate) fn next_step(&self) -> Option<SimTime> {
        self.steps.last().map(|step| step.at)
    }

    /// Takes all steps of a moment: announces windows, and returns the nodes that went down and those that came up.
    pub(crate) fn step(&mut self, now: SimTime, mut announce: impl FnMut(&Window)) -> [Vec<NodeSpan>; 2] {
        let known = self.windows.len();
        self.windows.retain(|window| window.outage.until > now);
        let mut is_seen = self.windows.len() < known;
        let (mut down, mut up) = (Vec::new(), Vec::new());
        while let Some(step) = self.steps.pop_if(|step| step.at == now) {
            let (span, change, last, changed) = match step.what {
                What::Announce(window) => {
                    self.windows.push(window);
                    is_seen = true;
                    announce(&window);
                    continue;
                }
                What::Down(span) => (span, 1, 1, &mut down),
                What::Up(span) => (span, -1, 0, &mut up),
            };
            for node in span.iter() {
                let count = &mut self.outages_of[node as usize];
                *count = count.wrapping_add_signed(change);
                changed.extend((*count == last).then_some(node));
            }
        }
        is_seen |= self.windows.iter().any(|window| window.outage.from == now);
        // A failure of nodes that are down already is not known before they fail to come up.
        self.version += u64::from(is_seen || !down.is_empty() || !up.is_empty());
        [down, up].map(spans)
    }
}

/// The spans of some nodes.
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
