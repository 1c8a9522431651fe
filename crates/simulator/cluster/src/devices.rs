//! Devices of nodes in use, and those that each job holds.

use crate::{JobHandle, Placement};
use dfrsim_model::NodeId;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::devices::{DeviceRequest, MOST_DEVICES, OnDevices, WHOLE_DEVICE};

/// Devices of a job: for each of its nodes, in ascending order, the number of tasks on each device.
pub type DevicesOnNodes = Vec<(u32, OnDevices)>;

/// State of the devices of all nodes.
#[derive(Debug)]
pub(crate) struct DeviceState {
    /// Index of the resource whose units they are.
    pub(crate) resource: usize,
    /// Part in use of each device, by node, in share units.
    used: Vec<[u64; MOST_DEVICES]>,
    /// Devices that each job holds, by handle.
    held: Vec<DevicesOnNodes>,
}

impl DeviceState {
    /// Creates the state of free devices; `None` if nodes have none.
    pub(crate) fn new(classes: &NodeClasses) -> Option<DeviceState> {
        let resource = classes.devices()?;
        let used = vec![[0; MOST_DEVICES]; classes.nodes() as usize];
        Some(DeviceState { resource, used, held: Vec::new() })
    }

    /// Returns the devices that a job holds.
    pub(crate) fn held(&self, job: JobHandle) -> &[(u32, OnDevices)] {
        self.held.get(job.index()).map_or(&[], Vec::as_slice)
    }

    /// Assigns tasks to devices: those that the decision names, or else those that the rule of the
    /// platform chooses among the free ones. A node without enough of them is left out, which
    /// [`DeviceState::violation`] reports.
    pub(crate) fn bind(
        &mut self,
        job: JobHandle,
        request: DeviceRequest,
        placement: Placement<'_>,
        named: &[(u32, OnDevices)],
        classes: &NodeClasses,
    ) {
        let mut held = named.to_vec();
        if named.is_empty() {
            for part in placement {
                let class = classes.of(part.node.0);
                let count = class.amounts[self.resource] as usize;
                let mut free = [0; MOST_DEVICES];
                for (free, used) in free.iter_mut().zip(&self.used[part.node.index()][..count]) {
                    *free = WHOLE_DEVICE.saturating_sub(*used);
                }
                let chosen = request.choose_near(&free[..count], part.tasks, &class.device_groups);
                held.extend(chosen.map(|on| (part.node.0, on)));
            }
        }
        self.change(request, &held, |used, part| *used += part);
        if self.held.len() <= job.index() {
            self.held.resize_with(job.index() + 1, Vec::new);
        }
        self.held[job.index()] = held;
    }

    /// Releases the devices of a job.
    pub(crate) fn release(&mut self, job: JobHandle, request: DeviceRequest) {
        if let Some(held) = self.held.get_mut(job.index()) {
            let held = std::mem::take(held);
            self.change(request, &held, |used, part| *used -= part);
        }
    }

    fn change(&mut self, request: DeviceRequest, held: &[(u32, OnDevices)], change: impl Fn(&mut u64, u64)) {
        for &(node, on) in held {
            let Some(used) = self.used.get_mut(node as usize) else { continue };
            on.iter().for_each(|(device, tasks)| change(&mut used[device], u64::from(tasks) * request.part));
        }
    }

    /// Finds the first node on which a job does not have the devices that its tasks request, or on
    /// which a device is over-committed.
    pub(crate) fn violation(
        &self,
        job: JobHandle,
        request: DeviceRequest,
        placement: Placement<'_>,
        classes: &NodeClasses,
    ) -> Option<NodeId> {
        let is_wrong = |node: NodeId, tasks: u32| {
            let count = classes.of(node.0).amounts[self.resource] as usize;
            let mut own = self.held(job).iter().filter(|(on, _)| *on == node.0);
            let (Some((_, on)), None) = (own.next(), own.next()) else { return true };
            let parts: u64 = on.iter().map(|(_, tasks)| u64::from(tasks)).sum();
            parts != u64::from(request.count) * u64::from(tasks)
                || on.iter().any(|(device, parts)| device >= count || u32::from(parts) > tasks)
                || self.used[node.index()].iter().any(|&used| used > WHOLE_DEVICE)
        };
        placement.iter().find(|part| is_wrong(part.node, part.tasks)).map(|part| part.node)
    }
}
