//! Nodes that jobs may use.

use super::devices::DevicesOnNodes;
use dfrsim_cluster::{NodeRange, Placement, View};
use dfrsim_model::platform::Window;
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{NodeId, SimSpan, SimTime};
use std::borrow::Cow;

/// Time before a maintenance window at which jobs leave its nodes, so that they are paused or moved
/// instead of interrupted: the smallest time step.
const DRAIN_LEAD: SimSpan = SimSpan::from_micros(1);

/// Nodes that jobs may use, renumbered without gaps. All code that places jobs uses these numbers
/// only.
#[derive(Debug)]
pub(super) struct AvailableNodes {
    count: u32,
    /// Translation of node numbers; `None` while all nodes are available.
    numbers: Option<Numbering>,
}

#[derive(Debug)]
struct Numbering {
    /// Cluster nodes by available-node number, in ascending order.
    nodes: Vec<NodeId>,
    /// Available-node number of each cluster node; `None` if the node is not available.
    number_of: Vec<Option<NodeId>>,
}

impl AvailableNodes {
    /// Creates the set of all nodes of a cluster of `nodes` nodes.
    pub(super) fn all(nodes: u32) -> AvailableNodes {
        AvailableNodes { count: nodes, numbers: None }
    }

    /// Collects the nodes that are up and, if `drains` is true, not in a maintenance window that
    /// begins within a microsecond.
    pub(super) fn of(view: View<'_>, drains: bool) -> AvailableNodes {
        let soon = view.now().saturating_add(DRAIN_LEAD);
        let is_available = |node: u32| {
            let closes = |window: &Window| window.outage.nodes.contains(node) && window.outage.from <= soon;
            view.is_up(NodeId(node)) && !(drains && view.windows().iter().any(closes))
        };
        let nodes: Vec<NodeId> = (0..view.nodes()).filter(|&node| is_available(node)).map(NodeId).collect();
        if nodes.len() == view.nodes() as usize {
            return AvailableNodes::all(view.nodes());
        }
        let mut own = vec![None; view.nodes() as usize];
        for (number, node) in (0..).map(NodeId).zip(&nodes) {
            own[node.index()] = Some(number);
        }
        AvailableNodes { count: nodes.len() as u32, numbers: Some(Numbering { nodes, number_of: own }) }
    }

    /// Returns the number of available nodes.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns whether all nodes of the cluster are available.
    pub(super) fn is_whole_cluster(&self) -> bool {
        self.numbers.is_none()
    }

    /// Iterates over the cluster nodes by available-node number, in ascending order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let of = |number: u32| self.numbers.as_ref().map_or(NodeId(number), |it| it.nodes[number as usize]);
        (0..self.count).map(of)
    }

    /// Returns whether both sets contain the same nodes.
    pub(super) fn has_same_nodes(&self, others: &AvailableNodes) -> bool {
        match (&self.numbers, &others.numbers) {
            (None, None) => true,
            (Some(some), Some(others)) => some.nodes == others.nodes,
            _ => false,
        }
    }

    /// Converts a placement on cluster nodes to available-node numbers; `None` if a part of it is
    /// not on available nodes.
    pub(super) fn to_numbers<'a>(&self, placement: &'a [NodeRange]) -> Option<Cow<'a, [NodeRange]>> {
        let Some(numbers) = &self.numbers else { return Some(Cow::Borrowed(placement)) };
        renumbered(placement, |node| numbers.number_of[node.index()]).map(Cow::Owned)
    }

    /// Converts a placement by available-node numbers to cluster nodes.
    pub(super) fn to_nodes<'a>(&self, placement: &'a [NodeRange]) -> Cow<'a, [NodeRange]> {
        let Some(numbers) = &self.numbers else { return Cow::Borrowed(placement) };
        let nodes = renumbered(placement, |node| Some(numbers.nodes[node.index()]));
        Cow::Owned(nodes.expect("an available-node number must map to a cluster node"))
    }

    /// Converts devices of cluster nodes to available-node numbers, without those of other nodes.
    pub(super) fn devices_to_numbers(&self, devices: &[(u32, OnDevices)]) -> DevicesOnNodes {
        let number = |node: u32| match &self.numbers {
            Some(numbers) => numbers.number_of[node as usize].map(|own| own.0),
            None => Some(node),
        };
        devices.iter().filter_map(|&(node, on)| Some((number(node)?, on))).collect()
    }
    /// Converts devices by available-node numbers to those of cluster nodes.
    pub(super) fn devices_to_nodes(&self, devices: &[(u32, OnDevices)]) -> DevicesOnNodes {
        let node = |own: u32| self.numbers.as_ref().map_or(own, |numbers| numbers.nodes[own as usize].0);
        devices.iter().map(|&(own, on)| (node(own), on)).collect()
    }

    /// Returns whether the set may have changed because a window begins within a microsecond.
    pub(super) fn is_draining(view: View<'_>) -> bool {
        let soon = view.now().saturating_add(DRAIN_LEAD);
        view.windows().iter().any(|window| window.outage.from == soon)
    }

    /// Returns the next time at which jobs must leave nodes because of a window.
    pub(super) fn next_drain(view: View<'_>) -> Option<SimTime> {
        let drain = |window: &Window| {
            SimTime::from_micros(window.outage.from.micros().saturating_sub(DRAIN_LEAD.micros()))
        };
        view.windows().iter().map(drain).filter(|&drain| drain > view.now()).min()
    }
}

/// Renumbers the nodes of a placement, keeping their order; `None` if a node has no new number.
fn renumbered(placement: &[NodeRange], number: impl Fn(NodeId) -> Option<NodeId>) -> Option<Vec<NodeRange>> {
    let mut ranges = Vec::with_capacity(placement.len());
    for part in Placement::new(placement) {
        NodeRange { first: number(part.node)?, nodes: 1, tasks: part.tasks }.push_onto(&mut ranges);
    }
    Some(ranges)
}
