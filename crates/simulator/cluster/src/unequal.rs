//! Nodes that differ, and what jobs ask of them beside CPU and memory.

use crate::node_loads::NodeLoads;
use crate::{JobHandle, NodeRange, Placement, Rule};
use dfrsim_model::platform::classes::{Demand, NodeClasses, UnequalNodes};
use dfrsim_model::{Job, NodeId, Share, Yield};
use std::sync::Arc;

/// What a cluster of equal nodes does not have. CPU and memory in use are with the [`NodeLoads`] of all clusters.
#[derive(Debug)]
pub(crate) struct Unequal {
    nodes: Arc<UnequalNodes>,
    /// By handle.
    demands: Vec<Demand>,
    /// What is in use of each resource, in units of 2^-20 share units of one: all resources of a node, then those of the next.
    used: Vec<u128>,
}

impl Unequal {
    pub(crate) fn new(nodes: Arc<UnequalNodes>) -> Unequal {
        let classes = &nodes.classes;
        let used = vec![0; classes.nodes() as usize * classes.resources().len()];
        Unequal { nodes, demands: Vec::new(), used }
    }
    pub(crate) fn classes(&self) -> &NodeClasses {
        &self.nodes.classes
    }
    pub(crate) fn demand(&self, job: JobHandle) -> &Demand {
        &self.demands[job.index()]
    }

    /// A job arrives.
    pub(crate) fn submit(&mut self, handle: JobHandle, job: &Job) {
        if self.demands.len() <= handle.index() {
            self.demands.resize_with(handle.index() + 1, Demand::default);
        }
        self.demands[handle.index()] = self.nodes.demand(job);
    }

    /// The speed of the slowest of these nodes.
    pub(crate) fn speed_on(&self, placement: Placement<'_>) -> Yield {
        let classes = self.classes();
        let of_range = |range: &NodeRange| {
            let nodes = range.indices();
            let (first, last) =
                (classes.class_of(nodes.start as u32), classes.class_of(nodes.end as u32 - 1));
            classes.classes()[first..=last].iter().map(|class| class.speed).min()
        };
        placement.ranges().iter().filter_map(of_range).min().unwrap_or(Yield::ONE)
    }

    fn change(
        &mut self,
        job: JobHandle,
        placement: Placement<'_>,
        at: Yield,
        change: impl Fn(&mut u128, u128),
    ) {
        let (resources, demand) = (self.nodes.classes.resources(), &self.demands[job.index()]);
        if demand.resources.iter().all(|asked| asked.count == 0) {
            return;
        }
        for part in placement {
            let first = part.node.index() * resources.len();
            let used = &mut self.used[first..first + resources.len()];
            for ((used, resource), asked) in used.iter_mut().zip(resources).zip(&demand.resources) {
                let held = u128::from(asked.held(resource.sharing)) << Yield::BITS;
                let shared = u128::from(asked.usable(resource.sharing)) * u128::from(at.units());
                change(used, u128::from(part.tasks) * (held + shared));
            }
        }
    }
    /// Tasks of a job come, at a yield.
    pub(crate) fn add(&mut self, job: JobHandle, placement: Placement<'_>, at: Yield) {
        self.change(job, placement, at, |used, more| *used += more);
    }
    /// Takes away what was added.
    pub(crate) fn remove(&mut self, job: JobHandle, placement: Placement<'_>, at: Yield) {
        self.change(job, placement, at, |used, less| *used -= less);
    }

    /// The first rule that a job breaks on its nodes: a feature is missing, or a capacity exceeded.
    pub(crate) fn fault(&self, job: JobHandle, placement: Placement<'_>, loads: &NodeLoads) -> Option<Rule> {
        placement.iter().find_map(|part| self.fault_on(job, part.node, loads))
    }
    fn fault_on(&self, job: JobHandle, node: NodeId, loads: &NodeLoads) -> Option<Rule> {
        let classes = self.classes();
        let place = classes.class_of(node.0);
        let class = &classes.classes()[place];
        if let Some(missing) = classes.names_of(self.demand(job).features & !class.features).next() {
            return Some(Rule::Feature(node, missing.into()));
        }
        if loads.memory_in_use(node) > class.memory {
            return Some(Rule::Memory(node));
        }
        if loads.cpu_in_use(node) > classes.cpu(place) {
            return Some(Rule::Cpu(node));
        }
        let resources = classes.resources();
        let used = &self.used[node.index() * resources.len()..];
        let exceeded = resources.iter().zip(used).zip(&class.amounts).find(|((_, used), amount)| {
            let whole = u128::from(Share::ONE.units()) << Yield::BITS;
            **used > u128::from(**amount) * whole
        });
        exceeded.map(|((resource, _), _)| Rule::Resource(node, Arc::clone(&resource.name)))
    }
}
