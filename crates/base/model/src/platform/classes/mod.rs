//! Node classes, and requests of jobs for resources other than CPU and memory.

mod asks;
mod fields;
mod level_fields;
mod levels;
mod misfit;
mod node_list;
mod power_fields;
mod requests;
mod simgrid;

pub use asks::{Ask, Asks};
pub use fields::{
    ClassFields, DevicePart, InvalidField, MAX_FEATURES, PlatformError, PlatformFields, ReferenceNode,
};
pub use misfit::{Misfit, Misfits};
pub use power_fields::{
    CapFields, CapStep, CommonFields, CommonStep, CpuPowerFields, LevelFields, NodePowerFields, PowerFields,
    PowerWhen, SleepFields, UnitPowerFields,
};
pub use requests::{
    DEVICE_PART, DISTINCT_NODES, Demands, REQUESTED_CORES, REQUESTED_NODES, RandomAmount, Request,
    RequestTarget, is_of_site,
};

use super::common::{CommonDemand, CommonResource, POWER};
use super::devices::DeviceRequest;
use super::machines;
use super::power::{CapAmount, ClusterPower, DAY, NodePower, PowerCap, SleepRule, UsedPower, part};
use super::series::EnergySeries;
use crate::named::UnknownName;
use crate::{CpuUse, Job, Share, SimSpan, SimTime, Yield};
use dfrsim_input::{Fault, Faults, read_text};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Reads a platform file: TOML, SimGrid XML if the name ends in `.xml`, or a node list if it ends in
/// `.csv`. A name without an extension that is no file is that of a [machine](super::machines).
///
/// # Errors
///
/// Returns all errors if the file cannot be read or is not a platform.
pub fn read(path: &Path) -> Result<PlatformFields, Faults> {
    if path.extension().is_none() && !path.exists() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        return match machines::text(name) {
            Some(text) => PlatformFields::parse(name, text),
            None => {
                let unknown = UnknownName::new("platform", name, machines::names());
                let error = format!("{unknown}; files of your own end in .toml");
                Err(Fault::of_file(path.display().to_string(), error).into())
            }
        };
    }
    let (file, text) = (path.display().to_string(), read_text(path)?);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("xml") => simgrid::parse(&text).map_err(|error| Fault::of_file(file, error).into()),
        Some("csv") => node_list::parse(&file, &text),
        _ => PlatformFields::parse(&file, &text),
    }
}

/// Converts milliwatts to watts.
fn watts(milliwatts: u64) -> f64 {
    milliwatts as f64 / 1000.0
}

/// Use of a resource by tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A task holds the requested units at any yield, like memory.
    Rigid,
    /// A task uses its need times its yield, like CPU.
    Shared,
    /// Each unit is a device, of which a task holds its need at any yield.
    Devices,
    /// Each unit is a device, of which a task uses its need times its yield.
    SharedDevices,
}

impl Sharing {
    /// Returns whether each unit is a device.
    #[must_use]
    pub fn is_devices(self) -> bool {
        matches!(self, Sharing::Devices | Sharing::SharedDevices)
    }
    /// Returns whether tasks use their need times their yield.
    #[must_use]
    pub fn is_shared(self) -> bool {
        matches!(self, Sharing::Shared | Sharing::SharedDevices)
    }
}

/// Resource other than CPU and memory: GPUs, licences, or anything else that a platform file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Name of the resource.
    pub name: Arc<str>,
    /// Use of the resource by tasks.
    pub sharing: Sharing,
}

/// Class of identical nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClass {
    /// Name of the class.
    pub name: String,
    /// Number of nodes; at least one.
    pub nodes: u32,
    /// CPU of a node, in [`Share`] units of the reference node; it may exceed one reference node.
    pub cpu: u64,
    /// Memory of a node, in [`Share`] units of the reference node.
    pub memory: u64,
    /// Speed relative to the fastest nodes, on which run times were measured. Above zero.
    pub speed: Yield,
    /// Number of units of each resource of a node.
    pub amounts: Vec<u32>,
    /// Features of the nodes, one bit each.
    pub features: u64,
    /// Sizes of the groups of connected devices of a node, in the order of the devices; empty if they
    /// do not matter.
    pub device_groups: Vec<u32>,
    /// Power of a node; `None` if it is unknown.
    pub power: Option<NodePower>,
    /// Rule by which nodes of unknown power fall asleep; that of nodes of known power is in `power`.
    pub sleep: Option<SleepRule>,
}

impl NodeClass {
    /// Returns the rule by which nodes without tasks fall asleep; `None` if they stay awake.
    pub fn sleep_rule(&self) -> Option<SleepRule> {
        self.power.as_ref().and_then(|power| power.sleep).or(self.sleep)
    }
    /// Returns the power of a node that is busy at full speed with all units of its resources, in
    /// milliwatts; 0 if it is unknown.
    pub fn largest_power(&self) -> u64 {
        let Some(power) = &self.power else { return 0 };
        let units = power.units.iter().zip(&self.amounts);
        let sockets = power.sockets.map_or(0, |it| it.busy * u64::from(it.count));
        power.busy + sockets + units.map(|((_, busy), amount)| busy * u64::from(*amount)).sum::<u64>()
    }
    /// Returns the power of a node without tasks, with all units of its resources, in milliwatts; 0 if it
    /// is unknown.
    pub fn idle_power(&self) -> u64 {
        let Some(power) = &self.power else { return 0 };
        let units = power.units.iter().zip(&self.amounts);
        let sockets = power.sockets.map_or(0, |it| it.idle * u64::from(it.count));
        power.idle + sockets + units.map(|((idle, _), amount)| idle * u64::from(*amount)).sum::<u64>()
    }
}

/// Request of a task for one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceRequest {
    /// Number of units, such as whole GPUs.
    pub count: u32,
    /// Fraction of each unit that the task can use, or that it holds of a device; irrelevant for
    /// rigid resources.
    pub need: Share,
}

impl ResourceRequest {
    /// Returns the amount that a task holds at any yield, in [`Share`] units of one resource unit.
    #[must_use]
    #[inline]
    pub fn held(self, sharing: Sharing) -> u64 {
        match sharing {
            Sharing::Rigid => u64::from(self.count) * u64::from(Share::ONE.units()),
            Sharing::Shared | Sharing::SharedDevices => 0,
            Sharing::Devices => u64::from(self.count) * u64::from(self.need.units()),
        }
    }
    /// Returns the amount that a task can use at a yield of 1, in [`Share`] units of one resource
    /// unit; zero for rigid resources and devices that are not shared.
    #[must_use]
    #[inline]
    pub fn usable(self, sharing: Sharing) -> u64 {
        match sharing {
            Sharing::Rigid | Sharing::Devices => 0,
            Sharing::Shared | Sharing::SharedDevices => u64::from(self.count) * u64::from(self.need.units()),
        }
    }
}

/// Requests of a job's tasks other than CPU and memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Request for each resource of the platform.
    pub resources: Vec<ResourceRequest>,
    /// Required features of the nodes, one bit each.
    pub features: u64,
    /// Alternatives of features, one bit each: the nodes must have at least one of each set.
    pub any_of: Vec<u64>,
    /// Number of cores that the job requested, if it differs from those that its tasks hold: it may
    /// be allocated whole nodes, or all threads of a core. The size factor of priorities counts it.
    pub requested_cores: Option<u32>,
    /// Number of nodes that the job requested, if it differs from those that it has: `-n32` requests
    /// one node, whatever it gets. The size factor of priorities counts it.
    pub requested_nodes: Option<u32>,
    /// True if batch policies must give each task of the job a different node.
    pub needs_distinct_nodes: bool,
    /// Amount of each resource of the whole cluster that the job holds at a yield of 1; empty if there
    /// are none.
    pub common: Vec<u64>,
    /// Power of the job at a yield of 1 at the levels 1, 2, ... below full speed, in milliwatts; empty if
    /// there are none.
    pub draws: Vec<u64>,
    /// Part of the power in `common` that the job draws at any yield, for the devices and sockets that
    /// its tasks use.
    pub fixed_power: u64,
    /// True if a random amount was more than the cluster has, all of which the job requests.
    pub is_cut: bool,
}

impl Demand {
    /// Removes all requests; the memory is used again.
    pub(crate) fn clear(&mut self) {
        let Demand {
            resources,
            features,
            any_of,
            requested_cores,
            requested_nodes,
            needs_distinct_nodes,
            common,
            draws,
            fixed_power,
            is_cut,
        } = self;
        resources.clear();
        any_of.clear();
        common.clear();
        draws.clear();
        (*features, *fixed_power) = (0, 0);
        (*requested_cores, *requested_nodes) = (None, None);
        (*needs_distinct_nodes, *is_cut) = (false, false);
    }
    /// Returns the request of a task for devices, which are the resource of this index; `None` if it
    /// requests none.
    #[inline]
    pub fn devices(&self, resource: usize) -> Option<DeviceRequest> {
        let asked = self.resources.get(resource).filter(|asked| asked.count > 0)?;
        Some(DeviceRequest { count: asked.count, part: asked.need.units().into() })
    }
    /// Returns whether nodes with these features have all that the job requires.
    #[inline]
    pub fn accepts(&self, features: u64) -> bool {
        self.features & !features == 0 && self.any_of.iter().all(|some| some & features != 0)
    }
    /// Returns whether nothing is requested.
    #[inline]
    pub fn is_empty(&self) -> bool {
        let is_plain =
            self.requested_cores.is_none() && self.requested_nodes.is_none() && !self.needs_distinct_nodes;
        is_plain
            && self.features == 0
            && self.any_of.is_empty()
            && self.resources.iter().all(|asked| asked.count == 0)
            && self.common.iter().all(|&amount| amount == 0)
    }
}

/// Nodes of a cluster by class; the first class has the lowest numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeClasses {
    resources: Vec<Resource>,
    features: Vec<String>,
    classes: Vec<NodeClass>,
    /// First node number after each class.
    ends: Vec<u32>,
    /// Number of cores of the reference node.
    cores: u32,
    /// Number of equal parts of a core, which tasks that share nodes hold; 1 if they hold whole cores.
    core_parts: u32,
    /// Named parts of devices.
    device_parts: Vec<DevicePart>,
    /// Memory of the reference node, in megabytes, for messages.
    reference_memory_mb: u64,
    /// Names of the nodes by number; empty if they have none.
    hosts: Vec<String>,
    /// Resources of the whole cluster.
    common: Vec<CommonResource>,
    /// Names of the levels 1, 2, ... below full speed.
    levels: Vec<Arc<str>>,
    /// Power of the cluster; `None` if that of its nodes is unknown.
    power: Option<ClusterPower>,
}

impl NodeClasses {
    /// Returns the names of the nodes by number; empty if they have none.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }
    /// Returns the resources other than CPU and memory.
    #[inline]
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// Returns the resources that the cluster has as a whole.
    #[inline]
    pub fn common(&self) -> &[CommonResource] {
        &self.common
    }
    /// Returns the next time after `now` at which the amount of a resource of the whole cluster changes.
    pub fn next_common_step(&self, now: SimTime) -> Option<SimTime> {
        self.common.iter().filter_map(|resource| Some(resource.later_steps(now).next()?.0)).min()
    }
    /// Returns the amount of a resource of the whole cluster that jobs can hold from now on without an end:
    /// the amount now, but of power the smallest one from now on, if devices or sockets draw all of theirs
    /// once they are used. Jobs on such units cannot draw less when a cap falls.
    pub fn amount_to_hold(&self, resource: &CommonResource, now: SimTime) -> u64 {
        match resource.demand {
            CommonDemand::Draw if self.has_used_power() => resource.smallest_from(now),
            _ => resource.amount_at(now),
        }
    }
    /// Returns the amount of a resource of the whole cluster of which a job that requests more is never sure
    /// to start: that after the last step or the largest one of steps that repeat, but of power the smallest
    /// one of these, if devices or sockets draw all of theirs once they are used.
    pub fn lasting_amount(&self, resource: &CommonResource) -> u64 {
        match resource.demand {
            CommonDemand::Draw if self.has_used_power() => resource.smallest_from(SimTime::MAX),
            _ => resource.lasting_amount(),
        }
    }
    /// Returns the power of the cluster; `None` if that of its nodes is unknown.
    #[inline]
    pub fn power(&self) -> Option<&ClusterPower> {
        self.power.as_ref()
    }
    /// Returns the power of all nodes without tasks, in milliwatts; 0 if it is unknown.
    pub fn idle_power(&self) -> u64 {
        self.classes.iter().map(|class| class.idle_power() * u64::from(class.nodes)).sum()
    }
    /// Returns the power that a task adds to that of an idle node of a class at a level, in milliwatts,
    /// at a yield of 1, without that of used devices and sockets; 0 if it is unknown.
    #[inline]
    pub fn task_power_at(&self, class: usize, level: u8, cpu_need: Share, demand: &Demand) -> u64 {
        let class = &self.classes[class];
        let Some(power) = &class.power else { return 0 };
        let at_level = usize::from(level).checked_sub(1).map(|at| &power.levels[at]);
        let busy = at_level.map_or(power.busy, |level| level.busy);
        let cpu = part(busy - power.idle, cpu_need.units().into(), class.cpu);
        if power.units.is_empty() {
            return cpu;
        }
        let one = u64::from(Share::ONE.units());
        let asked = demand.resources.iter().zip(&power.units).zip(&self.resources).enumerate();
        let is_linear = |resource: &Resource| !power.whole_devices || !resource.sharing.is_devices();
        let asked = asked.filter(|(_, (_, resource))| is_linear(resource));
        let units = asked.map(|(at, ((asked, (idle, busy)), Resource { sharing, .. }))| {
            let busy = at_level.map_or(*busy, |level| level.units[at]);
            part(busy - idle, asked.held(*sharing) + asked.usable(*sharing), one)
        });
        cpu + units.sum::<u64>()
    }
    /// Returns the power that devices and sockets of a node of a class add once they are used; `None` if
    /// all of its power is in proportion to needs and yields.
    pub fn used_power(&self, class: usize) -> Option<UsedPower> {
        let power = self.classes[class].power.as_ref()?;
        let sockets = power.sockets;
        let (idle, busy) = self.devices().and_then(|at| power.units.get(at)).copied().unwrap_or((0, 0));
        (power.whole_devices || sockets.is_some()).then(|| UsedPower {
            device: if power.whole_devices { busy - idle } else { 0 },
            socket: sockets.map_or(0, |it| it.busy - it.idle),
            socket_parts: sockets.map_or(0, |it| u64::from(it.cores_each) * u64::from(self.core_parts)),
            sockets: sockets.map_or(0, |it| it.count.into()),
        })
    }
    /// Returns whether devices or sockets of some nodes draw all of their power once they are used.
    #[inline]
    pub fn has_used_power(&self) -> bool {
        self.classes
            .iter()
            .filter_map(|class| class.power.as_ref())
            .any(|it| it.whole_devices || it.sockets.is_some())
    }
    /// Returns the largest power that devices and sockets add for a task on a node of a class, in
    /// milliwatts: as if no other task used them.
    pub fn largest_used_power(&self, class: usize, cpu_need: Share, demand: &Demand) -> u64 {
        let Some(power) = self.used_power(class) else { return 0 };
        let devices = self.devices().and_then(|at| demand.devices(at)).map_or(0, |it| it.count);
        power.of(devices.into(), self.core_parts_for(cpu_need))
    }
    /// Computes the largest power that devices and sockets add for all tasks of a job on the nodes on
    /// which they fit, in milliwatts. It follows neither the yield nor the speed level.
    fn largest_fixed_power(&self, job: &Job, demand: &Demand) -> u64 {
        if !self.has_used_power() {
            return 0;
        }
        let classes = (0..self.classes.len()).filter(|&class| self.fits(class, job, demand));
        let each = classes.map(|class| self.largest_used_power(class, job.cpu_need, demand)).max();
        each.unwrap_or(0) * u64::from(job.tasks)
    }
    /// Sets the amounts of the resources of the whole cluster that a job holds, given the requests
    /// of its tasks and those that it makes itself, by the index of the resource, which replace the usual
    /// ones; the last one of a resource counts. Its power is the largest that its tasks may draw, on the
    /// nodes on which they fit.
    fn set_common_amounts(&self, job: &Job, demand: &mut Demand, requested: &[(usize, u64)]) {
        let tasks = u64::from(job.tasks);
        let own = |place| requested.iter().rev().find(|(it, _)| *it == place).map(|(_, amount)| *amount);
        demand.common.clear();
        demand.draws.clear();
        for (place, resource) in self.common.iter().enumerate() {
            let amount = match resource.demand {
                CommonDemand::Held { per_task, per_job, granularity } => {
                    let usual = || per_task.saturating_mul(tasks).saturating_add(per_job);
                    let units = own(place).unwrap_or_else(usual);
                    units.div_ceil(granularity).saturating_mul(granularity)
                }
                CommonDemand::Draw => {
                    let fixed = self.largest_fixed_power(job, demand);
                    for level in 1..=self.levels.len() as u8 {
                        let draw = self.largest_draw(level, job, demand) + fixed;
                        demand.draws.push(draw);
                    }
                    demand.fixed_power = fixed;
                    self.largest_draw(0, job, demand) + fixed
                }
            };
            demand.common.push(amount);
        }
    }
    /// Returns whether nodes of some class fall asleep.
    pub fn can_sleep(&self) -> bool {
        self.sleep_rules().any(|rule| rule.is_some())
    }
    /// Iterates over the rules by which the nodes of each class fall asleep.
    pub fn sleep_rules(&self) -> impl Iterator<Item = Option<SleepRule>> {
        self.classes.iter().map(NodeClass::sleep_rule)
    }
    /// Returns the longest time for which a job may have to wait for the nodes on which it starts.
    #[inline]
    pub fn longest_wake(&self) -> SimSpan {
        self.sleep_rules().flatten().map(|rule| rule.longest_wake()).max().unwrap_or(SimSpan::ZERO)
    }
    /// Sets the carbon intensity and the price of energy over time; returns false if the power of nodes is
    /// unknown.
    pub fn set_energy_series(&mut self, series: EnergySeries) -> bool {
        let series = Some(Arc::new(series));
        self.power.as_mut().map(|power| power.series = series).is_some()
    }
    /// Returns the power of all nodes that are busy at full speed with all of their units, in milliwatts; 0
    /// if it is unknown.
    pub fn largest_power(&self) -> u64 {
        self.classes.iter().map(|class| class.largest_power() * u64::from(class.nodes)).sum()
    }
    /// Limits the power of the cluster to that of a cap. The power of idle nodes counts, also of those that
    /// are down.
    ///
    /// # Errors
    ///
    /// Returns a reason if the power of nodes is unknown, or a step is below that of idle nodes.
    pub fn cap_power(&mut self, cap: &PowerCap) -> Result<(), String> {
        let (idle, largest) = (self.idle_power(), self.largest_power());
        if self.power.is_none() {
            return Err("a power cap needs the power of nodes; expected `power = { idle_w = ..., busy_w = ... }` in each class".into());
        }
        let above = |&(from, amount): &(SimTime, CapAmount)| {
            let cap = amount.milliwatts(largest);
            let is_part = matches!(amount, CapAmount::Millionths(_));
            let part = if is_part { format!("{amount}, ") } else { String::new() };
            let low = || {
                format!(
                    "the power cap of {part}{} W from {from} s on is below the {} W of idle nodes",
                    watts(cap),
                    watts(idle)
                )
            };
            cap.checked_sub(idle).map(|above| (from, above)).ok_or_else(low)
        };
        let steps = cap.steps.iter().map(above).collect::<Result<Vec<_>, String>>()?;
        self.common.retain(|resource| resource.demand != CommonDemand::Draw);
        let period = cap.is_daily.then_some(DAY);
        self.common.push(CommonResource { name: POWER.into(), demand: CommonDemand::Draw, steps, period });
        Ok(())
    }
    /// Returns statements about the power cap: the power of percentages, and that it never binds.
    pub fn cap_notes(&self, cap: &PowerCap) -> Vec<String> {
        let largest = self.largest_power();
        let mut notes = Vec::new();
        if cap.has_percentages() {
            let all = watts(largest);
            let steps =
                cap.steps.iter().map(|(_, amount)| format!("{} W", watts(amount.milliwatts(largest))));
            let steps: Vec<String> = steps.collect();
            notes.push(format!("{} of the {all} W that all busy nodes draw", steps.join(", ")));
        }
        if cap.steps.iter().all(|(_, amount)| amount.milliwatts(largest) >= largest) {
            notes.push(format!("it never binds: all busy nodes draw {} W", watts(largest)));
        }
        notes
    }
    /// Returns whether an amount of the cluster repeats each day.
    pub fn has_daily_steps(&self) -> bool {
        self.common.iter().any(|resource| resource.period.is_some())
    }
    /// Lets amounts in steps repeat after a time, which is later than the start of each step.
    pub fn repeat_steps_after(&mut self, period: SimSpan) {
        let has_steps = |resource: &&mut CommonResource| !resource.is_constant();
        self.common.iter_mut().filter(has_steps).for_each(|resource| resource.period = Some(period));
    }
    /// Moves the amounts that repeat, so that the time zero is the given time of day.
    pub fn begin_at_time_of_day(&mut self, time: SimSpan) {
        self.common.iter_mut().for_each(|resource| resource.begin_within(time));
    }
    /// Returns the index of the resource whose units are devices; `None` if there is none.
    pub fn devices(&self) -> Option<usize> {
        self.resources.iter().position(|resource| resource.sharing.is_devices())
    }
    /// Returns the named parts of devices that jobs can request.
    pub fn device_parts(&self) -> &[DevicePart] {
        &self.device_parts
    }
    /// Returns the part of a device that a request names: `1g.5gb`, or `gpu_1g_5gb` as in listings of
    /// Slurm.
    pub fn device_part(&self, name: &str) -> Option<&DevicePart> {
        let devices = self.devices().map_or("", |place| &*self.resources[place].name);
        let of_type = name.strip_prefix(devices).and_then(|rest| rest.strip_prefix('_'));
        let is_it = |part: &&DevicePart| part.name == name || of_type == Some(&part.name.replace('.', "_"));
        self.device_parts.iter().find(is_it)
    }
    /// Returns the names of all features.
    pub fn features(&self) -> &[String] {
        &self.features
    }
    /// Iterates over the names of the features in a bit set.
    pub fn feature_names(&self, features: u64) -> impl Iterator<Item = &str> {
        let named = self.features.iter().enumerate();
        named.filter(move |(bit, _)| features >> bit & 1 == 1).map(|(_, name)| name.as_str())
    }
    /// Returns the names of the features that a job requires. Alternatives are one entry, separated
    /// by `|`.
    pub fn required_features(&self, demand: &Demand) -> Vec<String> {
        let alternatives =
            demand.any_of.iter().map(|&some| self.feature_names(some).collect::<Vec<_>>().join("|"));
        self.feature_names(demand.features).map(str::to_owned).chain(alternatives).collect()
    }
    /// Returns the classes.
    #[inline]
    pub fn classes(&self) -> &[NodeClass] {
        &self.classes
    }
    /// Returns whether all nodes are reference nodes at full speed without other resources or features, so
    /// that they differ at most in the power that they draw.
    pub fn are_equal(&self) -> bool {
        let reference = u64::from(Share::ONE.units());
        let is_reference = |class: &NodeClass| {
            class.cpu == reference && class.memory == reference && class.speed == Yield::ONE
        };
        self.resources.is_empty() && self.features.is_empty() && self.classes.iter().all(is_reference)
    }
    /// Returns the number of nodes.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }
    /// Returns the index of a node's class.
    ///
    /// # Panics
    ///
    /// Panics if there is no such node.
    #[inline]
    pub fn class_of(&self, node: u32) -> usize {
        assert!(node < self.nodes(), "node {node} does not exist");
        match self.ends.len() {
            1 => 0,
            _ => self.ends.partition_point(|&end| end <= node),
        }
    }
    /// Splits consecutive nodes by class: pairs of the index of a class and its nodes among them.
    #[inline]
    pub fn by_class(&self, nodes: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut first = nodes.start;
        std::iter::from_fn(move || {
            let class = (first < nodes.end).then(|| self.class_of(first as u32))?;
            let of_class = first..nodes.end.min(self.ends[class] as usize);
            first = of_class.end;
            Some((class, of_class))
        })
    }
    /// Returns the class of a node.
    ///
    /// # Panics
    ///
    /// Panics if there is no such node.
    #[inline]
    pub fn of(&self, node: u32) -> &NodeClass {
        &self.classes[self.class_of(node)]
    }
    /// Returns whether an empty node of a class fits a task of the job at full speed and has the
    /// required features.
    #[inline]
    pub fn fits(&self, class: usize, job: &Job, demand: &Demand) -> bool {
        self.fits_task(class, job.cpu_need, job.memory, demand)
    }
    /// Returns whether an empty node of a class fits a task with these CPU and memory needs and has
    /// the required features.
    #[inline]
    pub fn fits_task(&self, class: usize, cpu_need: Share, memory: Share, demand: &Demand) -> bool {
        let class = &self.classes[class];
        let has_all = class.amounts.is_empty()
            || demand.resources.iter().zip(&class.amounts).all(|(asked, amount)| asked.count <= *amount);
        let (cpu, memory) = (u64::from(cpu_need.units()), u64::from(memory.units()));
        has_all && cpu <= class.cpu && memory <= class.memory && demand.accepts(class.features)
    }
    /// Returns the CPU of a node of a class.
    #[inline]
    pub fn cpu(&self, class: usize) -> CpuUse {
        CpuUse::from_units(self.classes[class].cpu << Yield::BITS)
    }
    /// Returns the number of cores of the reference node.
    pub fn reference_cores(&self) -> u32 {
        self.cores
    }
    /// Returns the number of equal parts of a core that tasks hold where they share nodes.
    pub fn core_parts(&self) -> u32 {
        self.core_parts
    }
    /// Returns the number of parts of cores of a node of a class.
    pub fn core_parts_of(&self, class: usize) -> u64 {
        self.parts(self.classes[class].cpu)
    }
    /// Returns the number of parts of cores that a task holds where tasks share nodes: its CPU need,
    /// rounded up; at least one.
    pub fn core_parts_for(&self, cpu_need: Share) -> u64 {
        self.parts(cpu_need.units().into()).max(1)
    }
    fn parts(&self, cpu: u64) -> u64 {
        let parts = u128::from(self.cores) * u128::from(self.core_parts);
        (u128::from(cpu) * parts).div_ceil(Share::ONE.units().into()) as u64
    }
    /// Returns the number of cores of a node of a class.
    pub fn cores_of(&self, class: usize) -> u32 {
        self.whole_cores(self.classes[class].cpu)
    }
    /// Returns the number of cores that a task holds if it shares no core: its CPU need, rounded up;
    /// at least one.
    pub fn cores_for(&self, cpu_need: Share) -> u32 {
        self.whole_cores(cpu_need.units().into()).max(1)
    }
    fn whole_cores(&self, cpu: u64) -> u32 {
        (u128::from(cpu) * u128::from(self.cores)).div_ceil(Share::ONE.units().into()) as u32
    }
    /// Computes the capacity of all nodes, in reference nodes at full speed.
    pub fn capacity(&self) -> f64 {
        let of = |class: &NodeClass| f64::from(class.nodes) * class.cpu as f64 * class.speed.as_f64();
        self.classes.iter().map(of).sum::<f64>() / f64::from(Share::ONE.units())
    }
    /// Computes the least number of whole reference nodes at full speed with at least the capacity
    /// of all nodes. A cluster of these, on which tasks can be placed and divided arbitrarily, gives
    /// a bound for every schedule on the nodes.
    pub fn bounding_nodes(&self) -> u32 {
        self.bounding(|class| class.cpu, u128::from(Share::ONE.units()) << Yield::BITS).max(1)
    }
    /// Computes the least number of full-speed units of a resource with at least the capacity of the
    /// units of all nodes.
    ///
    /// # Panics
    ///
    /// Panics if there is no such resource.
    pub fn bounding_units(&self, resource: usize) -> u32 {
        self.bounding(|class| class.amounts[resource].into(), Yield::ONE.units().into())
    }
    /// Computes the sum of an amount times speed over all nodes, in multiples of `whole`, rounded
    /// up.
    fn bounding(&self, amount: impl Fn(&NodeClass) -> u64, whole: u128) -> u32 {
        let of = |class: &NodeClass| {
            u128::from(class.nodes) * u128::from(amount(class)) * u128::from(class.speed.units())
        };
        u32::try_from(self.classes.iter().map(of).sum::<u128>().div_ceil(whole)).unwrap_or(u32::MAX)
    }
}

/// Unequal nodes, and the requests of jobs for their resources.
#[derive(Clone, Debug, PartialEq)]
pub struct UnequalNodes {
    /// Classes of the nodes.
    pub classes: NodeClasses,
    /// Requests of the jobs.
    pub demands: Demands,
}

impl UnequalNodes {
    /// Returns the requests of a job's tasks other than CPU and memory.
    pub fn demand(&self, job: &Job) -> Demand {
        self.demands.of(&self.classes, job)
    }
    /// Sets the requests of another job to those of a job's tasks other than CPU and memory.
    pub fn set_demand(&self, job: &Job, demand: &mut Demand) {
        self.demands.set(&self.classes, job, demand);
    }
}
