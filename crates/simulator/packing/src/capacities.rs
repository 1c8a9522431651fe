//! Heterogeneous nodes and the requirements of tasks, in any number of dimensions.

use dfrsim_model::Yield;
use dfrsim_model::platform::devices::DeviceRequest;

/// Index of CPU among the dimensions: memory is before it, further resources are after it.
pub(crate) const CPU: usize = 1;

/// Capacity of a dimension that does not limit a node.
pub const UNLIMITED: u64 = u64::MAX;

/// Capacities of the nodes of a cluster, by class.
#[derive(Clone, Debug)]
pub struct Capacities {
    /// Capacity of a node of each class: memory, CPU, then each further resource.
    pub classes: Vec<Vec<u64>>,
    /// Divisors that make sizes comparable across dimensions, above zero; equal for memory and CPU.
    pub wholes: Vec<u64>,
    /// Class of each node.
    pub class_of: Vec<usize>,
    /// Number of devices of a node of each class; empty if nodes have none.
    pub devices: Vec<usize>,
    /// Sizes of the groups of devices of a node of each class, such as those with NVLink; none if the
    /// devices are in no groups.
    pub device_groups: Vec<Vec<u32>>,
    /// True if parts of devices follow yields, as CPU does.
    pub devices_are_shared: bool,
}

impl Capacities {
    /// Returns the request of a task for devices at a yield; parts are rounded up.
    #[must_use]
    pub fn request_at(&self, request: DeviceRequest, at: Yield) -> DeviceRequest {
        if !self.devices_are_shared {
            return request;
        }
        let part = (u128::from(request.part) * u128::from(at.units())).div_ceil(1 << Yield::BITS);
        DeviceRequest { part: (part as u64).max(1), ..request }
    }
}

impl Capacities {
    /// Returns the capacity of a node in each dimension.
    #[must_use]
    pub fn of(&self, node: usize) -> &[u64] {
        &self.classes[self.class_of[node]]
    }
    /// Returns the sizes of the groups of devices of a node; none if they are in no groups.
    #[must_use]
    pub fn device_groups_of(&self, node: usize) -> &[u32] {
        self.device_groups.get(self.class_of[node]).map_or(&[], Vec::as_slice)
    }
    /// Sums the capacity of all nodes in a dimension.
    pub(crate) fn total(&self, dimension: usize) -> u128 {
        self.class_of.iter().map(|&class| u128::from(self.classes[class][dimension])).sum()
    }
}

/// Requirements of a task on heterogeneous nodes, in units of their capacities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSize {
    /// Amount held in each dimension at any yield: memory, whole GPUs.
    pub held: Vec<u64>,
    /// Amount used in each dimension at a yield of 1: CPU, shared GPUs.
    pub used: Vec<u64>,
    /// True, for each node class, if the task may run on nodes of the class.
    pub allowed: Vec<bool>,
    /// Request for devices, parts of which cannot be added up. Their sum is a dimension, too.
    pub devices: Option<DeviceRequest>,
}
