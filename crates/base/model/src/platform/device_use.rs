//! Use and fragmentation of all devices of a cluster, followed event by event.

use super::devices::{DeviceRequest, MOST_DEVICES, OnDevices, WHOLE_DEVICE};
use super::task_mix::TaskMix;
use std::collections::BTreeMap;

/// Devices of all nodes, the tasks on them, and the mix of tasks by which free parts are of use.
///
/// A free part is *useless* to a task if the task does not fit on the node, or if the device has less
/// free than the task requests. The useless parts are those of the mean task submitted so far.
/// Memory and features are ignored, and nodes that are down count as free.
///
/// ```
/// use dfrsim_model::platform::device_use::DeviceUse;
/// use dfrsim_model::platform::devices::{DeviceRequest, OnDevices, WHOLE_DEVICE};
///
/// // A node with four cores and two devices.
/// let mut devices = DeviceUse::new([(1, 4, 2)]);
/// devices.submit(0, 1, 1);
/// devices.request(0, Some(DeviceRequest { count: 1, part: WHOLE_DEVICE * 3 / 5 }));
/// devices.place(0, [(0, 1)]);
/// devices.bind(0, &[(0, OnDevices::from_pairs([(1, 1)]))]);
/// let levels = devices.levels();
/// // 0.6 of two devices are held; of the 1.4 that are free, 0.4 are useless to a task like this one.
/// assert_eq!(levels.held * 10, 3 * levels.all);
/// assert_eq!(levels.useless * 10, 2 * levels.all);
/// ```
#[derive(Clone, Debug)]
pub struct DeviceUse {
    nodes: Vec<DeviceNode>,
    /// Requests of tasks by number: cores, and devices.
    requests: Vec<TaskShape>,
    numbers: BTreeMap<TaskShape, usize>,
    /// Jobs that have not left, by their index in the order of submission.
    jobs: BTreeMap<u64, PlacedJob>,
    /// Job that was submitted last, if its request may still follow.
    arrived: Option<(u64, u32, TaskShape)>,
    mix: TaskMix,
    held: i64,
    all: u64,
    /// Sum over all nodes of [`TaskMix::useless`], without those of outdated nodes.
    useless: u128,
    /// Nodes that have changed since.
    outdated: Vec<u32>,
}

/// Cores of a task, and its devices.
type TaskShape = (u64, Option<DeviceRequest>);

#[derive(Clone, Copy, Debug)]
struct DeviceNode {
    /// Free cores; below zero where a policy places more tasks than cores can hold.
    cores: i64,
    count: usize,
    /// Free part of each device; below zero between two changes of one time.
    free: [i64; MOST_DEVICES],
    /// Useless parts, summed over the tasks of the mix; `None` if the node is outdated.
    useless: Option<u128>,
}

#[derive(Clone, Debug, Default)]
struct PlacedJob {
    request: usize,
    on: Vec<(u32, u32)>,
    devices: Vec<(u32, OnDevices)>,
}

/// Parts of devices, in [`Share`](crate::Share) units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceLevels {
    /// Parts of all devices.
    pub all: u64,
    /// Parts that tasks hold.
    pub held: u64,
    /// Free parts that the mean task cannot use.
    pub useless: u64,
}

impl DeviceUse {
    /// Creates the state of free devices, given the classes of nodes: number of nodes, and cores and
    /// devices of each.
    #[must_use]
    pub fn new(classes: impl IntoIterator<Item = (u32, u64, u32)>) -> DeviceUse {
        let of_class = |(nodes, cores, devices): (u32, u64, u32)| {
            let count = MOST_DEVICES.min(devices as usize);
            let mut free = [0; MOST_DEVICES];
            free[..count].fill(WHOLE_DEVICE as i64);
            vec![DeviceNode { cores: cores as i64, count, free, useless: Some(0) }; nodes as usize]
        };
        let nodes: Vec<DeviceNode> = classes.into_iter().flat_map(of_class).collect();
        DeviceUse {
            all: nodes.iter().map(|node| node.count as u64 * WHOLE_DEVICE).sum(),
            nodes,
            requests: Vec::new(),
            numbers: BTreeMap::new(),
            jobs: BTreeMap::new(),
            arrived: None,
            mix: TaskMix::default(),
            held: 0,
            useless: 0,
            outdated: Vec::new(),
        }
    }

    /// Adds a job with the cores that each of its tasks holds, in the unit of the nodes.
    pub fn submit(&mut self, job: u64, cores: u64, tasks: u32) {
        self.count_arrived();
        self.arrived = Some((job, tasks, (cores, None)));
    }

    /// Sets the request for devices of the job that was submitted last.
    pub fn request(&mut self, job: u64, devices: Option<DeviceRequest>) {
        if let Some((_, _, shape)) = self.arrived.as_mut().filter(|(of, ..)| *of == job) {
            shape.1 = devices;
        }
    }

    /// Counts the job that was submitted last in the mix.
    fn count_arrived(&mut self) {
        let Some((job, tasks, shape)) = self.arrived.take() else { return };
        let next = self.requests.len();
        let request = *self.numbers.entry(shape).or_insert(next);
        if request == next {
            self.requests.push(shape);
        }
        self.jobs.insert(job, PlacedJob { request, ..PlacedJob::default() });
        if self.mix.see(request, tasks) {
            let requests = &self.requests;
            self.mix.renew(|number| requests[number]);
            (self.useless, self.outdated) = (0, (0..self.nodes.len() as u32).collect());
            self.nodes.iter_mut().for_each(|node| node.useless = None);
        }
    }

    /// Places the tasks of a job on nodes, instead of those where they were.
    pub fn place(&mut self, job: u64, on: impl IntoIterator<Item = (u32, u32)>) {
        self.release(job);
        if let Some(mut placed) = self.jobs.remove(&job) {
            placed.on.extend(on);
            let cores = self.requests[placed.request].0;
            for &(node, tasks) in &placed.on {
                self.change(node, |node| node.cores -= (cores * u64::from(tasks)) as i64);
            }
            self.jobs.insert(job, placed);
        }
    }

    /// Assigns the tasks of a placed job to devices.
    pub fn bind(&mut self, job: u64, devices: &[(u32, OnDevices)]) {
        if let Some(mut placed) = self.jobs.remove(&job) {
            placed.devices.extend_from_slice(devices);
            self.change_devices(&placed, |free, part| *free -= part);
            self.jobs.insert(job, placed);
        }
    }

    /// Takes a job off its nodes.
    pub fn release(&mut self, job: u64) {
        self.count_arrived();
        let Some(mut placed) = self.jobs.remove(&job) else { return };
        let cores = self.requests[placed.request].0;
        for &(node, tasks) in &placed.on {
            self.change(node, |node| node.cores += (cores * u64::from(tasks)) as i64);
        }
        self.change_devices(&placed, |free, part| *free += part);
        placed.on.clear();
        placed.devices.clear();
        self.jobs.insert(job, placed);
    }

    /// Removes a job that leaves the system.
    pub fn remove(&mut self, job: u64) {
        self.release(job);
        self.jobs.remove(&job);
    }

    fn change_devices(&mut self, job: &PlacedJob, change: impl Fn(&mut i64, i64)) {
        let part = self.requests[job.request].1.map_or(0, |devices| devices.part as i64);
        for &(node, on) in &job.devices {
            self.change(node, |node| {
                on.iter().for_each(|(device, tasks)| change(&mut node.free[device], i64::from(tasks) * part));
            });
        }
    }

    fn change(&mut self, number: u32, change: impl FnOnce(&mut DeviceNode)) {
        let Some(node) = self.nodes.get_mut(number as usize) else { return };
        if let Some(useless) = node.useless.take() {
            self.useless -= useless;
            self.outdated.push(number);
        }
        let free = node.sum();
        change(node);
        self.held = self.held + free - node.sum();
    }

    /// Returns the current levels.
    pub fn levels(&mut self) -> DeviceLevels {
        for number in self.outdated.drain(..) {
            let node = &mut self.nodes[number as usize];
            let (cores, free) = (node.cores.max(0) as u64, node.free.map(|free| free.max(0) as u64));
            let useless = self.mix.useless(cores, &free[..node.count]);
            node.useless = Some(useless);
            self.useless += useless;
        }
        let useless = self.useless / u128::from(self.mix.total().max(1));
        DeviceLevels { all: self.all, held: self.held.max(0) as u64, useless: useless as u64 }
    }
}

impl DeviceNode {
    fn sum(&self) -> i64 {
        self.free.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Nodes with cores and devices.
    const NODES: [(u64, u32); 3] = [(4, 2), (8, 1), (2, 4)];

    /// A job as the reference sees it: cores, tenths of a device if it has one, and its node and
    /// device while it runs.
    type Known = (u64, Option<u64>, Option<(usize, usize)>);

    /// Sums what is held, and what the mean of these tasks cannot use, from the definition.
    fn levels(mix: &[(u64, Option<u64>)], jobs: &[Option<Known>]) -> (u64, u64) {
        let tenth = WHOLE_DEVICE / 10;
        let (mut held, mut useless) = (0, 0_u128);
        for (node, &(cores, devices)) in NODES.iter().enumerate() {
            let mut free = vec![WHOLE_DEVICE; devices as usize];
            let mut cores = cores;
            for (need, part, on) in jobs.iter().flatten() {
                if let Some((_, device)) = on.filter(|(at, _)| *at == node) {
                    cores -= need;
                    free[device] -= part.unwrap_or(0) * tenth;
                    held += part.unwrap_or(0) * tenth;
                }
            }
            for &(need, part) in mix {
                let is_usable = |free: u64| part.is_some_and(|part| need <= cores && free >= part * tenth);
                useless +=
                    free.iter().filter(|&&free| !is_usable(free)).map(|&free| u128::from(free)).sum::<u128>();
            }
        }
        (held, (useless / mix.len().max(1) as u128) as u64)
    }

    proptest! {
        /// Jobs with one task arrive, start on the first node with room, or leave.
        #[test]
        fn levels_are_those_of_the_definition(
            steps in prop::collection::vec((1..3_u64, prop::option::of(1..=10_u64), 0..3_usize), 1..40),
        ) {
            let tenth = WHOLE_DEVICE / 10;
            let mut devices = DeviceUse::new(NODES.map(|(cores, count)| (1, cores, count)));
            let mut jobs: Vec<Option<Known>> = Vec::new();
            let (mut seen, mut mix): (Vec<(u64, Option<u64>)>, _) = (Vec::new(), Vec::new());
            for (cores, part, what) in steps {
                let number = jobs.len() as u64;
                devices.submit(number, cores, 1);
                devices.request(number, part.map(|part| DeviceRequest { count: 1, part: part * tenth }));
                seen.push((cores, part));
                if seen.len() > 2 * mix.len() {
                    mix.clone_from(&seen);
                }
                let room = |node: usize, device: usize| {
                    let here = || jobs.iter().flatten().filter(|it| it.2.is_some_and(|(at, _)| at == node));
                    let used: u64 = here().filter(|it| it.2.is_some_and(|(_, on)| on == device)).filter_map(|it| it.1).sum();
                    here().map(|it| it.0).sum::<u64>() + cores <= NODES[node].0 && used + part.unwrap_or(0) <= 10
                };
                let all = (0..NODES.len()).flat_map(|node| (0..NODES[node].1 as usize).map(move |device| (node, device)));
                let on = { all }.find(|&(node, device)| what > 0 && room(node, device));
                if let Some((node, device)) = on {
                    devices.place(number, [(node as u32, 1)]);
                    if part.is_some() {
                        devices.bind(number, &[(node as u32, OnDevices::from_pairs([(device, 1)]))]);
                    }
                } else {
                    // Counts the job as submitted.
                    devices.release(number);
                }
                jobs.push(Some((cores, part, on)));
                if what == 2 {
                    let gone = (number / 2) as usize;
                    devices.remove(gone as u64);
                    jobs[gone] = None;
                }
                let found = devices.levels();
                prop_assert_eq!((found.held, found.useless), levels(&mix, &jobs));
            }
        }
    }
}
