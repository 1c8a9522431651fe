//! Devices of nodes: the parts in use of each, and the rule by which tasks get them.

use crate::Rule;
use dfrsim_model::{Share, SortedMap};

/// A whole device, in share units.
const WHOLE: u64 = Share::ONE.units() as u64;

/// Devices of a job: triples of the node, the device, and the number of tasks with a part of it.
pub(crate) type Triples = [(u32, u32, u32)];

/// Request of a task: the number of devices, and the part of each in share units.
pub(crate) type DeviceRequest = (u64, u64);

/// Part in use of a device, and the line and the job that last added to it.
#[derive(Clone, Copy, Debug, Default)]
struct PartsInUse {
    amount: u64,
    by: (u64, u64),
}

/// Devices of all nodes. Changed devices are checked once per time.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    used: SortedMap<(u32, u32), PartsInUse>,
    touched: Vec<(u32, u32)>,
    /// Devices of each job that holds some.
    held: SortedMap<u64, Vec<(u32, u32, u64)>>,
    /// Jobs that were placed at this time and have no `bind` record yet, with their lines.
    unbound: SortedMap<u64, u64>,
}

impl Devices {
    /// Notes that a job with a request for devices was placed by the record of a line.
    pub(crate) fn place(&mut self, job: u64, line: u64) {
        self.release(job);
        self.unbound.insert(job, line);
    }
    /// Assigns tasks of a job to devices. Returns a violation if the record does not follow a placement,
    /// or a task does not have its number of different devices of its node. `count` is the number of
    /// devices of a node.
    pub(crate) fn bind(
        &mut self,
        (job, line): (u64, u64),
        (each, part): DeviceRequest,
        on: &[(u32, u32)],
        devices: &Triples,
        count: impl Fn(u32) -> u64,
    ) -> Option<Rule> {
        if self.unbound.remove(&job).is_none() {
            return Some("unexpected `bind`: it does not follow a placement of its job".into());
        }
        let ascending = devices.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1));
        let foreign = devices.iter().find(|(node, ..)| on.iter().all(|(own, _)| own != node));
        let wrong_on = |&&(node, tasks): &&(u32, u32)| {
            let own = || devices.iter().filter(|(other, ..)| *other == node);
            let sum: u64 = own().map(|&(.., parts)| u64::from(parts)).sum();
            sum != each * u64::from(tasks)
                || own().any(|&(_, device, parts)| {
                    u64::from(device) >= count(node) || parts > tasks || parts == 0
                })
        };
        let held: Vec<(u32, u32, u64)> =
            devices.iter().map(|&(node, device, parts)| (node, device, part * u64::from(parts))).collect();
        for &(node, device, amount) in &held {
            let usage = self.used.or_default((node, device));
            *usage = PartsInUse { amount: usage.amount.saturating_add(amount), by: (line, job) };
            self.touched.push((node, device));
        }
        self.held.insert(job, held);
        if !ascending {
            return Some("the devices are not in ascending order".into());
        }
        if let Some((node, device, _)) = foreign {
            return Some(format!("it has device {device} of node {node}, where it has no task").into());
        }
        let (node, tasks) = on.iter().find(wrong_on)?;
        let rule = format!(
            "its {tasks} tasks on node {node} need parts of {each} different devices each, of the {} of the node",
            count(*node)
        );
        Some(rule.into())
    }
    /// Releases the devices of a job.
    pub(crate) fn release(&mut self, job: u64) {
        self.unbound.remove(&job);
        for (node, device, amount) in self.held.remove(&job).unwrap_or_default() {
            self.used.or_default((node, device)).amount -= amount;
        }
    }
    /// Checks the devices that changed at the current time, and that all jobs that were placed have
    /// devices.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut((u64, u64), Rule)) {
        for (job, line) in &std::mem::take(&mut self.unbound) {
            fault((*line, *job), "it requests devices and has none: no `bind` follows its placement".into());
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for key in touched {
            let usage = *self.used.or_default(key);
            if usage.amount > WHOLE {
                let used = usage.amount as f64 / WHOLE as f64;
                let rule = format!("device {} of node {} is over-committed: {used:.9} of 1", key.1, key.0);
                fault(usage.by, rule.into());
            }
        }
    }
}

/// Counts the tasks that fit, given the free part of each device in share units.
pub(crate) fn tasks_in((each, part): DeviceRequest, free: &[i64]) -> u64 {
    let has_room = |tasks: u64| {
        let parts = free.iter().map(|&free| (free.max(0) as u64 / part).min(tasks)).sum::<u64>();
        parts >= each * tasks
    };
    (1..).take_while(|&tasks| has_room(tasks)).last().unwrap_or(0)
}

/// Determines the parts that each device gives to tasks: the fullest devices first, the lowest of
/// equal ones; each gives at most one part to a task. If the devices are in groups of these sizes and
/// there are several parts, they are in the group with the least room that holds all of them, or else
/// in the groups with the most room until one holds the rest.
pub(crate) fn expected((each, part): DeviceRequest, free: &[i64], tasks: u64, groups: &[u32]) -> Vec<u64> {
    let (mut given, mut missing) = (vec![0; free.len()], each * tasks);
    let mut left = vec![(0..free.len()).collect::<Vec<usize>>()];
    if missing > 1 && !groups.is_empty() {
        let mut devices = 0..free.len();
        left = groups.iter().map(|&size| devices.by_ref().take(size as usize).collect()).collect();
    }
    while missing > 0 && !left.is_empty() {
        let room = |group: &Vec<usize>| {
            group.iter().map(|&device| (free[device].max(0) as u64 / part).min(tasks)).sum::<u64>()
        };
        let holding = left.iter().filter(|group| room(group) >= missing).map(room).min();
        let chosen = holding.or_else(|| left.iter().map(room).max());
        let Some(at) = left.iter().position(|group| Some(room(group)) == chosen) else { break };
        for device in fullest_first(&left.remove(at), free) {
            while missing > 0 && given[device] < tasks && free[device] >= ((given[device] + 1) * part) as i64
            {
                given[device] += 1;
                missing -= 1;
            }
        }
    }
    given
}

/// Orders devices by their free parts, then by their numbers.
fn fullest_first(devices: &[usize], free: &[i64]) -> Vec<usize> {
    let mut order: Vec<(i64, usize)> = devices.iter().map(|&device| (free[device], device)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, device)| device).collect()
}
