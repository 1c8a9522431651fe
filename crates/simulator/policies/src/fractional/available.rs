//! The nodes that jobs may be on.

use dfrsim_cluster::{NodeRange, Placement, View};
use dfrsim_model::platform::Window;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use std::borrow::Cow;

/// How long before a window jobs leave its nodes, so that they are paused or moved and not interrupted: the shortest time that there is.
const AHEAD: SimSpan = SimSpan::from_micros(1);

/// The nodes that jobs may be on, with numbers of their own that have no gaps: all that places jobs knows these only.
#[derive(Debug)]
pub(super) struct Available {
    count: u32,
    /// `None` while all nodes are available.
    numbers: Option<Numbers>,
}

#[derive(Debug)]
struct Numbers {
    /// The nodes of the cluster by their own number, rising.
    nodes: Vec<NodeId>,
    /// The own number of each node of the cluster, if it is available.
    own: Vec<Option<NodeId>>,
}

impl Available {
    /// All of this many nodes.
    pub(super) fn all(nodes: u32) -> Available {
        Available { count: nodes, numbers: None }
    }

    /// Those that are up and, if `drains` says so, not in a window that begins in a microsecond.
    pub(super) fn of(view: View<'_>, drains: bool) -> Available {
        let soon = view.now().saturating_add(AHEAD);
        let is_available = |node: u32| {
            let closes = |window: &Window| window.outage.nodes.has(node) && window.outage.from <= soon;
            view.is_up(NodeId(node)) && !(drains && view.windows().iter().any(closes))
        };
        let nodes: Vec<NodeId> = (0..view.nodes()).filter(|&node| is_available(node)).map(NodeId).collect();
        if nodes.len() == view.nodes() as usize {
            return Available::all(view.nodes());
        }
        let mut own = vec![None; view.nodes() as usize];
        for (number, node) in (0..).map(NodeId).zip(&nodes) {
            own[node.index()] = Some(number);
        }
        Available { count: nodes.len() as u32, numbers: Some(Numbers { nodes, own }) }
    }

    /// How many they are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Whether they are all nodes of the cluster.
    pub(super) fn are_all(&self) -> bool {
        self.numbers.is_none()
    }

    /// The nodes of the cluster by their own number, rising.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let of = |number: u32| self.numbers.as_ref().map_or(NodeId(number), |it| it.nodes[number as usize]);
        (0..self.count).map(of)
    }

    /// Whether they are the same nodes.
    pub(super) fn are(&self, others: &Available) -> bool {
        match (&self.numbers, &others.numbers) {
            (None, None) => true,
            (Some(some), Some(others)) => some.nodes == others.nodes,
            _ => false,
        }
    }

    /// A placement on nodes of the cluster by own numbers; `None` if a part of it is not on these nodes.
    pub(super) fn to_own<'a>(&self, placement: &'a [NodeRange]) -> Option<Cow<'a, [NodeRange]>> {
        let Some(numbers) = &self.numbers else { return Some(Cow::Borrowed(placement)) };
        renumbered(placement, |node| numbers.own[node.index()]).map(Cow::Owned)
    }

    /// A placement by own numbers on nodes of the cluster.
    pub(super) fn to_nodes<'a>(&self, placement: &'a [NodeRange]) -> Cow<'a, [NodeRange]> {
        let Some(numbers) = &self.numbers else { return Cow::Borrowed(placement) };
        let nodes = renumbered(placement, |node| Some(numbers.nodes[node.index()]));
        Cow::Owned(nodes.expect("each own number is that of a node"))
    }

    /// Whether they may differ from those of the last moment, since a window begins in a microsecond.
    pub(super) fn drains(view: View<'_>) -> bool {
        let soon = view.now().saturating_add(AHEAD);
        view.windows().iter().any(|window| window.outage.from == soon)
    }

    /// The next moment at which jobs have to leave nodes for a window.
    pub(super) fn next_drain(view: View<'_>) -> Option<SimTime> {
        let drain = |window: &Window| {
            SimTime::from_micros(window.outage.from.micros().saturating_sub(AHEAD.micros()))
        };
        view.windows().iter().map(drain).filter(|&drain| drain > view.now()).min()
    }
}

/// The placement with other numbers of nodes, in the same order; `None` if a node has none.
fn renumbered(placement: &[NodeRange], number: impl Fn(NodeId) -> Option<NodeId>) -> Option<Vec<NodeRange>> {
    let mut ranges = Vec::with_capacity(placement.len());
    for part in Placement::new(placement) {
        NodeRange { first: number(part.node)?, nodes: 1, tasks: part.tasks }.push_onto(&mut ranges);
    }
    Some(ranges)
}
