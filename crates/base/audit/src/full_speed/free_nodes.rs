//! Memory, CPU and other resources left on nodes, as plain lists.

use crate::devices::{self, DeviceList, Triples};
use crate::nodes::{Kind, Size, TasksByNode};
use dfrsim_model::Share;
use std::ops::Range;

const ONE: u64 = Share::ONE.units() as u64;

/// Resource of the whole cluster: what there is of it, and what jobs have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub(super) is_power: bool,
    pub(super) amount: u64,
    pub(super) in_use: u64,
}

#[derive(Clone, Debug)]
struct FreeNode {
    is_closed: bool,
    kind: usize,
    /// Amounts of memory, CPU and other resources, as far as tasks do not hold them.
    left: Vec<u64>,
    /// Part left of each device.
    devices: Vec<i64>,
    /// Sizes of the groups of devices.
    device_groups: Vec<u32>,
}

/// Placement of a job: its tasks by node, and its devices as triples.
pub(super) type Place = (TasksByNode, DeviceList);

/// All nodes by number.
#[derive(Clone, Debug)]
pub(super) struct FreeNodes(Vec<FreeNode>, Vec<Amount>);

/// Resources that a job holds at any yield, and those that it uses if it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Held,
    Used,
}

fn amounts(size: &Size, part: Part) -> &[u64] {
    match part {
        Part::Held => &size.held,
        Part::Used => &size.used,
    }
}

impl FreeNodes {
    /// Creates nodes without tasks, given those that take no job and what the cluster has as a whole.
    pub(super) fn new(kinds: &[Kind], closed: &[bool], common: &[Amount]) -> FreeNodes {
        let mut nodes = Vec::new();
        for (number, kind) in kinds.iter().enumerate() {
            let count = kind.device.map_or(0, |at| kind.capacity[2 + at] / ONE) as usize;
            let node = FreeNode {
                is_closed: false,
                kind: number,
                left: kind.capacity.clone(),
                devices: vec![ONE as i64; count],
                device_groups: kind.device_groups.clone(),
            };
            nodes.extend(vec![node; kind.nodes as usize]);
        }
        nodes.iter_mut().zip(closed).for_each(|(node, is_closed)| node.is_closed = *is_closed);
        FreeNodes(nodes, common.to_vec())
    }
    /// Creates the nodes without tasks, all of which take jobs.
    pub(super) fn all(kinds: &[Kind], common: &[Amount]) -> FreeNodes {
        FreeNodes::new(kinds, &[], common)
    }

    /// Takes what a job has of the cluster as a whole: power, or what it holds at any yield, such as the
    /// power of used devices and sockets.
    fn take_common(&mut self, size: &Size, part: Part) {
        for (place, it) in self.1.iter_mut().enumerate().take(size.common.len()) {
            it.in_use += match (it.is_power, part) {
                (true, Part::Used) => size.linear_power(place),
                (true, Part::Held) => size.fixed_power,
                (false, Part::Used) => 0,
                (false, Part::Held) => size.common[place],
            };
        }
    }
    /// Returns whether the cluster has enough power for a job, and, if `held`, enough of all that it holds
    /// at any yield.
    fn has_common(&self, size: &Size, held: bool) -> bool {
        self.1.iter().enumerate().take(size.common.len()).all(|(place, it)| {
            let amount = match (it.is_power, held) {
                (true, false) => size.linear_power(place),
                (false, false) => 0,
                (_, true) => size.common[place],
            };
            amount == 0 || it.in_use + amount <= it.amount
        })
    }

    /// Takes resources of tasks. A record that overloads a node leaves nothing of it.
    fn take_part(&mut self, size: &Size, on: &[(u32, u32)], part: Part) {
        for &(node, tasks) in on {
            for (left, each) in self.0[node as usize].left.iter_mut().zip(amounts(size, part)) {
                *left = left.saturating_sub(each * u64::from(tasks));
            }
        }
        self.take_common(size, part);
    }
    /// Takes the memory of tasks, and the devices of a job.
    pub(super) fn take_memory(&mut self, size: &Size, (on, held): &Place) {
        self.take_part(size, on, Part::Held);
        self.take_devices(size, held);
    }
    fn take_devices(&mut self, size: &Size, held: &Triples) {
        let part = size.devices.map_or(0, |request| request.1);
        for &(node, device, tasks) in held {
            let left = self.0[node as usize].devices.get_mut(device as usize);
            left.into_iter().for_each(|left| *left -= (part * u64::from(tasks)) as i64);
        }
    }
    /// Takes the CPU of tasks.
    pub(super) fn take_cpu(&mut self, size: &Size, (on, _): &Place) {
        self.take_part(size, on, Part::Used);
    }
    /// Takes memory and CPU of tasks.
    pub(super) fn take(&mut self, size: &Size, place: &Place) {
        self.take_memory(size, place);
        self.take_cpu(size, place);
    }

    /// Returns whether given nodes have the CPU for tasks, and the cluster the power.
    pub(super) fn has_cpu(&self, size: &Size, (on, _): &Place) -> bool {
        self.has_common(size, false)
            && on.iter().all(|&(node, tasks)| {
                let mut left = self.0[node as usize].left.iter().zip(&size.used);
                left.all(|(left, each)| *left >= each * u64::from(tasks))
            })
    }

    /// Counts the tasks that fit on a node.
    fn count(&self, size: &Size, node: usize) -> u64 {
        let FreeNode { is_closed, kind, ref left, ref devices, .. } = self.0[node];
        if is_closed || !size.allowed[kind] {
            return 0;
        }
        let by = |part: Part| {
            let rooms =
                left.iter().zip(amounts(size, part)).filter_map(|(left, each)| left.checked_div(*each));
            rooms.min().unwrap_or(u64::MAX)
        };
        let of_devices = size.devices.map_or(u64::MAX, |request| devices::tasks_in(request, devices));
        by(Part::Held).min(by(Part::Used)).min(of_devices)
    }
    fn numbers(&self) -> Range<usize> {
        0..self.0.len()
    }

    /// Returns whether that many tasks fit.
    pub(super) fn fits(&self, size: &Size, tasks: u32) -> bool {
        let all = u64::from(tasks);
        self.has_common(size, true)
            && self.numbers().map(|node| self.count(size, node).min(all)).sum::<u64>() >= all
    }

    /// Places tasks on the nodes with the least memory and CPU left, as many on each as fit, and takes
    /// their resources and devices; `None`, without a change, if they do not all fit.
    pub(super) fn place(&mut self, size: &Size, tasks: u32) -> Option<Place> {
        if !self.has_common(size, true) {
            return None;
        }
        let mut nodes: Vec<usize> = self.numbers().filter(|&node| self.count(size, node) > 0).collect();
        nodes.sort_by_key(|&node| (self.0[node].left[0] + self.0[node].left[1], node));
        let (mut on, mut missing) = (TasksByNode::new(), tasks);
        for node in nodes {
            let here = self.count(size, node).min(missing.into()) as u32;
            missing -= here;
            if here > 0 {
                on.push((node as u32, here));
            }
        }
        if missing > 0 {
            return None;
        }
        on.sort_unstable();
        let of_node = |&(node, tasks): &(u32, u32)| {
            let FreeNode { devices: free, device_groups: groups, .. } = &self.0[node as usize];
            let parts = size.devices.map(|request| devices::expected(request, free, tasks.into(), groups));
            devices::triples(node, &parts.unwrap_or_default()).collect::<Vec<_>>()
        };
        let held = on.iter().flat_map(of_node).collect();
        let place = (on, held);
        self.take(size, &place);
        Some(place)
    }
}
