//! Nodes of a cluster: their resources, the usage, and the requests of jobs.

use crate::Rule;
use crate::devices::DeviceRequest;
use dfrsim_model::event::{ClassOfNodes, PowerOfNode, ResourceOfNodes, SleepOfNode, SocketsOfNode};
use dfrsim_model::site::partition_feature;
use dfrsim_model::{Share, Yield};
use std::sync::Arc;

const ONE: u64 = Share::ONE.units() as u64;

/// Largest power of a node or a unit that is audited, in milliwatts.
const MAX_POWER: u64 = 1_000_000_000_000;

/// Largest number of sockets of a node that is audited.
const MAX_SOCKETS: u32 = 10_000;

/// Placement of a job: pairs of (node, tasks) in ascending order of the node.
pub(crate) type TasksByNode = Vec<(u32, u32)>;

/// Kind of identical nodes.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) nodes: u32,
    pub(crate) speed: u32,
    /// Capacity of a node for memory, CPU, and each other resource, in share units.
    pub(crate) capacity: Vec<u64>,
    pub(crate) features: Vec<String>,
    /// Size rank: the number of kinds with less. Kinds are compared by the other resources in order,
    /// then memory, then CPU.
    pub(crate) size_rank: usize,
    /// Capacity of a node in whole cores, memory, and units of the other resources; empty if the
    /// number of cores is unknown.
    pub(crate) pieces: Vec<i64>,
    /// Index among the other resources of the one whose units are devices, if any.
    pub(crate) device: Option<usize>,
    /// Sizes of the groups of connected devices.
    pub(crate) device_groups: Vec<u32>,
    /// Number of whole cores of a node; 0 if it is unknown.
    pub(crate) cores: u64,
    /// Number of parts into which a core is divided.
    pub(crate) core_parts: u64,
    /// Names of the other resources; `None` if the file does not describe the nodes.
    pub(crate) resources: Option<Vec<String>>,
    /// Power of a node, if it is known.
    pub(crate) power: Option<PowerOfNode>,
}

impl Kind {
    /// Creates the kind for a cluster of reference nodes.
    fn reference(nodes: u32) -> Kind {
        let (capacity, pieces) = (vec![ONE; 2], vec![ONE as i64; 2]);
        let (features, resources) = (Vec::new(), None);
        Kind {
            nodes,
            speed: Yield::ONE.units(),
            capacity,
            features,
            size_rank: 0,
            pieces,
            device: None,
            device_groups: Vec::new(),
            cores: 0,
            core_parts: 1,
            resources,
            power: None,
        }
    }
    /// Returns whether such a node has a feature, or one of several that are separated by `|`.
    fn has_one_of(&self, names: &str) -> bool {
        names.split('|').any(|name| self.features.iter().any(|own| own == name))
    }
    /// Returns whether a task fits on such a node at full speed.
    fn fits(&self, size: &Size) -> bool {
        let takes = size.held.iter().zip(&size.used).zip(&size.shared);
        let has_all =
            takes.zip(&self.capacity).all(|(((held, used), shared), has)| (held + used).max(*shared) <= *has);
        has_all && size.features.iter().all(|names| self.has_one_of(names))
    }
}

/// Returns a flag for each kind of nodes: true if the partition has them. Without a kind that has its
/// feature, it has all nodes.
pub(crate) fn kinds_of_partition(kinds: &[Kind], partition: Option<&str>) -> Vec<bool> {
    let feature = partition.map(partition_feature);
    let has = |kind: &Kind| feature.as_ref().is_some_and(|feature| kind.features.contains(feature));
    let is_marked = kinds.iter().any(has);
    kinds.iter().map(|kind| !is_marked || has(kind)).collect()
}

/// Resources of a task, in the order of [`Kind::capacity`], in share units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Size {
    /// Amounts held at any yield.
    pub(crate) held: Vec<u64>,
    /// Amounts used at a yield of 1; at other yields they are proportional to the yield.
    pub(crate) used: Vec<u64>,
    /// Full amounts of the shared units.
    shared: Vec<u64>,
    pub(crate) features: Vec<String>,
    /// Kinds of nodes on which the task may run, one flag for each kind.
    pub(crate) allowed: Vec<bool>,
    /// Amounts in the units of [`Kind::pieces`].
    pub(crate) pieces: Vec<i64>,
    /// Request for devices, if any.
    pub(crate) devices: Option<DeviceRequest>,
    /// True if parts of devices follow the yield.
    pub(crate) shares_devices: bool,
    /// Number of whole cores; 0 if the nodes have no classes.
    pub(crate) cores: u64,
    /// Amounts of the resources of the whole cluster that all tasks hold together.
    pub(crate) common: Vec<u64>,
    /// Part of the power among them that does not follow the yield.
    pub(crate) fixed_power: u64,
}

impl Size {
    /// Returns what all tasks hold of a resource of the whole cluster under a policy that lets power shrink
    /// with yields: of power that which does not follow the yield, and a hundredth of the rest.
    pub(crate) fn held_of(&self, place: usize, is_power: bool) -> u64 {
        let amount = self.common.get(place).copied().unwrap_or(0);
        match is_power {
            true => self.fixed_power + self.linear_power(place).div_ceil(100),
            false => amount,
        }
    }
    /// Returns the power of all tasks that follows the yield, given the index of the power among the
    /// resources of the whole cluster.
    pub(crate) fn linear_power(&self, place: usize) -> u64 {
        self.common.get(place).map_or(0, |amount| amount.saturating_sub(self.fixed_power))
    }
    /// Creates the size of a task that only requests CPU and memory.
    pub(crate) fn new(need: u32, memory: u32) -> Size {
        Size {
            held: vec![memory.into(), 0],
            used: vec![0, need.into()],
            shared: vec![0; 2],
            features: Vec::new(),
            allowed: vec![true],
            pieces: vec![need.max(1).into(), memory.into()],
            devices: None,
            shares_devices: false,
            cores: 0,
            common: Vec::new(),
            fixed_power: 0,
        }
    }
}

/// Amount in use of a resource of a node, in share units * yield units, and the line and the job that last
/// added to it.
#[derive(Clone, Copy, Debug, Default)]
struct AmountInUse {
    amount: u128,
    by: (u64, u64),
}

/// Nodes of a cluster. Changed nodes are checked once per time, after all changes of that time.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) kinds: Arc<Vec<Kind>>,
    /// Resources other than CPU and memory.
    resources: Vec<ResourceOfNodes>,
    /// Number of the parts of cores of the reference node that tasks hold, if known; cores have one
    /// part unless the file says otherwise.
    cores: Option<u64>,
    /// Number of these parts of a core.
    core_parts: u64,
    /// True if the classes of nodes are known.
    pub(crate) has_classes: bool,
    /// Amounts in use by resource, for all nodes up to the highest one used so far.
    used: Vec<Vec<AmountInUse>>,
    /// Nodes changed at the current time, possibly with duplicates.
    touched: Vec<u32>,
    /// Largest fractions of a node's memory and CPU that were in use at the same time.
    pub(crate) peaks: [f64; 2],
    /// Power that all tasks add, in milliwatts times units of 2^-20.
    pub(crate) power_of_tasks: u128,
    /// Parts of cores that tasks have on nodes whose sockets draw all of their power once they are used.
    parts: Vec<u64>,
}

impl Nodes {
    pub(crate) fn new(nodes: u32) -> Nodes {
        Nodes { kinds: Arc::new(vec![Kind::reference(nodes)]), ..Nodes::default() }
    }
    /// Sets the classes of unequal nodes; returns false if they do not match the cluster.
    pub(crate) fn set_classes(
        &mut self,
        resources: &[ResourceOfNodes],
        classes: &[ClassOfNodes],
        (cores, core_parts): (Option<u32>, Option<u32>),
    ) -> bool {
        let is_power = |power: &PowerOfNode| {
            let units = power.units_mw.iter().copied().chain([(power.idle_mw, power.busy_mw)]);
            let is_sleep = |sleep: &SleepOfNode| sleep.after_us > 0 && sleep.asleep_mw <= MAX_POWER;
            let is_sockets = |it: &SocketsOfNode| {
                (1..=MAX_SOCKETS).contains(&it.count)
                    && it.cores_each > 0
                    && it.idle_mw <= it.busy_mw
                    && it.busy_mw <= MAX_POWER
            };
            units.into_iter().all(|(idle, busy)| idle <= busy && busy <= MAX_POWER)
                && power.sleep.iter().all(is_sleep)
                && power.sockets.iter().all(is_sockets)
        };
        let device = resources.iter().position(|resource| resource.devices);
        let has_groups = |class: &ClassOfNodes| {
            let grouped: u64 = class.device_groups.iter().map(|&size| u64::from(size)).sum();
            let count = device.and_then(|at| class.resources.get(at)).map_or(0, |&count| u64::from(count));
            class.device_groups.is_empty() || grouped == count && !class.device_groups.contains(&0)
        };
        let is_class = |class: &ClassOfNodes| {
            class.resources.len() == resources.len()
                && has_groups(class)
                && class.nodes > 0
                && class.power.iter().all(is_power)
                && (1..=Yield::ONE.units()).contains(&class.speed)
        };
        let sum: u64 = classes.iter().map(|class| u64::from(class.nodes)).sum();
        let all: u64 = self.kinds.iter().map(|kind| u64::from(kind.nodes)).sum();
        if sum != all || cores == Some(0) || core_parts == Some(0) || !classes.iter().all(is_class) {
            return false;
        }
        let core_parts = core_parts.map_or(1, u64::from);
        let cores = cores.map(|cores| u64::from(cores) * core_parts);
        let has = |class: &ClassOfNodes| (class.resources.clone(), class.memory, class.cpu);
        let kind = |class: &ClassOfNodes| Kind {
            nodes: class.nodes,
            speed: class.speed,
            capacity: [class.memory, class.cpu]
                .into_iter()
                .chain(class.resources.iter().map(|&count| u64::from(count) * ONE))
                .collect(),
            features: class.features.clone(),
            size_rank: classes.iter().filter(|other| has(other) < has(class)).count(),
            pieces: pieces(cores, class.cpu, class.memory, &class.resources),
            device: resources.iter().position(|resource| resource.devices),
            device_groups: class.device_groups.clone(),
            cores: whole_cores(cores, core_parts, class.cpu),
            core_parts,
            resources: Some(resources.iter().map(|resource| resource.name.clone()).collect()),
            power: class.power.clone(),
        };
        (self.cores, self.core_parts, self.has_classes) = (cores, core_parts, true);
        self.kinds = Arc::new(classes.iter().map(kind).collect());
        self.resources = resources.to_vec();
        true
    }

    /// Returns the number of devices of a node.
    pub(crate) fn device_count(&self, node: u32) -> u64 {
        let kind = self.of(node);
        kind.device.map_or(0, |at| kind.capacity[2 + at] / ONE)
    }
    fn of(&self, node: u32) -> &Kind {
        let mut end = 0_u64;
        let has_it = |kind: &&Kind| {
            end += u64::from(kind.nodes);
            u64::from(node) < end
        };
        self.kinds.iter().find(has_it).unwrap_or(&self.kinds[0])
    }
    /// Returns the speed of the slowest of these nodes.
    pub(crate) fn slowest(&self, on: &[(u32, u32)]) -> u32 {
        on.iter().map(|&(node, _)| self.of(node).speed).min().unwrap_or(Yield::ONE.units())
    }
    /// Returns the capacity of all nodes, in reference nodes at full speed.
    pub(crate) fn capacity(&self) -> f64 {
        let speed = |kind: &Kind| f64::from(kind.speed) / f64::from(Yield::ONE.units());
        let of = |kind: &Kind| f64::from(kind.nodes) * kind.capacity[1] as f64 * speed(kind);
        self.kinds.iter().map(of).sum::<f64>() / ONE as f64
    }

    /// Returns the power of the nodes without tasks, in milliwatts, except of those that are down, of
    /// which there is a flag for each node.
    pub(crate) fn idle_power(&self, down: &[bool]) -> u64 {
        let mut down = down.iter();
        let of_kind = |kind: &Kind| {
            let count = down.by_ref().take(kind.nodes as usize).filter(|is_down| **is_down).count();
            kind.idle_power().saturating_mul(u64::from(kind.nodes) - count as u64)
        };
        self.kinds.iter().map(of_kind).fold(0, u64::saturating_add)
    }
    /// Returns the largest power of all tasks of a job on nodes that may have them, in milliwatts: the part
    /// that follows the yield, and that of used devices and sockets.
    pub(crate) fn largest_power(&self, size: &Size, tasks: u32) -> [u64; 2] {
        let kinds = || self.kinds.iter().zip(&size.allowed).filter(|it| *it.1).map(|it| it.0);
        let linear = kinds().map(|kind| kind.task_power(size)).max().unwrap_or(0);
        let fixed = kinds().map(|kind| kind.used_power(size)).max().unwrap_or(0);
        [linear, fixed].map(|power| power.saturating_mul(tasks.into()))
    }
    /// Adds the power of a device that is used from now on, or removes that of one that is not any more.
    pub(crate) fn use_device(&mut self, node: u32, is_used: bool) {
        let power = u128::from(self.of(node).device_power()) << Yield::BITS;
        match is_used {
            true => self.power_of_tasks += power,
            false => self.power_of_tasks -= power,
        }
    }
    /// Changes the number of tasks of a size on a node with sockets, and adds the power of the sockets that
    /// are then used instead of that of those before.
    fn use_sockets(&mut self, node: u32, size: &Size, (tasks, is_added): (u32, bool)) {
        let own = size.pieces.first().map_or(0, |parts| *parts as u64).saturating_mul(tasks.into());
        if self.parts.len() <= node as usize {
            self.parts.resize(node as usize + 1, 0);
        }
        let before = self.parts[node as usize];
        let after = if is_added { before.saturating_add(own) } else { before.saturating_sub(own) };
        self.parts[node as usize] = after;
        let kind = self.of(node);
        let [less, more] = [before, after].map(|parts| u128::from(kind.socket_power(parts)) << Yield::BITS);
        self.power_of_tasks = self.power_of_tasks - less + more;
    }

    /// Returns the size of a task that also takes these counts of the other resources, each with a
    /// need, and requires these features. Returns `None` if the nodes have no such resources or
    /// features.
    pub(crate) fn size(&self, plain: &Size, asked: &[(u32, u32)], features: &[String]) -> Option<Size> {
        let is_known = |names: &String| self.kinds.iter().any(|kind| kind.has_one_of(names));
        let is_right =
            asked.len() == self.resources.len() && asked.iter().all(|ask| ask.1 <= Share::ONE.units());
        if !self.has_classes || !is_right || !features.iter().all(is_known) {
            return None;
        }
        let (held, used) = (plain.held[..2].to_vec(), plain.used[..2].to_vec());
        let mut size = Size { held, used, shared: vec![0; 2], features: features.to_vec(), ..plain.clone() };
        for (&(count, need), resource) in asked.iter().zip(&self.resources) {
            let (whole, part) = (u64::from(count) * ONE, u64::from(count) * u64::from(need));
            if resource.devices && count > 0 {
                size.devices = Some((count.into(), need.max(1).into()));
                size.shares_devices = resource.shared;
            }
            size.held.push(match (resource.shared, resource.devices) {
                (true, _) => 0,
                (_, true) => part,
                _ => whole,
            });
            size.used.push(if resource.shared { part } else { 0 });
            size.shared.push(whole);
        }
        Some(self.complete(size))
    }
    /// Extends the size of a task that requests only CPU and memory to the resources of these nodes.
    pub(crate) fn plain_size(&self, size: &Size) -> Size {
        let mut size = size.clone();
        for amounts in [&mut size.held, &mut size.used, &mut size.shared] {
            amounts.resize(2 + self.resources.len(), 0);
        }
        self.complete(size)
    }
    fn complete(&self, mut size: Size) -> Size {
        if self.has_classes {
            let counts: Vec<u32> = size.shared[2..].iter().map(|whole| (whole / ONE) as u32).collect();
            size.pieces = pieces(self.cores, size.used[1], size.held[0], &counts);
            size.pieces.iter_mut().take(1).for_each(|cores| *cores = (*cores).max(1));
            size.cores =
                whole_cores(self.cores, self.core_parts, size.used[1]).max(self.cores.map_or(0, |_| 1));
        }
        size.allowed = self.kinds.iter().map(|kind| kind.fits(&size)).collect();
        size
    }

    /// Finds the first node of a job without a required feature.
    pub(crate) fn missing(&self, size: &Size, on: &[(u32, u32)]) -> Option<Rule> {
        on.iter().find_map(|&(node, _)| {
            let missing = size.features.iter().find(|names| !self.of(node).has_one_of(names))?;
            Some(format!("it is on node {node}, which does not have the feature {missing}").into())
        })
    }
    /// Adds tasks to nodes, with the line and the job of the record; removes them if `by` is `None`.
    pub(crate) fn change(&mut self, by: Option<(u64, u64)>, on: &[(u32, u32)], size: &Size, job_yield: u32) {
        for &(node, tasks) in on {
            let kind = self.of(node);
            if kind.power.is_some() {
                let power = u128::from(kind.task_power(size)) * u128::from(tasks) * u128::from(job_yield);
                let has_sockets = kind.power.as_ref().is_some_and(|power| power.sockets.is_some());
                match by {
                    Some(_) => self.power_of_tasks += power,
                    None => self.power_of_tasks -= power,
                }
                if has_sockets {
                    self.use_sockets(node, size, (tasks, by.is_some()));
                }
            }
            let place = node as usize;
            if place >= self.used.len() {
                self.used.resize(place + 1, vec![AmountInUse::default(); 2 + self.resources.len()]);
            }
            for (at, it) in self.used[place].iter_mut().enumerate() {
                let yielded = u128::from(size.used[at]) * u128::from(job_yield);
                let amount = ((u128::from(size.held[at]) << Yield::BITS) + yielded) * u128::from(tasks);
                match by {
                    Some(by) if amount > 0 => *it = AmountInUse { amount: it.amount + amount, by },
                    _ => it.amount -= amount,
                }
            }
            self.touched.push(node);
        }
    }
    /// Checks the nodes changed at the current time. A violation has the line and the job that last
    /// added to the over-committed resource.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut((u64, u64), Rule)) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for &node in &touched {
            let capacity = &self.of(node).capacity;
            let part = |amount: u128, whole: u64| number(amount) / number(u128::from(whole) << Yield::BITS);
            let mut peaks = self.peaks;
            for (at, (it, &has)) in self.used[node as usize].iter().zip(capacity).enumerate() {
                if at < 2 {
                    peaks[at] = peaks[at].max(part(it.amount, has.max(1)));
                }
                if it.amount > u128::from(has) << Yield::BITS {
                    let name = match at {
                        0 => "memory",
                        1 => "CPU",
                        _ => &self.resources[at - 2].name,
                    };
                    let (used, has) = (part(it.amount, ONE), has as f64 / ONE as f64);
                    fault(
                        it.by,
                        format!("the {name} of node {node} is over-committed: {used:.9} of {has}").into(),
                    );
                }
            }
            self.peaks = peaks;
        }
        touched.clear();
        self.touched = touched;
    }
}

/// Converts to the nearest `f64`; numbers of at most 64 bits take a faster path.
fn number(amount: u128) -> f64 {
    u64::try_from(amount).map_or(amount as f64, |amount| amount as f64)
}

/// Returns the number of whole cores for a CPU share of the reference node, which has this number of
/// parts of cores.
fn whole_cores(all_parts: Option<u64>, parts: u64, cpu: u64) -> u64 {
    let cores = u128::from(all_parts.unwrap_or(0) / parts.max(1));
    (u128::from(cpu) * cores).div_ceil(ONE.into()) as u64
}

/// Returns the cores, or parts of them, for a CPU share of the reference node, rounded up, then memory
/// and the other resources. The list is empty if the number of cores of that node is unknown.
fn pieces(cores: Option<u64>, cpu: u64, memory: u64, others: &[u32]) -> Vec<i64> {
    let Some(cores) = cores else { return Vec::new() };
    let cores = (u128::from(cpu) * u128::from(cores)).div_ceil(ONE.into());
    let signed = |amount: u128| i64::try_from(amount).unwrap_or(i64::MAX);
    let others = others.iter().map(|&amount| i64::from(amount));
    [signed(cores), signed(memory.into())].into_iter().chain(others).collect()
}
