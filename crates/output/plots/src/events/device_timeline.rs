//! Use of the devices of a run over time.

use super::devices::NodeDevices;
use super::replay::{Change, Job, Observer};
use dfrsim_model::platform::device_use::{DeviceLevels, DeviceUse};
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices};

/// Levels of the devices in use over time.
#[derive(Default)]
pub(super) struct DeviceTimeline {
    nodes: NodeDevices,
    devices: Option<DeviceUse>,
    /// Levels after all changes of a time.
    pub(super) levels: Vec<(u64, DeviceLevels)>,
    now: Option<u64>,
}

impl DeviceTimeline {
    /// Records the levels after the changes of the last time.
    pub(super) fn settle(&mut self) {
        if let (Some(devices), Some(now)) = (&mut self.devices, self.now) {
            self.levels.push((now, devices.levels()));
        }
    }

    fn advance(&mut self, at: u64) -> Option<&mut DeviceUse> {
        if self.now != Some(at) {
            self.settle();
            self.now = Some(at);
        }
        self.devices.as_mut()
    }
}

impl Observer for DeviceTimeline {
    fn before_change(&mut self, at: u64, job: &Job, change: Change) {
        let Some(devices) = self.advance(at) else { return };
        match change {
            Change::Complete | Change::Kill | Change::Lose | Change::Reject => devices.remove(job.sequence),
            Change::Pause | Change::Interrupt => devices.release(job.sequence),
            Change::Submit | Change::Start | Change::Resume | Change::Migrate | Change::Yield => {}
        }
    }
    fn after_change(&mut self, at: u64, job: &Job, change: Change) {
        let cores = self.nodes.cores_for(job.cpu_need);
        let Some(devices) = self.advance(at) else { return };
        match change {
            Change::Submit => devices.submit(job.sequence, cores, job.of.tasks),
            Change::Start | Change::Resume | Change::Migrate => {
                devices.place(job.sequence, job.on.iter().copied());
            }
            _ => {}
        }
    }
    fn devices_requested(&mut self, job: &Job, request: DeviceRequest) {
        if let Some(devices) = &mut self.devices {
            devices.request(job.sequence, Some(request));
        }
    }
    fn devices_bound(&mut self, at: u64, job: &Job, on: &[(u32, u32, u32)]) {
        let Some(devices) = self.advance(at) else { return };
        for part in on.chunk_by(|one, other| one.0 == other.0) {
            let of_node = part.iter().map(|&(_, device, tasks)| (device as usize, tasks as u8));
            devices.bind(job.sequence, &[(part[0].0, OnDevices::from_pairs(of_node))]);
        }
    }
    fn begin_with_devices(&mut self, nodes: &NodeDevices) {
        // Shared devices have no fixed free parts.
        let devices = (!nodes.is_shared).then(|| DeviceUse::new(nodes.classes.iter().copied()));
        (self.nodes, self.devices) = (nodes.clone(), devices);
    }
}
