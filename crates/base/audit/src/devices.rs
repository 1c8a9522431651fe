//! Devices of nodes: the parts in use of each, and the rule by which tasks get them.

use crate::Rule;
use dfrsim_model::{Share, SortedMap, Yield};
use std::cmp::Reverse;

/// A whole device, in share units.
const WHOLE: u64 = Share::ONE.units() as u64;

/// Devices of a job: triples of the node, the device, and the number of tasks with a part of it.
pub(crate) type Triples = [(u32, u32, u32)];

/// Owned [`Triples`].
pub(crate) type DeviceList = Vec<(u32, u32, u32)>;

/// Request of a task: the number of devices, and the part of each in share units.
pub(crate) type DeviceRequest = (u64, u64);

/// Part in use of a device, and the line and the job that last added to it.
///
/// Amounts are in share units * yield units.
#[derive(Clone, Copy, Debug, Default)]
struct PartsInUse {
    amount: u128,
    by: (u64, u64),
}

/// Devices of all nodes. Changed devices are checked once per time.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    used: SortedMap<(u32, u32), PartsInUse>,
    touched: Vec<(u32, u32)>,
    /// Devices of each job that holds some.
    held: SortedMap<u64, Vec<(u32, u32, u64)>>,
    /// Yield units at which they count; those of a yield of 1 if devices are not shared.
    yields: SortedMap<u64, u32>,
    /// Devices of each job as triples.
    triples: SortedMap<u64, DeviceList>,
    /// Jobs that were placed at this time and have no `bind` record yet, with their lines.
    unbound: SortedMap<u64, u64>,
    /// Devices that migrated jobs held before, without a `bind` record yet.
    before: SortedMap<u64, DeviceList>,
    /// Number of the jobs that hold each device.
    holders: SortedMap<(u32, u32), u64>,
    /// Nodes of devices that have got their first job, or lost their last one, since the last
    /// [`Devices::take_changes`].
    changes: Vec<(u32, bool)>,
}

impl Devices {
    /// Notes that a job with a request for devices was placed by the record of a line.
    pub(crate) fn place(&mut self, job: u64, line: u64) {
        let before = self.triples.get(&job).cloned().unwrap_or_default();
        self.release(job);
        self.before.insert(job, before);
        self.unbound.insert(job, line);
    }
    /// Returns the devices that a job held before it was placed at this time.
    pub(crate) fn before(&self, job: u64) -> &Triples {
        self.before.get(&job).map_or(&[], Vec::as_slice)
    }
    /// Assigns tasks of a job to devices. Returns a violation if the record does not follow a placement,
    /// or a task does not have its number of different devices of its node. `count` is the number of
    /// devices of a node.
    pub(crate) fn bind(
        &mut self,
        (job, line): (u64, u64),
        (each, part): DeviceRequest,
        on: &[(u32, u32)],
        (devices, at): (&Triples, u32),
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
        for &(node, device, _) in &held {
            let count = self.holders.or_default((node, device));
            *count += 1;
            if *count == 1 {
                self.changes.push((node, true));
            }
        }
        self.held.insert(job, held);
        self.set_yield((line, job), at);
        self.triples.insert(job, devices.to_vec());
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
    /// Returns whether a job has devices.
    pub(crate) fn has(&self, job: u64) -> bool {
        self.held.contains_key(&job)
    }
    /// Counts the devices of a job at a new yield, by the record of a line.
    pub(crate) fn set_yield(&mut self, (line, job): (u64, u64), at: u32) {
        let before = self.yields.insert(job, at).unwrap_or(0);
        for &(node, device, amount) in self.held.get(&job).into_iter().flatten() {
            let usage = self.used.or_default((node, device));
            let [less, more] = [before, at].map(|at| u128::from(amount) * u128::from(at));
            *usage = PartsInUse { amount: usage.amount - less + more, by: (line, job) };
            self.touched.push((node, device));
        }
    }
    /// Releases the devices of a job.
    pub(crate) fn release(&mut self, job: u64) {
        self.unbound.remove(&job);
        self.before.remove(&job);
        self.triples.remove(&job);
        let at = self.yields.remove(&job).unwrap_or(0);
        for (node, device, amount) in self.held.remove(&job).unwrap_or_default() {
            self.used.or_default((node, device)).amount -= u128::from(amount) * u128::from(at);
            let count = self.holders.or_default((node, device));
            *count -= 1;
            if *count == 0 {
                self.changes.push((node, false));
            }
        }
    }
    /// Takes the nodes of devices that are used from now on, or not any more.
    pub(crate) fn take_changes(&mut self) -> Vec<(u32, bool)> {
        std::mem::take(&mut self.changes)
    }
    /// Checks the devices that changed at the current time, and that all jobs that were placed have
    /// devices.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut((u64, u64), Rule)) {
        for (job, line) in &std::mem::take(&mut self.unbound) {
            fault((*line, *job), "it requests devices and has none: no `bind` follows its placement".into());
        }
        self.before = SortedMap::default();
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for key in touched {
            let usage = *self.used.or_default(key);
            let whole = u128::from(WHOLE) << Yield::BITS;
            if usage.amount > whole {
                let used = usage.amount as f64 / whole as f64;
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

/// Counts the tasks for which a node has enough devices, if they are shared: at most 250 parts of a job are
/// on each.
pub(crate) fn tasks_in_shared((each, _): DeviceRequest, free: &[i64]) -> u64 {
    let count = free.len() as u64;
    if count < each { 0 } else { count * 250 / each }
}

/// Determines the parts that each shared device gives to tasks: as [`expected`] does as long as one has
/// room, and then the least loaded device, the lowest of equal ones.
pub(crate) fn expected_shared((each, part): DeviceRequest, free: &[i64], tasks: u64) -> Vec<u64> {
    let (mut left, mut given, part) = (free.to_vec(), vec![0; free.len()], part as i64);
    for _ in 0..each * tasks {
        let mut best: Option<usize> = None;
        for device in (0..left.len()).filter(|&device| given[device] < tasks.min(250)) {
            let is_better = best.is_none_or(|best| match (left[device] >= part, left[best] >= part) {
                (true, true) => left[device] < left[best],
                (has_room, other_has) => has_room || !other_has && left[device] > left[best],
            });
            if is_better {
                best = Some(device);
            }
        }
        let Some(device) = best else { break };
        left[device] -= part;
        given[device] += 1;
    }
    given
}

/// Computes the request of a task at a yield in units, if devices are shared: parts are rounded up.
pub(crate) fn request_at((each, part): DeviceRequest, at: u32) -> DeviceRequest {
    let part = (u128::from(part) * u128::from(at)).div_ceil(1 << Yield::BITS);
    (each, (part as u64).max(1))
}

/// Tasks of a job on one node, which need devices there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceTasks {
    /// Index of the job by submission.
    pub(crate) number: u64,
    pub(crate) request: DeviceRequest,
    pub(crate) tasks: u64,
}

/// Gives tasks their devices on one node: the largest parts first, then the most devices, then the jobs
/// submitted first. Returns the parts on each device by job, or `None` if they do not all fit.
pub(crate) fn in_order(
    mut free: Vec<i64>,
    groups: &[u32],
    tasks: impl IntoIterator<Item = DeviceTasks>,
) -> Option<Vec<(u64, Vec<u64>)>> {
    let mut tasks: Vec<DeviceTasks> = tasks.into_iter().collect();
    tasks.sort_by_key(|it| (Reverse(it.request.1), Reverse(it.request.0), it.number));
    let mut all = Vec::new();
    for DeviceTasks { number, request, tasks } in tasks {
        let given = expected(request, &free, tasks, groups);
        if given.iter().sum::<u64>() < request.0 * tasks {
            return None;
        }
        free.iter_mut().zip(&given).for_each(|(free, parts)| *free -= (parts * request.1) as i64);
        all.push((number, given));
    }
    Some(all)
}

/// Writes parts on each device of a node as triples.
pub(crate) fn triples(node: u32, parts: &[u64]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..).zip(parts).filter(|it| *it.1 > 0).map(move |(device, parts)| (node, device, *parts as u32))
}

/// Counts the tasks of a job that leave a node or one of their devices, given its devices before and
/// after.
pub(crate) fn moved_tasks((each, _): DeviceRequest, tasks: u32, before: &Triples, after: &Triples) -> u64 {
    let mut nodes: Vec<u32> = before.iter().map(|it| it.0).collect();
    nodes.dedup();
    let stay = |node: u32| {
        let common = before.iter().filter(|it| it.0 == node).map(|old| {
            let new = after.iter().find(|new| (new.0, new.1) == (old.0, old.1));
            u64::from(new.map_or(0, |new| new.2.min(old.2)))
        });
        common.sum::<u64>() / each
    };
    u64::from(tasks).saturating_sub(nodes.into_iter().map(stay).sum())
}

/// Orders devices by their free parts, then by their numbers.
fn fullest_first(devices: &[usize], free: &[i64]) -> Vec<usize> {
    let mut order: Vec<(i64, usize)> = devices.iter().map(|&device| (free[device], device)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, device)| device).collect()
}
