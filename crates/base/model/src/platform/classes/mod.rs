//! Classes of nodes, and what jobs ask of them beside CPU and memory.

mod fields;
mod requests;
mod simgrid;

pub use fields::{ClassFields, PlatformError, PlatformFields, ReferenceNode, WrongField};
pub use requests::{Demands, Request, Requested};

use crate::{CpuUse, Job, Share, Yield};
use dfrsim_input::{Fault, Faults, read_text};
use std::path::Path;
use std::sync::Arc;

/// Reads a platform file: TOML, or XML of SimGrid where the name ends in `.xml`.
///
/// # Errors
/// The file cannot be read, or is not a platform: all that is wrong.
pub fn read(path: &Path) -> Result<PlatformFields, Faults> {
    let (file, text) = (path.display().to_string(), read_text(path)?);
    if path.extension().is_some_and(|extension| extension == "xml") {
        simgrid::parse(&text).map_err(|error| Fault::of_file(file, error).into())
    } else {
        PlatformFields::parse(&file, &text)
    }
}

/// How tasks use a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// A task holds what it asks for at any yield, as it holds memory.
    Rigid,
    /// A task uses its need times its yield, as it uses CPU.
    Shared,
}

/// A resource beside CPU and memory: GPUs, licences, anything that a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name.
    pub name: Arc<str>,
    /// How it is used.
    pub sharing: Sharing,
}

/// Nodes that are like each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClass {
    /// Its name.
    pub name: String,
    /// How many nodes it has; at least one.
    pub nodes: u32,
    /// The CPU of a node, in units of [`Share`] of the reference node; it may be more than one such node.
    pub cpu: u64,
    /// The memory of a node, in the same units.
    pub memory: u64,
    /// How fast jobs run: a part of the speed of the fastest nodes, on which run times were measured. Above zero.
    pub speed: Yield,
    /// How many of each resource a node has.
    pub amounts: Vec<u32>,
    /// The features that its nodes have, a bit each.
    pub features: u64,
}

/// What a task asks for of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// How many units: whole GPUs, for example.
    pub count: u32,
    /// The part of each that it can use; it matters where the resource is shared.
    pub need: Share,
}

impl Asked {
    /// What a task holds of a resource at any yield, in units of [`Share`] of one.
    #[must_use]
    pub fn held(self, sharing: Sharing) -> u64 {
        match sharing {
            Sharing::Rigid => u64::from(self.count) * u64::from(Share::ONE.units()),
            Sharing::Shared => 0,
        }
    }
    /// What a task can use at a yield of 1, in the same units; zero of what it holds.
    #[must_use]
    pub fn usable(self, sharing: Sharing) -> u64 {
        match sharing {
            Sharing::Rigid => 0,
            Sharing::Shared => u64::from(self.count) * u64::from(self.need.units()),
        }
    }
}

/// What the tasks of a job ask for beside CPU and memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Of each resource.
    pub resources: Vec<Asked>,
    /// The features that its nodes must have, a bit each.
    pub features: u64,
}

impl Demand {
    /// Whether it asks for anything.
    pub fn is_empty(&self) -> bool {
        self.features == 0 && self.resources.iter().all(|asked| asked.count == 0)
    }
}

/// The nodes of a cluster, class by class: the first class has the lowest numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeClasses {
    resources: Vec<Resource>,
    features: Vec<String>,
    classes: Vec<NodeClass>,
    /// The node behind the last one of each class.
    ends: Vec<u32>,
    /// The cores of the reference node.
    cores: u32,
}

impl NodeClasses {
    /// The resources beside CPU and memory.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// The names of all features.
    pub fn features(&self) -> &[String] {
        &self.features
    }
    /// The names of some of them.
    pub fn names_of(&self, features: u64) -> impl Iterator<Item = &str> {
        let named = self.features.iter().enumerate();
        named.filter(move |(bit, _)| features >> bit & 1 == 1).map(|(_, name)| name.as_str())
    }
    /// The classes.
    pub fn classes(&self) -> &[NodeClass] {
        &self.classes
    }
    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }
    /// The place of a node's class.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn class_of(&self, node: u32) -> usize {
        assert!(node < self.nodes(), "there is no node {node}");
        self.ends.partition_point(|&end| end <= node)
    }
    /// The class of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn of(&self, node: u32) -> &NodeClass {
        &self.classes[self.class_of(node)]
    }
    /// Whether an empty node of a class has room for a task at full speed, and the features that it needs.
    pub fn fits(&self, class: usize, job: &Job, demand: &Demand) -> bool {
        self.fits_task(class, job.cpu_need, job.memory, demand)
    }
    /// The same for a task of this size.
    pub fn fits_task(&self, class: usize, cpu_need: Share, memory: Share, demand: &Demand) -> bool {
        let class = &self.classes[class];
        let has_all =
            demand.resources.iter().zip(&class.amounts).all(|(asked, amount)| asked.count <= *amount);
        let (cpu, memory) = (u64::from(cpu_need.units()), u64::from(memory.units()));
        has_all && cpu <= class.cpu && memory <= class.memory && demand.features & !class.features == 0
    }
    /// The CPU of a class's nodes.
    pub fn cpu(&self, class: usize) -> CpuUse {
        CpuUse::from_units(self.classes[class].cpu << Yield::BITS)
    }
    /// The cores of the reference node.
    pub fn reference_cores(&self) -> u32 {
        self.cores
    }
    /// The cores of a class's nodes.
    pub fn cores_of(&self, class: usize) -> u32 {
        self.whole_cores(self.classes[class].cpu)
    }
    /// The cores that a task holds where it shares no core: its CPU need, rounded up; at least one.
    pub fn cores_for(&self, cpu_need: Share) -> u32 {
        self.whole_cores(cpu_need.units().into()).max(1)
    }
    fn whole_cores(&self, cpu: u64) -> u32 {
        (u128::from(cpu) * u128::from(self.cores)).div_ceil(Share::ONE.units().into()) as u32
    }
    /// What all nodes together can do, in reference nodes at full speed.
    pub fn capacity(&self) -> f64 {
        let of = |class: &NodeClass| f64::from(class.nodes) * class.cpu as f64 * class.speed.as_f64();
        self.classes.iter().map(of).sum::<f64>() / f64::from(Share::ONE.units())
    }
    /// The least number of whole reference nodes at full speed that can do no less: a cluster of these, on which tasks can be placed
    /// and divided at will, bounds what any schedule on these nodes can reach.
    pub fn bounding_nodes(&self) -> u32 {
        self.bounding(|class| class.cpu, u128::from(Share::ONE.units()) << Yield::BITS).max(1)
    }
    /// The least number of units of the resource of this place at full speed that can do no less than those of all nodes.
    ///
    /// # Panics
    /// If there is no such resource.
    pub fn bounding_units(&self, resource: usize) -> u32 {
        self.bounding(|class| class.amounts[resource].into(), Yield::ONE.units().into())
    }
    /// An amount of all nodes times their speeds, in wholes, rounded up.
    fn bounding(&self, amount: impl Fn(&NodeClass) -> u64, whole: u128) -> u32 {
        let of = |class: &NodeClass| {
            u128::from(class.nodes) * u128::from(amount(class)) * u128::from(class.speed.units())
        };
        u32::try_from(self.classes.iter().map(of).sum::<u128>().div_ceil(whole)).unwrap_or(u32::MAX)
    }
}

/// Unequal nodes, and what jobs ask of them.
#[derive(Clone, Debug, PartialEq)]
pub struct UnequalNodes {
    /// The nodes.
    pub classes: NodeClasses,
    /// What jobs ask for.
    pub demands: Demands,
}

impl UnequalNodes {
    /// What the tasks of a job ask for beside CPU and memory.
    pub fn demand(&self, job: &Job) -> Demand {
        self.demands.of(&self.classes, job)
    }
}
