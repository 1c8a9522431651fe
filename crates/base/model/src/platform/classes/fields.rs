//! Platform files in TOML.

use super::level_fields::level_names;
use super::power_fields::Problem;
use super::{
    CommonFields, NodeClass, NodeClasses, NodePowerFields, PowerFields, Resource, Sharing, SleepFields,
};
use crate::numbers::is_default;
use crate::platform::common::POWER;
use crate::platform::devices::{MOST_DEVICES, SMALLEST_PART, WHOLE_DEVICE};
use crate::platform::hosts::expand;
use crate::platform::power::{ClusterPower, PowerCap};
use crate::{Share, Yield};
use dfrsim_input::{Faults, Input, Reader};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum number of nodes of a cluster.
const MAX_NODES: u64 = 10_000_000;
/// Maximum number of cores or of units of a resource of a node.
const MAX_OF_ONE: u32 = 10_000;
/// Maximum number of parts of a core.
const MAX_CORE_PARTS: u32 = 1000;
/// Maximum number of features of a cluster.
pub const MAX_FEATURES: usize = 64;

/// Error in a platform.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// Invalid XML, or XML without a usable platform.
    #[error("invalid SimGrid platform: {0}")]
    Xml(String),
    /// Invalid fields: all of them.
    #[error("{}", .0.iter().map(|InvalidField { path, reason }| format!("{path}: {reason}")).collect::<Vec<_>>().join("; "))]
    Fields(Vec<InvalidField>),
    /// Number of nodes that differs from that of the cluster.
    #[error("node classes have {found} nodes in total, expected {expected}")]
    Nodes {
        /// Number of nodes in all classes.
        found: u32,
        /// Number of nodes of the cluster.
        expected: u32,
    },
}

/// Field of the right type with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidField {
    /// Path of the field, such as `classes[1].speed`.
    pub path: String,
    /// Description of the expected value.
    pub reason: String,
}

/// Platform as described in a TOML file.
///
/// ```
/// use dfrsim_model::platform::classes::PlatformFields;
/// let text = r#"
///     shared = ["gpu"]
///     classes = [
///         { name = "cpu", nodes = 24, cores = 4, memory_gb = 8 },
///         { name = "gpu", nodes = 8, cores = 4, memory_gb = 16, speed = 0.8, resources = { gpu = 4 }, features = ["nvlink"] },
///     ]
/// "#;
/// let classes = PlatformFields::parse("platform.toml", text)?.classes()?;
/// assert_eq!((classes.nodes(), classes.of(24).amounts[0]), (32, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformFields {
    /// Reference node for the CPU needs and the memory of jobs; a node of the first class by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceNode>,
    /// Number of equal parts of a core that tasks hold where they share nodes; 1 by default, so that
    /// they hold whole cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_parts: Option<u32>,
    /// Resources that tasks share like CPU. Units of other resources are held by one task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// Resource whose units are devices, such as GPUs, at most 16 on a node: tasks hold whole ones or
    /// parts of them, and free parts of two devices do not add up. If it is also in `shared`, parts follow
    /// the yields of jobs under fractional policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<String>,
    /// Named parts of a device that jobs request as if they were resources, such as the profiles of a
    /// MIG GPU. A class may also have a number of them as a resource of the same name, which jobs then
    /// hold, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_parts: Vec<DevicePart>,
    /// Resources, and features with a prefix `@`, that no node has. Jobs that request them cannot
    /// run, while other requests that no class can satisfy are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<String>,
    /// Resources that the cluster has as a whole, such as licences, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub common: BTreeMap<String, CommonFields>,
    /// Settings of the power of the cluster, and its cap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerFields>,
    /// Speed of the fastest node in flop/s, if the file has it: SimGrid's has.
    #[serde(skip)]
    pub flops: Option<u64>,
    /// Node classes.
    pub classes: Vec<ClassFields>,
}

/// Reference node: CPU needs and memory of jobs are fractions of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceNode {
    /// Number of cores.
    pub cores: u32,
    /// Memory in GB.
    pub memory_gb: f64,
}

/// Named part of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DevicePart {
    /// Name by which jobs request it.
    pub name: String,
    /// Fraction of a device, above 0 and at most 1.
    pub share: f64,
    /// True if several of these parts are a larger part of one device, as with Slurm's shards;
    /// otherwise they are parts of different devices.
    #[serde(default, skip_serializing_if = "is_default")]
    pub of_one_device: bool,
}

impl DevicePart {
    /// Returns the part of a device, in [`Share`] units, rounded down so that as many parts fit on a
    /// device as their fraction says.
    pub fn units(&self) -> u64 {
        (self.share * WHOLE_DEVICE as f64) as u64
    }
}

/// Class of identical nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassFields {
    /// Name of the class, unique in the platform.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of cores of a node.
    pub cores: u32,
    /// Memory of a node in GB.
    pub memory_gb: f64,
    /// Speed of a node relative to the nodes on which run times were measured, above 0 and at most
    /// 1.
    #[serde(default = "full_speed", skip_serializing_if = "is_full_speed")]
    pub speed: f64,
    /// Units of each resource of a node, other than CPU and memory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, u32>,
    /// Features of a node, which jobs can require.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub features: BTreeSet<String>,
    /// Groups of devices that are connected with each other, such as by NVLink: their sizes, in the
    /// order of the numbers of the devices. Tasks of a job get devices of as few groups as possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_groups: Vec<u32>,
    /// Names of the nodes, one for each, as in `n[1-3],login`, by which files of outages can name
    /// them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hosts: String,
    /// Power that a node draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<NodePowerFields>,
    /// Rule by which a node without tasks falls asleep. If the power of nodes is known, `power` has
    /// `asleep_w` beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepFields>,
}

impl ClassFields {
    /// Returns the power of a node, with the rule of `sleep` if that is a table of its own.
    fn power(&self) -> Option<NodePowerFields> {
        let power = self.power.clone()?;
        Some(match self.sleep {
            Some(SleepFields { after, falls, wakes }) => {
                NodePowerFields { sleep_after: Some(after), falls, wakes, ..power }
            }
            None => power,
        })
    }

    /// Collects the fields about sleep that are out of their ranges or given twice.
    fn sleep_problems(&self) -> Vec<Problem> {
        let Some(sleep) = &self.sleep else { return Vec::new() };
        let mut wrong = sleep.problems();
        if self.power.as_ref().is_some_and(NodePowerFields::has_rule_of_sleep) {
            let reason = "expected either `sleep`, or `sleep_after`, `falls` and `wakes` in `power`";
            wrong.push((String::new(), reason.to_owned()));
        }
        wrong
    }
}

const fn full_speed() -> f64 {
    1.0
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_full_speed(speed: &f64) -> bool {
    *speed == full_speed()
}

/// Converts memory to millionths of a GB, so that decimal numbers are exact.
fn millionths(gigabytes: f64) -> u64 {
    (gigabytes * 1e6).round() as u64
}

/// Converts an amount to share units, where `whole` is the amount of the reference node.
fn units(part: u64, whole: u64) -> u64 {
    (u128::from(part) * u128::from(Share::ONE.units()) / u128::from(whole)) as u64
}

impl PlatformFields {
    /// Parses a platform in TOML; `file` is the name in messages.
    ///
    /// # Errors
    ///
    /// Returns all errors if the text is not TOML, or has unknown fields or values out of range.
    pub fn parse(file: &str, text: &str) -> Result<PlatformFields, Faults> {
        let input = Input::toml(file, text)?;
        let mut reader = Reader::default();
        let read: Option<PlatformFields> = reader.parsed(&input.root());
        for InvalidField { path, reason } in read.iter().flat_map(PlatformFields::invalid_fields) {
            reader.fault_below(&input.root(), &path, reason);
        }
        reader.finish(read)
    }

    /// Creates the node classes for a cluster with this number of nodes.
    ///
    /// # Errors
    ///
    /// Returns an error if a field is out of its range, or if the number of nodes differs.
    pub fn classes_of(&self, nodes: u32) -> Result<NodeClasses, PlatformError> {
        let classes = self.classes()?;
        match classes.nodes() {
            found if found == nodes => Ok(classes),
            found => Err(PlatformError::Nodes { found, expected: nodes }),
        }
    }

    /// Collects the fields that are out of their ranges.
    fn invalid_fields(&self) -> Vec<InvalidField> {
        let mut wrong = InvalidFields(Vec::new());
        wrong.require(!self.classes.is_empty(), "classes", || "expected at least one class");
        if let Some(ReferenceNode { cores, memory_gb }) = self.reference {
            wrong.check_count("reference.cores", cores);
            wrong.check_memory("reference.memory_gb", memory_gb);
        }
        if let Some(parts) = self.core_parts {
            let range = || format!("expected a number between 1 and {MAX_CORE_PARTS}");
            wrong.require((1..=MAX_CORE_PARTS).contains(&parts), "core_parts", range);
        }
        let (names, features) = (self.resource_names(), self.features());
        let few = || format!("expected at most {MAX_FEATURES} different features");
        wrong.require(features.len() <= MAX_FEATURES, "classes", few);
        for name in names.iter().chain(&features).filter(|name| !is_name(name)) {
            let meant = "is not a valid name of a resource or feature; expected letters, digits, `-` and `_`";
            wrong.require(false, "classes", || format!("`{name}` {meant}"));
        }
        for unknown in self.shared.iter().filter(|name| !names.contains(name.as_str())) {
            wrong.require(false, "shared", || format!("no class has the resource `{unknown}`"));
        }
        if let Some(devices) = &self.devices {
            let is_known = names.contains(devices.as_str());
            wrong.require(is_known, "devices", || format!("no class has the resource `{devices}`"));
        }
        self.check_parts(&mut wrong);
        let mut nodes = 0_u64;
        for (number, class) in self.classes.iter().enumerate() {
            let field = |name: &str| format!("classes[{number}].{name}");
            let is_new = self.classes[..number].iter().all(|other| other.name != class.name);
            let own = || "expected a unique name of letters, digits, `-` and `_`";
            wrong.require(is_new && is_name(&class.name), &field("name"), own);
            nodes += u64::from(class.nodes);
            let most = || format!("expected at least 1, and at most {MAX_NODES} in all classes");
            wrong.require(class.nodes > 0 && nodes <= MAX_NODES, &field("nodes"), most);
            wrong.check_count(&field("cores"), class.cores);
            wrong.check_memory(&field("memory_gb"), class.memory_gb);
            let is_speed = class.speed <= 1.0 && Yield::nearest(class.speed) > Yield::ZERO;
            let fastest = "expected a number above 0 and at most 1: speeds are relative to the fastest nodes";
            wrong.require(is_speed, &field("speed"), || fastest);
            let hosts = if class.hosts.is_empty() { None } else { Some(expand(&class.hosts)) };
            let is_complete = hosts
                .is_none_or(|hosts| hosts.is_some_and(|names| u32::try_from(names.len()) == Ok(class.nodes)));
            wrong.require(is_complete, &field("hosts"), || {
                format!("expected the names of {} nodes such as n[1-8,12]", class.nodes)
            });
            for (name, &amount) in &class.resources {
                let path = field(&format!("resources.{name}"));
                wrong.check_count(&path, amount);
                let is_possible = self.devices.as_ref() != Some(name) || amount as usize <= MOST_DEVICES;
                wrong.require(is_possible, &path, || format!("expected at most {MOST_DEVICES} devices"));
            }
            self.check_groups(class, &field("device_groups"), &mut wrong);
        }
        self.check_common(&names, &mut wrong);
        self.check_power(&names, &mut wrong);
        wrong.0
    }

    /// Checks the named parts of devices.
    fn check_parts(&self, wrong: &mut InvalidFields) {
        let has_devices = self.devices.is_some() || self.device_parts.is_empty();
        wrong.require(
            has_devices,
            "device_parts",
            || "expected `devices = \"RESOURCE\"`, which names the resource of which these are parts",
        );
        for (number, part) in self.device_parts.iter().enumerate() {
            let field = |name: &str| format!("device_parts[{number}].{name}");
            let is_new = self.device_parts[..number].iter().all(|other| other.name != part.name);
            let is_own = is_name(&part.name.replace('.', "")) && self.devices.as_ref() != Some(&part.name);
            wrong.require(is_new && is_own, &field("name"), || {
                "expected a unique name of letters, digits, `-`, `_` and `.`, other than that of the devices"
            });
            let is_part = part.share <= 1.0 && part.units() >= SMALLEST_PART;
            wrong.require(
                is_part,
                &field("share"),
                || "expected a fraction of a device, at least 0.004 and at most 1",
            );
        }
    }

    /// Checks the groups of the devices of a class.
    fn check_groups(&self, class: &ClassFields, path: &str, wrong: &mut InvalidFields) {
        if class.device_groups.is_empty() {
            return;
        }
        let Some(devices) = &self.devices else {
            return wrong.require(
                false,
                path,
                || "expected no groups, or `devices = \"RESOURCE\"`, which names the resource that is in groups",
            );
        };
        wrong.require(
            !self.shared.contains(devices),
            path,
            || "expected no groups, since parts of these devices follow the yields of jobs (`shared`)",
        );
        let has = class.resources.get(devices).copied().unwrap_or(0);
        let sum: u64 = class.device_groups.iter().map(|&size| u64::from(size)).sum();
        wrong.require(!class.device_groups.contains(&0), path, || "expected groups of at least one device");
        let found = || format!("found {sum} devices in all groups, expected the {has} `{devices}` of a node");
        wrong.require(sum == u64::from(has), path, found);
    }

    /// Checks what the cluster has as a whole.
    fn check_common(&self, names: &BTreeSet<&str>, wrong: &mut InvalidFields) {
        for (name, common) in &self.common {
            let is_own = is_name(name) && name != POWER && !names.contains(name.as_str());
            wrong.require(is_own, &format!("common.{name}"), || {
                "expected a name of letters, digits, `-` and `_` that no resource of nodes has and that is not `power`"
            });
            wrong.add_all(&format!("common.{name}"), common.problems());
        }
    }

    /// Checks the power of nodes and its cap.
    fn check_power(&self, names: &BTreeSet<&str>, wrong: &mut InvalidFields) {
        let is_known = self.classes.iter().any(|class| class.power.is_some());
        let levels = self.level_names();
        for (number, class) in self.classes.iter().enumerate() {
            let path = format!("classes[{number}]");
            wrong.add_all(&format!("{path}.sleep"), class.sleep_problems());
            match &class.power() {
                Some(power) => {
                    let path = format!("{path}.power");
                    let node = (class.cores, &class.resources);
                    wrong.add_all(&path, power.problems(node, names, self.devices.as_deref()));
                    wrong.add_all(&path, power.level_problems(&levels, class.speed));
                }
                None => wrong.require(
                    !is_known,
                    &path,
                    || "expected `power`, as the power of other classes is given",
                ),
            }
        }
        let Some(power) = &self.power else { return };
        wrong.require(
            is_known,
            "power",
            || "expected the power of nodes: `power = { idle_w = ..., busy_w = ... }` in each class",
        );
        if let Some(Err(reason)) = power.level_use(&levels) {
            wrong.require(false, "power.use_levels", || reason.clone());
        }
        let idle = |class: &ClassFields| {
            let watts =
                class.power.as_ref().map_or(0.0, |power| power.idle_watts(class.cores, &class.resources));
            f64::from(class.nodes) * watts
        };
        wrong.add_all("power", power.problems(self.classes.iter().map(idle).sum()));
    }

    /// Returns the power cap; `None` without one.
    pub fn power_cap(&self) -> Option<PowerCap> {
        self.power.as_ref().and_then(PowerFields::power_cap)
    }

    /// Returns statements about powers that are probably in another unit: those of a node or a unit below a
    /// watt.
    pub fn power_notes(&self) -> Vec<String> {
        let notes = self.classes.iter().enumerate().flat_map(|(number, class)| {
            let small = class.power.iter().flat_map(NodePowerFields::small_watts);
            small.map(move |(field, watts)| {
                format!(
                    "classes[{number}].power.{field}: {watts} W is little for class `{}`; powers are in watts, not in kilowatts",
                    class.name
                )
            })
        });
        notes.collect()
    }

    /// Returns the names of all levels below full speed.
    fn level_names(&self) -> Vec<&str> {
        level_names(self.classes.iter().filter_map(|class| class.power.as_ref()))
    }

    /// Returns the power of the cluster; `None` if that of its nodes is unknown.
    fn cluster_power(&self) -> Option<ClusterPower> {
        self.classes.first()?.power.as_ref()?;
        let effectiveness = self.power.as_ref().map_or(1000, PowerFields::effectiveness);
        Some(ClusterPower { effectiveness, series: None })
    }

    fn resource_names(&self) -> BTreeSet<&str> {
        let others = self.unavailable.iter().map(String::as_str).filter(|name| !name.starts_with('@'));
        self.classes
            .iter()
            .flat_map(|class| class.resources.keys())
            .map(String::as_str)
            .chain(others)
            .collect()
    }

    fn features(&self) -> BTreeSet<&str> {
        let others = self.unavailable.iter().filter_map(|name| name.strip_prefix('@'));
        self.classes.iter().flat_map(|class| &class.features).map(String::as_str).chain(others).collect()
    }

    /// Returns the names of all nodes in the order of their numbers; empty if some have no name.
    fn hosts(&self) -> Vec<String> {
        let of_class = |class: &ClassFields| expand(&class.hosts);
        let names: Option<Vec<Vec<String>>> = self.classes.iter().map(of_class).collect();
        names.unwrap_or_default().concat()
    }

    /// Creates the node classes.
    ///
    /// # Errors
    ///
    /// Returns an error if fields are out of their ranges.
    pub fn classes(&self) -> Result<NodeClasses, PlatformError> {
        let wrong = self.invalid_fields();
        let Some(first) = self.classes.first().filter(|_| wrong.is_empty()) else {
            return Err(PlatformError::Fields(wrong));
        };
        let given = ReferenceNode { cores: first.cores, memory_gb: first.memory_gb };
        let reference = self.reference.unwrap_or(given);
        let whole_memory = millionths(reference.memory_gb);
        let (names, features, levels) = (self.resource_names(), self.features(), self.level_names());
        let sharing = |name: &str| match self.shared.iter().any(|shared| shared == name) {
            true if self.devices.as_deref() == Some(name) => Sharing::SharedDevices,
            false if self.devices.as_deref() == Some(name) => Sharing::Devices,
            true => Sharing::Shared,
            false => Sharing::Rigid,
        };
        let resources = names.iter().map(|&name| Resource { name: name.into(), sharing: sharing(name) });
        let bit = |name: &String| features.iter().position(|other| *other == name).unwrap_or_default();
        let class = |class: &ClassFields| NodeClass {
            name: class.name.clone(),
            nodes: class.nodes,
            cpu: units(class.cores.into(), reference.cores.into()),
            memory: units(millionths(class.memory_gb), whole_memory),
            speed: Yield::nearest(class.speed),
            amounts: names.iter().map(|&name| class.resources.get(name).copied().unwrap_or(0)).collect(),
            features: class.features.iter().fold(0, |all, name| all | 1 << bit(name)),
            device_groups: class.device_groups.clone(),
            power: class.power().map(|power| power.node_power(class.cores, &names, &levels)),
            sleep: class.sleep.filter(|_| class.power.is_none()).map(SleepFields::rule),
        };
        let add = |nodes: &mut u32, class: &ClassFields| {
            *nodes += class.nodes;
            Some(*nodes)
        };
        let mut all = NodeClasses {
            resources: resources.collect(),
            classes: self.classes.iter().map(class).collect(),
            ends: self.classes.iter().scan(0, add).collect(),
            cores: reference.cores,
            core_parts: self.core_parts.unwrap_or(1),
            device_parts: self.device_parts.clone(),
            reference_memory_mb: (reference.memory_gb * 1024.0).round() as u64,
            hosts: self.hosts(),
            features: features.into_iter().map(str::to_owned).collect(),
            common: self.common.iter().map(|(name, fields)| fields.resource(name)).collect(),
            levels: levels.into_iter().map(Arc::from).collect(),
            power: self.cluster_power(),
        };
        let invalid = |path: &str, reason: String| {
            PlatformError::Fields(vec![InvalidField { path: path.to_owned(), reason }])
        };
        if let Some(cap) = self.power_cap() {
            all.cap_power(&cap).map_err(|reason| invalid("power.cap", reason))?;
        }
        let rule = self.power.as_ref().and_then(|power| power.level_use(&self.level_names()));
        if let Some(Ok(rule)) = rule {
            all.use_levels(&rule).map_err(|reason| invalid("power.use_levels", reason))?;
        }
        Ok(all)
    }
}

/// Collector of invalid fields.
struct InvalidFields(Vec<InvalidField>);

impl InvalidFields {
    /// Adds fields of a table.
    fn add_all(&mut self, table: &str, problems: Vec<Problem>) {
        for (field, reason) in problems {
            let dot = if field.is_empty() { "" } else { "." };
            self.0.push(InvalidField { path: format!("{table}{dot}{field}"), reason });
        }
    }

    fn require<T: Into<String>>(&mut self, is_right: bool, path: &str, reason: impl Fn() -> T) {
        if !is_right {
            self.0.push(InvalidField { path: path.to_owned(), reason: reason().into() });
        }
    }

    fn check_count(&mut self, path: &str, count: u32) {
        let is_right = (1..=MAX_OF_ONE).contains(&count);
        self.require(is_right, path, || format!("expected a number between 1 and {MAX_OF_ONE}"));
    }

    fn check_memory(&mut self, path: &str, gigabytes: f64) {
        let is_right = (1e-3..=1e6).contains(&gigabytes);
        self.require(is_right, path, || "expected a number of GB between 0.001 and 1000000");
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        PlatformFields::parse("p.toml", text).unwrap_err().to_string()
    }

    /// Class with twice the cores and half the memory of the first class, which is the reference.
    #[test]
    fn capacities_are_parts_of_the_reference_node() {
        let text = "classes = [{ name = 'a', nodes = 2, cores = 4, memory_gb = 8 },
            { name = 'b', nodes = 3, cores = 8, memory_gb = 4, speed = 0.5, resources = { gpu = 2 }, features = ['x'] }]";
        let fields = PlatformFields::parse("p.toml", text).unwrap();
        let classes = fields.classes().unwrap();
        let one = u64::from(Share::ONE.units());
        let of = |node| (classes.of(node).cpu, classes.of(node).memory, classes.of(node).speed);
        assert_eq!(of(1), (one, one, Yield::ONE));
        assert_eq!(of(4), (2 * one, one / 2, Yield::from_ratio(1, 2)));
        assert_eq!((classes.nodes(), classes.class_of(2), classes.capacity()), (5, 1, 5.0));
        assert_eq!((classes.cores_of(0), classes.cores_of(1)), (4, 8));
        let needs = [0, 1, 2, 5, 8].map(|eighths| Share::from_ratio(eighths, 8));
        assert_eq!(
            needs.map(|need| classes.cores_for(need)),
            [1, 1, 1, 3, 4],
            "eighths of four cores, rounded up"
        );
        let reference = ReferenceNode { cores: 8, memory_gb: 16.0 };
        let classes = PlatformFields { reference: Some(reference), ..fields }.classes().unwrap();
        assert_eq!((classes.of(0).cpu, classes.of(0).memory), (one / 2, one / 2));
        assert_eq!((classes.capacity(), classes.bounding_nodes(), classes.bounding_units(0)), (2.5, 3, 3));
    }

    #[test]
    fn wrong_fields_are_named() {
        let class = |rest: &str| {
            error(&format!("classes = [{{ name = 'a', nodes = 2, cores = 4, memory_gb = 8{rest} }}]"))
        };
        assert!(class(", speed = 1.5").starts_with(
            "p.toml:1:71: classes[0].speed: expected a number above 0 and at most 1: speeds are relative to the fastest nodes\n"
        ));
        assert!(
            class(", resources = { gpu = 0 }").starts_with(
                "p.toml:1:83: classes[0].resources.gpu: expected a number between 1 and 10000\n"
            )
        );
        assert!(class(", gpus = 3").contains("unknown field `gpus`"));
        assert!(class(", features = ['a b']").contains("`a b` is not a valid name of a resource or feature"));
        assert!(error("classes = []").starts_with("p.toml:1:11: classes: expected at least one class"));
        let twice = "classes = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }, { name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert!(error(twice).contains("expected a unique name of letters, digits, `-` and `_`"));
        let shared = "shared = ['gpu']\nclasses = [{ name = 'a', nodes = 1, cores = 1, memory_gb = 1 }]";
        assert!(
            error(shared).starts_with("p.toml:1:10: shared: no class has the resource `gpu`"),
            "{}",
            error(shared)
        );
    }

    #[test]
    fn all_faults_of_a_file_are_reported() {
        let of = |text: &str| -> Vec<(usize, String, String)> {
            let faults = PlatformFields::parse("p.toml", text).unwrap_err().0;
            faults.into_iter().map(|fault| (fault.line.unwrap(), fault.path, fault.message)).collect()
        };
        let types = "[[classes]]\nname = 'a'\nnodes = 2\ncores = 'four'\nmemory_gb = 8\n\
            [[classes]]\nname = 'b'\nnodes = 3\ncores = 4\nmemory = 8\n[reference]\ncores = -4\nmemory_gb = 8\n";
        let text = |(line, path, message): (usize, String, String)| format!("{line} {path}: {message}");
        let found: Vec<String> = of(types).into_iter().map(text).collect();
        assert_eq!(
            found,
            [
                "4 classes[0].cores: invalid type: string \"four\", expected u32",
                "6 classes[1]: missing field `memory_gb`",
                "10 classes[1].memory: unknown field `memory`; did you mean `memory_gb`?",
                "12 reference.cores: invalid value: integer `-4`, expected u32",
            ]
        );
        let ranges = "[[classes]]\nname = 'a'\nnodes = 0\ncores = 4\nmemory_gb = 0\nspeed = 2\n";
        let lines: Vec<usize> = of(ranges).into_iter().map(|(line, ..)| line).collect();
        assert_eq!(lines, [3, 5, 6]);
    }
}

#[cfg(test)]
mod power_tests {
    use super::super::{Demands, PlatformFields};
    use crate::platform::power::DAY;
    use crate::{Job, Share};
    use dfrsim_input::Faults;

    fn errors(text: &str) -> String {
        PlatformFields::parse("p.toml", text).unwrap_err().to_string()
    }
    const CLASS: &str = "[[classes]]\nname = 'a'\nnodes = 2\ncores = 4\nmemory_gb = 8\nresources = { gpu = 2 }\n\
        power = { idle_w = 100, busy_w = 200.5, resources = { gpu = { idle_w = 10, busy_w = 60 } } }\n";

    #[test]
    fn power_and_common_resources_are_read() {
        let text =
            format!("[common.matlab]\namount = 3\nper_job = 1\n[power]\ncap_w = 400\npue = 1.2\n{CLASS}");
        let classes = PlatformFields::parse("p.toml", &text).unwrap().classes().unwrap();
        assert_eq!((classes.idle_power(), classes.power().unwrap().effectiveness), (240_000, 1200));
        let found: Vec<_> = classes.common().iter().map(|it| (&*it.name, it.lasting_amount())).collect();
        assert_eq!(found, [("matlab", 3), ("power", 160_000)]);
        let job = Job { tasks: 2, cpu_need: Share::from_ratio(1, 2), ..Job::default() };
        let requests = vec!["gpu:1:1".parse().unwrap()];
        let demand = Demands { requests, ..Demands::default() }.of(&classes, &job);
        assert_eq!(demand.common, [1, 2 * (50_250 + 50_000)]);
    }

    /// Two nodes with two GPUs each draw 240 W without tasks and 641 W if all is busy.
    #[test]
    fn caps_are_texts_or_steps_that_may_repeat() {
        let read = |power: &str| {
            let fields = PlatformFields::parse("p.toml", &format!("[power]\n{power}\n{CLASS}"))?;
            let classes = fields.classes().map_err(|error| error.to_string()).unwrap();
            let common = classes.common()[0].clone();
            let steps: Vec<_> =
                common.steps.iter().map(|(from, it)| (from.micros() / 1_000_000, *it)).collect();
            Ok::<_, Faults>((steps, common.period, classes.cap_notes(&fields.power_cap().unwrap())))
        };
        let (steps, period, notes) = read("cap = '80%'").unwrap();
        assert_eq!((steps, period), (vec![(0, 512_800 - 240_000)], None));
        assert_eq!(notes, ["512.8 W of the 641 W that all busy nodes draw"]);
        let (steps, period, notes) = read("cap = 'daily 0:00=100%,8:00=300W'").unwrap();
        assert_eq!((steps, period), (vec![(0, 401_000), (28_800, 60_000)], Some(DAY)));
        assert_eq!(notes, ["641 W, 300 W of the 641 W that all busy nodes draw"]);
        let daily = "cap = [{ from_s = 0, watts = 700 }, { from_s = 28800, watts = 300 }]\ndaily = true";
        assert_eq!(read(daily).unwrap(), (vec![(0, 460_000), (28_800, 60_000)], Some(DAY), Vec::new()));
        assert_eq!(read("cap = '120%'").unwrap().2[1], "it never binds: all busy nodes draw 641 W");
        assert_eq!(read("cap = '1kW'").unwrap().2, ["it never binds: all busy nodes draw 641 W"]);
        for (power, found) in [
            ("cap = '80V'", "power.cap: invalid power cap `80V`"),
            ("cap = 5", "expected steps such as"),
            ("cap = []", "expected at least one step"),
            ("cap = '38kW'\ndaily = true", "power.daily: expected `daily` in the text of `cap`"),
            ("cap_w = 400\ndaily = true", "power.daily: expected steps in `cap`"),
            ("cap_w = 400\ncap = '80%'", "power.cap_w: expected either"),
            (
                "cap = [{ from_s = 0, watts = 700 }, { from_s = 86400, watts = 300 }]\ndaily = true",
                "power.cap[1].from_s: expected a time of day in seconds, less than 86400",
            ),
        ] {
            let error = read(power).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
        let low = PlatformFields::parse("p.toml", &format!("[power]\ncap = '30%'\n{CLASS}")).unwrap();
        let low = low.classes().unwrap_err().to_string();
        assert!(
            low.contains("power.cap") && low.contains("30%, 192.3 W from 0 s on is below the 240 W"),
            "{low}"
        );
    }

    /// A job of three tasks holds 3 * 20 + 1 = 61 units, and one that requests 150 holds these, each rounded
    /// up to multiples of 50.
    #[test]
    fn units_are_rounded_up_to_the_granularity() {
        let text =
            format!("[common.bb]\namount = 900\nper_task = 20\nper_job = 1\ngranularity = 50\n{CLASS}");
        let classes = PlatformFields::parse("p.toml", &text).unwrap().classes().unwrap();
        let job = Job { tasks: 3, ..Job::default() };
        assert_eq!(Demands::default().of(&classes, &job).common, [100]);
        for (request, held) in [("bb:1:150", 150), ("bb:1:151", 200), ("bb:1:1", 50)] {
            let demands = Demands { requests: vec![request.parse().unwrap()], ..Demands::default() };
            assert_eq!(demands.of(&classes, &job).common, [held], "{request}");
        }
        let wrong = errors(&text.replace("granularity = 50", "granularity = 0"));
        assert!(wrong.contains("common.bb.granularity: expected a number between 1 and"), "{wrong}");
    }

    #[test]
    fn licences_repeat_daily_and_small_watts_are_noted() {
        let steps =
            "[common.a]\nsteps = [{ from_s = 0, amount = 5 }, { from_s = 3600, amount = 2 }]\ndaily = true\n";
        let small = CLASS.replace("idle_w = 100, busy_w = 200.5", "idle_w = 0.1, busy_w = 0.2");
        let fields = PlatformFields::parse("p.toml", &format!("{steps}{small}")).unwrap();
        assert_eq!(fields.classes().unwrap().common()[0].period, Some(DAY));
        let notes = fields.power_notes();
        assert_eq!(notes.len(), 2);
        assert_eq!(
            notes[1],
            "classes[0].power.busy_w: 0.2 W is little for class `a`; powers are in watts, not in kilowatts"
        );
        assert_eq!(PlatformFields::parse("p.toml", CLASS).unwrap().power_notes(), [""; 0]);
        let alone = errors(&format!("[common.a]\namount = 5\ndaily = true\n{CLASS}"));
        assert!(alone.contains("common.a.daily: expected steps in `steps`"), "{alone}");
    }

    /// A node has 30 W besides two sockets of 20 to 95 W and two GPUs of 10 to 60 W. Two tasks, each with half
    /// of a GPU and three of four cores, may use two GPUs and four sockets, as far as a job knows.
    #[test]
    fn power_of_used_units_is_read() {
        let used = CLASS.replace(
            "idle_w = 100, busy_w = 200.5",
            "idle_w = 30, cpu = { cores_each = 2, idle_w = 20, busy_w = 95, when = 'used' }",
        );
        let used = used.replace("busy_w = 60", "busy_w = 60, when = 'used'");
        let text = format!("devices = 'gpu'\n[power]\ncap_w = 800\n{used}");
        let classes = PlatformFields::parse("p.toml", &text).unwrap().classes().unwrap();
        assert_eq!((classes.idle_power(), classes.has_used_power()), (180_000, true));
        let job = Job { tasks: 2, cpu_need: Share::from_ratio(3, 4), ..Job::default() };
        let requests = vec!["gpu:1:1:0.5-0.5".parse().unwrap()];
        let demand = Demands { requests, ..Demands::default() }.of(&classes, &job);
        assert_eq!((demand.common, demand.fixed_power), (vec![2 * (50_000 + 150_000)], 400_000));
        let linear = PlatformFields::parse("p.toml", CLASS).unwrap().classes().unwrap();
        assert!(!linear.has_used_power());
    }

    #[test]
    fn rules_of_sleep_are_read() {
        let sleeps =
            CLASS.replace("busy_w = 200.5", "busy_w = 200.5, asleep_w = 12.5, sleep_after = 600, wakes = 90");
        let classes = PlatformFields::parse("p.toml", &sleeps).unwrap().classes().unwrap();
        let rule = classes.sleep_rules().next().flatten().unwrap();
        let seconds = [rule.after, rule.falls, rule.wakes].map(|span| span.micros() / 1_000_000);
        assert_eq!((rule.asleep, seconds, classes.can_sleep()), (12_500, [600, 0, 90], true));
        let awake = PlatformFields::parse("p.toml", CLASS).unwrap().classes().unwrap();
        assert!(!awake.can_sleep() && awake.longest_wake().is_zero());
    }

    #[test]
    fn speed_levels_are_read() {
        let levels = "busy_w = 200.5, levels = [{ name = 'eco', speed = 0.75, busy_w = 150, resources = { gpu = 50 } },
            { name = 'low', speed = 0.5, busy_w = 120 }]";
        let other = CLASS.replace("'a'", "'b'").replace(
            "busy_w = 200.5",
            "busy_w = 180, levels = [{ name = 'low', speed = 0.25, busy_w = 110, resources = { gpu = 10 } }]",
        );
        let text = |power: &str| {
            format!(
                "[power]\n{power}\n{}{other}",
                CLASS.replace("busy_w = 200.5", levels).replace("nodes = 2", "speed = 0.5\nnodes = 2")
            )
        };
        let read = |power: &str| PlatformFields::parse("p.toml", &text(power)).unwrap().classes().unwrap();
        let classes = read("cap_w = 900");
        let names: Vec<&str> = classes.levels().iter().map(|name| &**name).collect();
        assert_eq!(names, ["eco", "low"]);
        let speeds = |class| [0, 1, 2].map(|level| classes.speed_at(class, level).as_f64());
        assert_eq!([speeds(0), speeds(1)], [[0.5, 0.375, 0.25], [1.0, 1.0, 0.25]]);
        let job = Job { tasks: 2, cpu_need: Share::from_ratio(1, 2), ..Job::default() };
        let requests = vec!["gpu:1:1".parse().unwrap()];
        let demand = Demands { requests, ..Demands::default() }.of(&classes, &job);
        // A task adds half of the power of the CPU, and that of a GPU. At the first level the second class
        // has its full power, and at the second level the GPUs of the first one have.
        let power = |class| [0, 1, 2].map(|level| classes.task_power_at(class, level, job.cpu_need, &demand));
        assert_eq!(power(0), [50_250 + 50_000, 25_000 + 40_000, 10_000 + 50_000]);
        assert_eq!(power(1), [40_000 + 50_000, 40_000 + 50_000, 5_000]);
        assert_eq!(
            (&demand.common[..], &demand.draws[..]),
            (&[2 * 100_250][..], &[2 * 90_000, 2 * 60_000][..])
        );
        // Without a cap no level is in use.
        let idle = read("pue = 1.1");
        assert!(idle.levels().is_empty() && idle.known_levels().len() == 2);
        let never = read("use_levels = 'never'\ncap_w = 900");
        assert!(never.known_levels().is_empty() && never.speed_at(0, 0).as_f64() == 0.5);
        let low = read("use_levels = 'low'");
        assert_eq!([0, 1].map(|class| low.speed_at(class, 0).as_f64()), [0.25, 0.25]);
        assert_eq!([0, 1].map(|class| low.task_power(class, job.cpu_need, &demand)), [60_000, 5_000]);
        let error = |power: &str| match PlatformFields::parse("p.toml", &text(power)) {
            Ok(fields) => fields.classes().unwrap_err().to_string(),
            Err(faults) => faults.to_string(),
        };
        assert_eq!(
            error("use_levels = 'on-cap'"),
            "power.use_levels: `on-cap` has no effect without a power cap"
        );
        assert!(
            error("use_levels = 'ecco'")
                .starts_with("p.toml:2:14: power.use_levels: unknown level `ecco`; did you mean `eco`?")
        );
        assert!(error("use_levels = 'e c'").contains("power.use_levels: invalid use of speed levels `e c`"));
    }

    #[test]
    fn wrong_speed_levels_are_named() {
        for (levels, found) in [
            (
                "name = 'never', speed = 0.5, busy_w = 150",
                "levels[0].name: expected a name of letters, digits",
            ),
            ("name = 'a', speed = 1, busy_w = 150", "levels[0].speed: expected a number above 0 and below 1"),
            ("name = 'a', speed = 0, busy_w = 150", "levels[0].speed: expected a number above 0 and below 1"),
            ("name = 'a', speed = 0.9999999, busy_w = 150", "levels[0].speed: expected a number above 0"),
            ("name = 'a', speed = nan, busy_w = 150", "levels[0].speed: invalid type"),
            (
                "name = 'a', speed = 0.5, busy_w = 99",
                "levels[0].busy_w: expected watts between the `idle_w` of 100 and the 200.5 of the level before",
            ),
            ("name = 'a', speed = 0.5, busy_w = 201", "levels[0].busy_w: expected watts between"),
            (
                "name = 'a', speed = 0.5, busy_w = 150 }, { name = 'a', speed = 0.4, busy_w = 150",
                "levels[1].name: expected levels in the order in which the classes first name them: a",
            ),
            (
                "name = 'a', speed = 0.5, busy_w = 150 }, { name = 'b', speed = 0.5, busy_w = 150",
                "levels[1].speed: expected less than the 0.5 of `a`",
            ),
            (
                "name = 'a', speed = 0.5, busy_w = 150 }, { name = 'b', speed = 0.4, busy_w = 151",
                "levels[1].busy_w: expected watts between",
            ),
            (
                "name = 'a', speed = 0.5, busy_w = 150, resources = { gpu = 61 }",
                "levels[0].resources.gpu: expected watts between 10 and the 60",
            ),
            (
                "name = 'a', speed = 0.5, busy_w = 150, resources = { gpu = 9 }",
                "levels[0].resources.gpu: expected watts between 10",
            ),
            (
                "name = 'a', speed = 0.5, busy_w = 150, resources = { tpu = 9 }",
                "levels[0].resources.tpu: expected a resource of `power.resources`",
            ),
            ("name = 'a', speed = 0.5, busy_w = 150, watts = 9", "unknown field `watts`"),
        ] {
            let text = CLASS.replace("busy_w = 200.5", &format!("busy_w = 200.5, levels = [{{ {levels} }}]"));
            let error = errors(&text);
            assert!(error.contains(found), "{error}");
        }
        let levels = |names: &str| {
            let level = |(at, name): (usize, &str)| {
                format!("{{ name = '{name}', speed = {}, busy_w = 150 }}", 0.5 / (at + 1) as f64)
            };
            let all: Vec<String> = names.split(' ').enumerate().map(level).collect();
            CLASS.replace("busy_w = 200.5", &format!("busy_w = 200.5, levels = [{}]", all.join(", ")))
        };
        let other = |names: &str| levels(names).replace("'a'", "'b'");
        let error = errors(&format!("{}{}", levels("x y"), other("y x")));
        assert!(error.contains("classes[1].power.levels[1].name: expected levels in the order"), "{error}");
        let many: Vec<String> = (0..16).map(|level| format!("l{level}")).collect();
        assert!(errors(&levels(&many.join(" "))).contains("levels: expected at most 15 different levels"));
        assert!(
            errors(&format!("[power]\nuse_levels = 'on-cap'\n{CLASS}"))
                .contains("no class of nodes has `power.levels`")
        );
    }

    #[test]
    fn nodes_of_unknown_power_sleep_by_a_table_of_their_own() {
        let plain = "[[classes]]\nname = 'a'\nnodes = 2\ncores = 4\nmemory_gb = 8\n";
        let rule = |text: &str| {
            let classes = PlatformFields::parse("p.toml", text).unwrap().classes().unwrap();
            let rule = classes.sleep_rules().next().flatten().unwrap();
            let seconds = [rule.after, rule.falls, rule.wakes].map(|span| span.micros() / 1_000_000);
            (seconds, rule.asleep, classes.power().is_some())
        };
        let sleep = "sleep = { after = 600, wakes = 90 }\n";
        assert_eq!(rule(&format!("{plain}{sleep}")), ([600, 0, 90], 0, false));
        let powered = format!("{plain}{sleep}power = {{ idle_w = 100, busy_w = 200, asleep_w = 5 }}\n");
        assert_eq!(rule(&powered), ([600, 0, 90], 5_000, true));
        for (more, found) in [
            ("sleep = { after = 0 }", "sleep.after: expected seconds between 1"),
            ("sleep = { after = 9, falls = 1000001 }", "sleep.falls: expected at most 1000000 seconds"),
            (
                "sleep = { after = 9 }\npower = { idle_w = 9, busy_w = 9 }",
                "power: expected `asleep_w`, the power of a node that sleeps",
            ),
            (
                "sleep = { after = 9 }\npower = { idle_w = 9, busy_w = 9, asleep_w = 1, sleep_after = 7 }",
                "sleep: expected either `sleep`, or `sleep_after`, `falls` and `wakes` in `power`",
            ),
        ] {
            let error = errors(&format!("{plain}{more}\n"));
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn wrong_amounts_and_powers_are_named() {
        for (text, found) in [
            ("[common.gpu]\namount = 3\n", "that no resource of nodes has"),
            ("[common.power]\namount = 3\n", "is not `power`"),
            ("[common.x]\nper_job = 1\n", "common.x: expected either `amount` or `steps`"),
            ("[common.x]\nsteps = [{ from_s = 5, amount = 1 }]\n", "common.x.steps[0].from_s: expected 0"),
            (
                "[common.x]\nsteps = [{ from_s = 0, amount = 1 }, { from_s = 0, amount = 2 }]\n",
                "common.x.steps[1].from_s: expected a start after that of the previous step",
            ),
            ("[power]\ncap_w = 239\n", "power.cap_w: expected at least the 240 W of all nodes without tasks"),
            ("[power]\npue = 0.9\n", "power.pue: expected a number between 1 and 100"),
        ] {
            let error = errors(&format!("{text}{CLASS}"));
            assert!(error.contains(found), "{error}");
        }
        let busy = CLASS.replace("200.5", "99");
        assert!(errors(&busy).contains("classes[0].power.busy_w: expected at least as much as `idle_w`"));
        for (fields, found) in [
            (
                "asleep_w = 120.5, sleep_after = 9",
                "power.asleep_w: expected watts between 0 and the 120 W of a node",
            ),
            ("asleep_w = -1, sleep_after = 9", "power.asleep_w: expected watts between 0"),
            ("asleep_w = 5", "power.sleep_after: expected seconds between 1"),
            ("asleep_w = 5, sleep_after = 0", "power.sleep_after: expected seconds between 1"),
            ("sleep_after = 9", "power: expected `asleep_w`, the power of a node that sleeps"),
            ("wakes = 9", "power: expected `asleep_w`"),
            (
                "asleep_w = 5, sleep_after = 9, wakes = 1000001",
                "power.wakes: expected at most 1000000 seconds",
            ),
        ] {
            let error = errors(&CLASS.replace("busy_w = 200.5", &format!("busy_w = 200.5, {fields}")));
            assert!(error.contains(found), "{error}");
        }
        let unknown = CLASS.replace("gpu = { idle", "tpu = { idle");
        assert!(errors(&unknown).contains("classes[0].power.resources.tpu: no class has this resource"));
        let some = format!("{CLASS}[[classes]]\nname = 'b'\nnodes = 2\ncores = 4\nmemory_gb = 8\n");
        assert!(errors(&some).contains("classes[1]: expected `power`"));
    }
}
