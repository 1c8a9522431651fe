//! Devices of the nodes of a run, such as GPUs.

use super::fault::EventsLineError;
use dfrsim_model::Share;
use dfrsim_model::event::{ClassOfNodes, ResourceOfNodes};
use dfrsim_model::platform::devices::MOST_DEVICES;
use std::ops::Range;

/// Largest number of nodes whose devices are followed.
const MAX_NODES: u32 = 1_000_000;

/// Devices of all nodes, numbered one node after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeDevices {
    /// Index of the resource.
    pub(super) resource: usize,
    /// Name of the resource.
    pub(super) name: String,
    /// True if parts follow the yields of jobs.
    pub(super) is_shared: bool,
    /// Classes of nodes: number of nodes, and cores and devices of each.
    pub(super) classes: Vec<(u32, u64, u32)>,
    /// Number of parts of cores of the reference node.
    parts: u64,
}

impl NodeDevices {
    /// Gathers the devices of a run; `None` if nodes have none.
    ///
    /// # Errors
    /// Returns an error if there are too many nodes, or too many devices on a node.
    pub(super) fn new(
        resources: &[ResourceOfNodes],
        classes: &[ClassOfNodes],
        (cores, core_parts): (Option<u32>, Option<u32>),
    ) -> Result<Option<NodeDevices>, EventsLineError> {
        let Some(resource) = resources.iter().position(|it| it.devices) else { return Ok(None) };
        let parts = u64::from(cores.unwrap_or(1)) * u64::from(core_parts.unwrap_or(1));
        let of_class = |class: &ClassOfNodes| {
            let devices = class.resources.get(resource).copied().unwrap_or(0);
            (class.nodes, in_parts(parts, class.cpu), devices)
        };
        let classes: Vec<(u32, u64, u32)> = classes.iter().map(of_class).collect();
        let nodes: u64 = classes.iter().map(|(nodes, ..)| u64::from(*nodes)).sum();
        if nodes > MAX_NODES.into() || classes.iter().any(|(.., count)| *count > MOST_DEVICES as u32) {
            return Err(EventsLineError::TooManyDevices { nodes: MAX_NODES, devices: MOST_DEVICES });
        }
        let (name, is_shared) = (resources[resource].name.clone(), resources[resource].shared);
        Ok(Some(NodeDevices { resource, name, is_shared, classes, parts }))
    }

    /// Returns the number of parts of cores that a task holds.
    pub(super) fn cores_for(&self, cpu_need: Share) -> u64 {
        in_parts(self.parts, cpu_need.units().into()).max(1)
    }

    /// Returns the number of all devices.
    pub(super) fn count(&self) -> u32 {
        self.classes.iter().map(|(nodes, _, devices)| nodes * devices).sum()
    }

    /// Returns the number of the first device of a node, and the number of its devices.
    fn of_node(&self, node: u32) -> Option<(u32, u32)> {
        let (mut nodes_before, mut before) = (0, 0);
        for &(nodes, _, devices) in &self.classes {
            if node - nodes_before < nodes {
                return Some((before + (node - nodes_before) * devices, devices));
            }
            nodes_before += nodes;
            before += nodes * devices;
        }
        None
    }

    /// Returns the devices of some nodes.
    pub(super) fn of_nodes(&self, first: u32, nodes: u32) -> Range<u32> {
        let begin = |node: u32| self.of_node(node).map_or(self.count(), |(first, _)| first);
        begin(first)..begin(first + nodes)
    }

    /// Returns the number of a device of a node.
    ///
    /// # Errors
    /// Returns an error if the node has no such device.
    pub(super) fn number(&self, node: u32, device: u32) -> Result<u32, EventsLineError> {
        let found = self.of_node(node).filter(|(_, devices)| device < *devices);
        found.map(|(first, _)| first + device).ok_or(EventsLineError::Device { node, device })
    }

    /// Returns the node of a device and its number there, as in `3.1`.
    pub(super) fn label(&self, number: u32) -> String {
        let (mut nodes_before, mut before) = (0, 0);
        for &(nodes, _, devices) in &self.classes {
            if devices > 0 && number - before < nodes * devices {
                let within = number - before;
                return format!("{}.{}", nodes_before + within / devices, within % devices);
            }
            nodes_before += nodes;
            before += nodes * devices;
        }
        number.to_string()
    }
}

fn in_parts(parts: u64, cpu: u64) -> u64 {
    (u128::from(cpu) * u128::from(parts)).div_ceil(Share::ONE.units().into()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_node_after_node() {
        let devices = NodeDevices {
            classes: vec![(2, 4, 2), (1, 8, 0), (2, 8, 3)],
            name: "gpu".to_owned(),
            ..NodeDevices::default()
        };
        assert_eq!(devices.count(), 10);
        let found: Vec<String> = (0..10).map(|number| devices.label(number)).collect();
        assert_eq!(found, ["0.0", "0.1", "1.0", "1.1", "3.0", "3.1", "3.2", "4.0", "4.1", "4.2"]);
        assert_eq!((devices.number(3, 1), devices.number(4, 2)), (Ok(5), Ok(9)));
        for (node, device) in [(0, 2), (2, 0), (5, 0)] {
            assert_eq!(devices.number(node, device), Err(EventsLineError::Device { node, device }));
        }
        assert_eq!((devices.of_nodes(1, 2), devices.of_nodes(3, 2)), (2..4, 4..10));
    }
}
