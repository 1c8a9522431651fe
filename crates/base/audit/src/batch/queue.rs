//! Jobs of a batch policy, and the order of its queue.

use crate::devices::{DeviceRequest, tasks_in};
use crate::nodes::Kind;
use dfrsim_model::batch::QueueOrder;
use dfrsim_model::formula::Known;
use dfrsim_model::{SortedMap, Yield};
use std::cmp::Ordering;
use std::sync::Arc;

/// Number of tasks by pool.
pub(super) type Parts = SortedMap<usize, u64>;

/// Tasks of a job on each device of a pool, by pool; empty if it requests none.
pub(super) type DevicesByPool = SortedMap<usize, Vec<u64>>;

/// Pools that a job has: its tasks on each, and their devices.
pub(super) type Held<'a> = (&'a Parts, &'a DevicesByPool);

/// Waiting job; for a running one, its state at the start. Times are in microseconds.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) number: u64,
    pub(super) submit: u64,
    pub(super) tasks: u64,
    /// Remaining estimate.
    pub(super) estimate: u64,
    /// Remaining estimate, rounded for this decision.
    pub(super) planned: u64,
    /// Amounts that a task takes of its node, by resource.
    pub(super) need: Vec<i64>,
    /// Request of a task for devices, whose amounts follow the others of a node.
    pub(super) devices: Option<DeviceRequest>,
    /// Kinds of nodes on which a task may run, one flag for each kind.
    pub(super) fits: Vec<bool>,
    /// Intervals in which reservations block it, by kind of node.
    pub(super) closed: Vec<Vec<(u64, u64)>>,
    /// True if a node may have one of its tasks only.
    pub(super) needs_distinct_nodes: bool,
    /// Units of each resource of the whole cluster that the job holds.
    pub(super) common: Vec<i64>,
    /// These units at each speed level.
    pub(super) common_by_level: Arc<Vec<Vec<i64>>>,
    /// Number of its speed level; 0 at full speed.
    pub(super) level: u32,
    /// Power that a task adds on a node of each kind in milliwatts, if the placement depends on it.
    pub(super) power: Vec<u64>,
    /// Kinds of nodes, if the placement depends on the power of their devices and sockets.
    pub(super) used_power: Arc<Vec<Kind>>,
    /// Maximum number of its tasks that can ever run at the same time.
    pub(super) most: u64,
    /// True if its classes admit it.
    pub(super) is_admitted: bool,
    /// Priority of the site in this decision.
    pub(super) priority: u128,
}

/// Running job.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) job: Waiting,
    pub(super) on: Vec<(u32, u32)>,
    /// Number of tasks on each pool.
    pub(super) parts: Parts,
    /// Devices by node, as recorded, and by pool.
    pub(super) triples: Vec<(u32, u32, u32)>,
    pub(super) devices: DevicesByPool,
    pub(super) since: u64,
    /// End of its estimate.
    pub(super) end: u64,
}

impl Running {
    /// Returns its pools, its tasks on each, and their devices.
    pub(super) fn held(&self) -> Held<'_> {
        (&self.parts, &self.devices)
    }
}

/// Computes the end of an estimate on nodes of this speed, in units of 2^-20.
pub(super) fn end_of(start: u64, estimate: u64, speed: u32) -> u64 {
    let span = (u128::from(estimate) << Yield::BITS).div_ceil(u128::from(speed.max(1)));
    start.saturating_add(u64::try_from(span).unwrap_or(u64::MAX))
}

impl Waiting {
    /// Counts the tasks that fit into free amounts.
    pub(super) fn tasks_in(&self, free: impl Iterator<Item = i64>) -> u64 {
        let mut free = free;
        let mut fitting = u64::MAX;
        for (need, free) in self.need.iter().zip(free.by_ref()).filter(|(need, _)| **need > 0) {
            // In most cases nothing fits, and a division takes long.
            if free < *need {
                return 0;
            }
            fitting = fitting.min((free / need) as u64);
        }
        let fitting = match self.devices {
            Some(request) if fitting > 0 => fitting.min(tasks_in(request, &free.collect::<Vec<_>>())),
            _ => fitting,
        };
        if self.needs_distinct_nodes { fitting.min(1) } else { fitting }
    }
    /// Returns the job as it runs at a speed level.
    pub(super) fn at_level(&self, level: u32) -> Waiting {
        let common = self.common_by_level.get(level as usize).unwrap_or(&self.common).clone();
        Waiting { level, common, ..self.clone() }
    }
    /// Returns the attributes for formulas, in seconds.
    fn known(&self, now: u64) -> Known {
        let seconds = |micros: u64| micros as f64 / 1e6;
        Known {
            wait: seconds(now.saturating_sub(self.submit)),
            estimate: seconds(self.estimate),
            width: self.tasks as f64,
            submit: seconds(self.submit),
        }
    }
    fn area(&self) -> u128 {
        u128::from(self.estimate) * u128::from(self.tasks)
    }
}

/// Value by which jobs are ordered, ascending; an independent implementation of a formula.
type Score = fn(&Known) -> f64;

/// Named orders that are formulas.
const NAMED: [(&str, Score); 7] = [
    ("WFP3", |it| {
        let ratio = it.wait / it.estimate;
        -(ratio * ratio * ratio * it.width)
    }),
    ("SEXP", |it| (it.wait + it.estimate) / it.estimate),
    ("UNICEF", |it| -(it.wait + 1e-11) / (libm::log2(it.width + 1e-11) * it.estimate)),
    ("F1", |it| libm::log10(it.estimate) * it.width + 870.0 * log_submit(it)),
    ("F2", |it| it.estimate.sqrt() * it.width + 25_600.0 * log_submit(it)),
    ("F3", |it| it.estimate * it.width + 6_860_000.0 * log_submit(it)),
    ("F4", |it| it.estimate * it.width.sqrt() + 530_000.0 * log_submit(it)),
];

fn log_submit(it: &Known) -> f64 {
    libm::log10(it.submit.max(0.1))
}

/// Sorts a queue for the current time, jobs of the highest priority first.
pub(super) fn sort(order: QueueOrder, queue: &mut [Waiting], now: u64) {
    let name = order.to_string();
    let named = NAMED.iter().find(|it| it.0 == name).map(|it| it.1);
    let score = |job: &Waiting| match (named, order) {
        (Some(score), _) => score(&job.known(now)),
        (_, QueueOrder::Formula(formula)) => formula.value(&job.known(now)),
        _ => 0.0,
    };
    let compare = |a: &Waiting, b: &Waiting| match order {
        QueueOrder::Arrival => Ordering::Equal,
        QueueOrder::Sjf => a.estimate.cmp(&b.estimate),
        QueueOrder::Ljf => b.estimate.cmp(&a.estimate),
        QueueOrder::Saf => a.area().cmp(&b.area()),
        _ => score(a).total_cmp(&score(b)),
    };
    let before = |a: &Waiting, b: &Waiting| b.priority.cmp(&a.priority);
    // A stable sort is fast here, since most of the queue is already in order.
    queue.sort_by(|a, b| before(a, b).then(compare(a, b)).then(a.number.cmp(&b.number)));
}
