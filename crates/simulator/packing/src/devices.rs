//! Devices of one node, of which tasks that are packed onto it hold parts.

use dfrsim_model::platform::devices::{DeviceRequest, OnDevices};
use std::cmp::Reverse;

/// Tasks of a job on a node whose devices they need.
#[derive(Clone, Copy, Debug)]
pub struct DeviceTasks {
    /// Index of the job.
    pub job: usize,
    /// Sequence number of the job in the order of submission.
    pub sequence: u64,
    /// Number of its tasks on the node.
    pub tasks: u32,
    /// Request of each task.
    pub request: DeviceRequest,
    /// Devices that the tasks get.
    pub on: OnDevices,
}

/// Subtracts parts from the free parts of devices; returns false if a device does not have them.
pub fn take_devices(free: &mut [u64], on: OnDevices, part: u64) -> bool {
    let mut parts = on.iter().map(|(device, tasks)| (device, u64::from(tasks) * part));
    parts.all(|(device, parts)| match free.get_mut(device) {
        Some(free) if *free >= parts => {
            *free -= parts;
            true
        }
        _ => false,
    })
}

/// Gives tasks their devices by the rule of the platform, given the free part of each device and the
/// sizes of the groups of devices. The
/// largest parts are first, then the requests for the most devices, then the jobs submitted first.
/// Returns false if they do not all fit.
///
/// ```
/// use dfrsim_model::platform::devices::{DeviceRequest, OnDevices, WHOLE_DEVICE};
/// use dfrsim_packing::{DeviceTasks, bind_in_order};
///
/// let job = |job, tenths| DeviceTasks {
///     job,
///     sequence: job as u64,
///     tasks: 1,
///     request: DeviceRequest { count: 1, part: WHOLE_DEVICE / 10 * tenths },
///     on: OnDevices::default(),
/// };
/// // 0.6 and 0.4 share the first device, and 0.5 gets the second one.
/// let mut tasks = [job(0, 4), job(1, 5), job(2, 6)];
/// assert!(bind_in_order(&mut [WHOLE_DEVICE; 2], &[], &mut tasks));
/// let devices = tasks.map(|it| (it.job, it.on.iter().map(|(device, _)| device).collect::<Vec<_>>()));
/// assert_eq!(devices, [(2, vec![0]), (1, vec![1]), (0, vec![0])]);
/// assert!(!bind_in_order(&mut [WHOLE_DEVICE; 2], &[], &mut [job(0, 6), job(1, 6), job(2, 6)]));
/// ```
pub fn bind_in_order(free: &mut [u64], groups: &[u32], tasks: &mut [DeviceTasks]) -> bool {
    tasks.sort_unstable_by_key(|it| (Reverse(it.request.part), Reverse(it.request.count), it.sequence));
    tasks.iter_mut().all(|it| match it.request.choose_near(free, it.tasks, groups) {
        Some(on) => {
            it.on = on;
            take_devices(free, on, it.request.part)
        }
        None => false,
    })
}
