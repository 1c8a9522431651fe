//! Devices of nodes in use, and those that each job holds.

use crate::{JobHandle, Placement};
use dfrsim_model::platform::classes::{NodeClasses, Sharing};
use dfrsim_model::platform::devices::{DeviceRequest, MOST_DEVICES, OnDevices, WHOLE_DEVICE};
use dfrsim_model::{NodeId, Yield};

/// Devices of a job: for each of its nodes, in ascending order, the number of tasks on each device.
pub type DevicesOnNodes = Vec<(u32, OnDevices)>;

/// State of the devices of all nodes.
#[derive(Debug)]
pub(crate) struct DeviceState {
    /// Index of the resource whose units they are.
    pub(crate) resource: usize,
    /// True if parts follow the yields of jobs.
    is_shared: bool,
    /// Part in use of each device, by node, in units of 2^-20 share units.
    used: Vec<[u64; MOST_DEVICES]>,
    /// Devices that each job holds, by handle.
    held: Vec<DevicesOnNodes>,
    /// Yield at which they are counted, by handle; 1 if they are not shared.
    yields: Vec<Yield>,
    /// Devices that each job held before they were last released, by handle.
    released: Vec<DevicesOnNodes>,
}

impl DeviceState {
    /// Creates the state of free devices; `None` if nodes have none.
    pub(crate) fn new(classes: &NodeClasses) -> Option<DeviceState> {
        let resource = classes.devices()?;
        let is_shared = classes.resources()[resource].sharing == Sharing::SharedDevices;
        let used = vec![[0; MOST_DEVICES]; classes.nodes() as usize];
        let (held, yields, released) = (Vec::new(), Vec::new(), Vec::new());
        Some(DeviceState { resource, is_shared, used, held, yields, released })
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
        at: Yield,
        classes: &NodeClasses,
    ) {
        let at = if self.is_shared { at } else { Yield::ONE };
        // A part at a yield, rounded up.
        let part = (u128::from(request.part) * u128::from(at.units())).div_ceil(1 << Yield::BITS).max(1);
        let needed = DeviceRequest { part: part as u64, ..request };
        let mut held = named.to_vec();
        if named.is_empty() {
            for part in placement {
                let class = classes.of(part.node.0);
                let count = class.amounts[self.resource] as usize;
                let mut free = [0; MOST_DEVICES];
                for (free, used) in free.iter_mut().zip(&self.used[part.node.index()][..count]) {
                    *free = WHOLE_DEVICE.saturating_sub(used.div_ceil(1 << Yield::BITS));
                }
                let chosen = needed.choose_near(&free[..count], part.tasks, &class.device_groups);
                held.extend(chosen.map(|on| (part.node.0, on)));
            }
        }
        if self.held.len() <= job.index() {
            self.held.resize_with(job.index() + 1, Vec::new);
            self.yields.resize(job.index() + 1, Yield::ZERO);
        }
        self.held[job.index()] = held;
        self.count(job, request, at);
    }

    /// Releases the devices of a job.
    pub(crate) fn release(&mut self, job: JobHandle, request: DeviceRequest) {
        self.count(job, request, Yield::ZERO);
        if let Some(held) = self.held.get_mut(job.index()) {
            let held = std::mem::take(held);
            if self.released.len() <= job.index() {
                self.released.resize_with(job.index() + 1, Vec::new);
            }
            self.released[job.index()] = held;
        }
    }

    /// Counts the tasks of a migrated job that have left their node, or one of their devices.
    pub(crate) fn moved(&self, job: JobHandle, request: DeviceRequest, before: Placement<'_>) -> u32 {
        let tasks: u64 = before.tasks();
        let stay = |&(node, old): &(u32, OnDevices)| {
            let new = self.held(job).iter().find(|it| it.0 == node).map(|it| it.1).unwrap_or_default();
            let common: u32 = old.iter().map(|(device, tasks)| u32::from(tasks.min(new.on(device)))).sum();
            common / request.count
        };
        let stay: u32 = self.released.get(job.index()).into_iter().flatten().map(stay).sum();
        tasks.saturating_sub(stay.into()) as u32
    }

    /// Counts the parts of a job at a new yield, if devices are shared.
    pub(crate) fn set_yield(&mut self, job: JobHandle, request: DeviceRequest, at: Yield) {
        if self.is_shared {
            self.count(job, request, at);
        }
    }
    /// Counts the parts of a job at a yield instead of the one before.
    fn count(&mut self, job: JobHandle, request: DeviceRequest, at: Yield) {
        let Some(before) = self.yields.get_mut(job.index()) else { return };
        let before = std::mem::replace(before, at);
        for &(node, on) in &self.held[job.index()] {
            let Some(used) = self.used.get_mut(node as usize) else { continue };
            for (device, tasks) in on.iter() {
                let part = u64::from(tasks) * request.part;
                used[device] = used[device] - part * u64::from(before.units()) + part * u64::from(at.units());
            }
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
                || self.used[node.index()].iter().any(|&used| used > WHOLE_DEVICE << Yield::BITS)
        };
        placement.iter().find(|part| is_wrong(part.node, part.tasks)).map(|part| part.node)
    }
}
