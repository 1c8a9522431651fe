//! Power of devices and sockets that draw all of it once they are used.

use crate::Placement;
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices};
use dfrsim_model::platform::power::{ENERGY_PARTS, UsedPower};
use dfrsim_model::{Share, SortedMap};

/// Devices and sockets in use, and the part of each job in the power that they add.
///
/// The power of a used device is shared out to the jobs that hold it, in proportion to the parts that
/// they hold; that of the used sockets of a node in proportion to the parts of cores of their tasks. Shares
/// are rounded down to units of 2^-20 mW, and the first job by number has the rest: all shares of a unit
/// have its power as their sum.
#[derive(Clone, Debug)]
pub(crate) struct UsedUnits {
    /// Power of the units of a node of each class, if it has such units.
    of_class: Vec<Option<UsedPower>>,
    /// Jobs on each node, in ascending order.
    nodes: Vec<Vec<JobOnNode>>,
    jobs: SortedMap<u64, JobUnits>,
}

/// Job on a node.
#[derive(Clone, Copy, Debug)]
struct JobOnNode {
    job: u64,
    /// Parts of cores that its tasks on the node have.
    parts: u64,
    devices: OnDevices,
    /// Part of a device that each of its tasks there holds.
    part: u64,
    /// Share of the job in the power of the units of the node, in milliwatts times units of 2^-20.
    share: u128,
}

/// Request of a task of a job, and the nodes of the job with such units.
#[derive(Clone, Debug, Default)]
struct JobUnits {
    parts: u64,
    request: Option<DeviceRequest>,
    nodes: Vec<u32>,
}

/// Change of the power that a job has for used units, in milliwatts times units of 2^-20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShareChange {
    pub(crate) job: u64,
    pub(crate) before: u128,
    pub(crate) after: u128,
}

impl UsedUnits {
    /// Creates the state of an idle cluster; `None` if no class of nodes has such units.
    pub(crate) fn new(classes: &NodeClasses) -> Option<Box<UsedUnits>> {
        let of_class = (0..classes.classes().len()).map(|class| classes.used_power(class)).collect();
        let nodes = vec![Vec::new(); classes.nodes() as usize];
        classes.has_used_power().then(|| Box::new(UsedUnits { of_class, nodes, jobs: SortedMap::default() }))
    }

    /// Adds a job that arrives.
    pub(crate) fn submit(&mut self, job: u64, cpu_need: Share, classes: &NodeClasses) {
        self.jobs.insert(job, JobUnits { parts: classes.core_parts_for(cpu_need), ..JobUnits::default() });
    }
    /// Learns the devices that the tasks of a job request.
    pub(crate) fn request(&mut self, job: u64, demand: &Demand, classes: &NodeClasses) {
        if let Some(units) = self.jobs.get_mut(&job) {
            units.request = classes.devices().and_then(|at| demand.devices(at));
        }
    }
    /// Removes a job that has left its nodes.
    pub(crate) fn remove(&mut self, job: u64) {
        self.jobs.remove(&job);
    }

    /// Places the tasks of a job, which has no nodes; returns the changes of the shares of all jobs.
    pub(crate) fn place(&mut self, job: u64, on: Placement<'_>, classes: &NodeClasses) -> Vec<ShareChange> {
        let Some(mut units) = self.jobs.remove(&job) else { return Vec::new() };
        let mut changes = Vec::new();
        let part = units.request.map_or(0, |request| request.part);
        for on in on {
            let node = on.node.0;
            let Some(power) = self.of_class[classes.class_of(node)] else { continue };
            let parts = units.parts * u64::from(on.tasks);
            let own = JobOnNode { job, parts, devices: OnDevices::default(), part, share: 0 };
            let jobs = &mut self.nodes[node as usize];
            jobs.insert(jobs.partition_point(|other| other.job < job), own);
            share_out(power, jobs, &mut changes);
            units.nodes.push(node);
        }
        self.jobs.insert(job, units);
        changes
    }
    /// Assigns the tasks of a placed job to devices; returns the changes of the shares of all jobs.
    pub(crate) fn bind(
        &mut self,
        job: u64,
        devices: &[(u32, OnDevices)],
        classes: &NodeClasses,
    ) -> Vec<ShareChange> {
        let mut changes = Vec::new();
        for (node, on) in devices {
            let Some(power) = self.of_class[classes.class_of(*node)] else { continue };
            let jobs = &mut self.nodes[*node as usize];
            jobs.iter_mut().filter(|own| own.job == job).for_each(|own| own.devices = *on);
            share_out(power, jobs, &mut changes);
        }
        changes
    }
    /// Takes a job off its nodes; returns the changes of the shares of the other jobs.
    pub(crate) fn release(&mut self, job: u64, classes: &NodeClasses) -> Vec<ShareChange> {
        let Some(units) = self.jobs.get_mut(&job) else { return Vec::new() };
        let mut changes = Vec::new();
        for node in units.nodes.drain(..) {
            let Some(power) = self.of_class[classes.class_of(node)] else { continue };
            let jobs = &mut self.nodes[node as usize];
            jobs.retain(|other| other.job != job);
            share_out(power, jobs, &mut changes);
        }
        changes
    }
}

/// Shares out the power of the used units of a node to its jobs.
fn share_out(power: UsedPower, jobs: &mut [JobOnNode], changes: &mut Vec<ShareChange>) {
    let mut shares = vec![0_u128; jobs.len()];
    let mut divide = |whole: u64, held: &dyn Fn(&JobOnNode) -> u64| {
        let all = u128::from(jobs.iter().map(held).sum::<u64>());
        let whole = u128::from(whole) * ENERGY_PARTS;
        if all == 0 || whole == 0 {
            return;
        }
        let mut rest = whole;
        let mut first = None;
        for (at, job) in jobs.iter().enumerate().filter(|(_, job)| held(job) > 0) {
            let share = whole * u128::from(held(job)) / all;
            shares[at] += share;
            rest -= share;
            first = first.or(Some(at));
        }
        first.into_iter().for_each(|at| shares[at] += rest);
    };
    let used = jobs.iter().flat_map(|job| job.devices.iter()).map(|(device, _)| device).max();
    for device in 0..used.map_or(0, |last| last + 1) {
        divide(power.device, &|job| u64::from(job.devices.on(device)) * job.part);
    }
    let parts = jobs.iter().map(|job| job.parts).sum();
    divide(power.of(0, parts), &|job| job.parts);
    for (job, after) in jobs.iter_mut().zip(shares) {
        let before = std::mem::replace(&mut job.share, after);
        if before != after {
            changes.push(ShareChange { job: job.job, before, after });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_node(job: u64, parts: u64, tenths: u64, devices: &[usize]) -> JobOnNode {
        let devices = OnDevices::from_pairs(devices.iter().map(|&device| (device, 1)));
        JobOnNode { job, parts, devices, part: tenths, share: 0 }
    }

    /// A used device adds 100 mW and a used socket of four parts of cores 30 mW.
    ///
    /// | jobs | device 0 | device 1 | sockets |
    /// |---|---|---|---|
    /// | 0.5 and 0.3 of one device, 1 and 2 parts of cores | 5/8, 3/8 | - | 1: 1/3, 2/3 |
    /// | the same on two devices, 3 and 2 parts | 1 | 1 | 2: 3/5, 2/5 |
    #[test]
    fn shares_are_in_proportion_to_what_is_held() {
        let power = UsedPower { device: 100, socket: 30, socket_parts: 4, sockets: 2 };
        let shares = |mut jobs: Vec<JobOnNode>| {
            share_out(power, &mut jobs, &mut Vec::new());
            jobs.iter().map(|job| job.share).collect::<Vec<u128>>()
        };
        let one = ENERGY_PARTS;
        let third = 30 * one / 3;
        let found = shares(vec![on_node(3, 1, 5, &[0]), on_node(7, 2, 3, &[0])]);
        assert_eq!(found, [62 * one + one / 2 + third, 37 * one + one / 2 + 2 * third]);
        let found = shares(vec![on_node(3, 3, 5, &[1]), on_node(7, 2, 3, &[0])]);
        assert_eq!(found, [136 * one, 124 * one]);
        // Thirds of a device are rounded down, and the first job has the rest.
        let found = shares(vec![on_node(1, 0, 1, &[0]), on_node(2, 0, 1, &[0]), on_node(3, 0, 1, &[0])]);
        assert_eq!(found, [100 * one - 2 * (100 * one / 3), 100 * one / 3, 100 * one / 3]);
        assert_eq!(shares(vec![on_node(1, 9, 1, &[])]), [60 * one], "more cores than the sockets have");
    }
}
