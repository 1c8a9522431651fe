//! Memory and CPU left on nodes, for policies that place jobs by both.

use crate::{JobHandle, NodeRange, Placement, View};
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::{NodeId, Share};
use std::cmp::Reverse;

/// Memory and CPU left on each node while a policy makes a decision, for jobs that run at full speed
/// or not at all.
///
/// It is for nodes that are equal apart from being up or down; a policy must refuse others
/// ([`View::classes`], [`NodeClasses::are_equal`]). Licences and the power under a cap, which the cluster
/// has as a whole, count too: a job that has none left does not fit.
///
/// ```
/// use dfrsim_cluster::{Decision, FreeNodes, NodeOrder, Scheduler, Situation};
/// use dfrsim_model::Yield;
///
/// /// Starts each job that fits, in order of submission, on the fullest nodes.
/// struct FirstFit;
///
/// impl Scheduler for FirstFit {
///     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
///         let view = situation.view;
///         let mut free = FreeNodes::besides_running(view);
///         for &job in view.jobs().iter().filter(|&&job| view.job(job).placement().is_empty()) {
///             if let Some(nodes) = free.place(view, job, NodeOrder::Fullest) {
///                 decision.start(job, nodes, Yield::ONE);
///             }
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct FreeNodes {
    nodes: Vec<FreeNode>,
    /// Resources of the whole cluster, if it has any.
    common: Option<Box<FreeCommon>>,
}

/// Resources of the whole cluster while a policy makes a decision. Jobs hold licences as they hold memory,
/// and power as they hold CPU.
#[derive(Clone, Debug)]
struct FreeCommon {
    /// True for the power under a cap, which is in proportion to the yield.
    is_power: Vec<bool>,
    /// Amounts that there are, and those that jobs have.
    amounts: Vec<u64>,
    in_use: Vec<u64>,
}

impl FreeCommon {
    /// Returns what an idle cluster has as a whole, given the amount of each resource; `None` if there is
    /// none.
    fn new(view: View<'_>, amount: impl Fn(&CommonResource) -> u64) -> Option<Box<FreeCommon>> {
        let resources = view.classes().map(NodeClasses::common).filter(|resources| !resources.is_empty())?;
        Some(Box::new(FreeCommon {
            is_power: resources.iter().map(|resource| resource.demand == CommonDemand::Draw).collect(),
            amounts: resources.iter().map(amount).collect(),
            in_use: vec![0; resources.len()],
        }))
    }
    /// Changes the amounts of one kind, power or the others, by those of a job.
    fn change(&mut self, view: View<'_>, job: JobHandle, power: bool, change: impl Fn(&mut u64, u64)) {
        let demands = view.demand(job).into_iter().flat_map(|demand| &demand.common);
        for ((in_use, amount), is_power) in self.in_use.iter_mut().zip(demands).zip(&self.is_power) {
            if *is_power == power {
                change(in_use, *amount);
            }
        }
    }
    /// Returns whether enough is left for a job, of one kind, power or the others, or of both.
    fn suffices(&self, view: View<'_>, job: JobHandle, power: Option<bool>) -> bool {
        let demands = view.demand(job).into_iter().flat_map(|demand| &demand.common);
        let mut all = self.in_use.iter().zip(&self.amounts).zip(&self.is_power).zip(demands);
        all.all(|(((in_use, amount), is_power), demand)| {
            *demand == 0 || power.is_some_and(|power| power != *is_power) || in_use + demand <= *amount
        })
    }
}

/// Order in which nodes are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeOrder {
    /// The nodes with the least memory and CPU left first.
    Fullest,
    /// The nodes with the most CPU left first, and the most memory among these.
    LeastLoaded,
}

#[derive(Clone, Copy, Debug)]
struct FreeNode {
    is_up: bool,
    memory: u32,
    cpu: u32,
    /// Sum of the CPU needs of the tasks in its memory, in share units.
    load: u64,
}

impl FreeNodes {
    /// Returns all nodes, as if no job ran and no node were down, with what the cluster has as a whole
    /// after the last change.
    #[must_use]
    pub fn all(view: View<'_>) -> FreeNodes {
        let node = FreeNode { is_up: true, memory: Share::ONE.units(), cpu: Share::ONE.units(), load: 0 };
        let common = FreeCommon::new(view, CommonResource::lasting_amount);
        FreeNodes { nodes: vec![node; view.nodes() as usize], common }
    }
    /// Returns the nodes that are up, as if no job ran, with what the cluster has as a whole now.
    #[must_use]
    pub fn empty(view: View<'_>) -> FreeNodes {
        let mut free = FreeNodes::all(view);
        if free.common.is_some() {
            free.common = FreeCommon::new(view, |resource| resource.amount_at(view.now()));
        }
        if view.has_outages() {
            for (node, own) in (0..).zip(&mut free.nodes) {
                own.is_up = view.is_up(NodeId(node));
            }
        }
        free
    }

    /// Returns what the running jobs leave, each of them at full speed.
    #[must_use]
    pub fn besides_running(view: View<'_>) -> FreeNodes {
        let mut free = FreeNodes::empty(view);
        for &job in view.jobs() {
            free.occupy(view, job, view.job(job).placement());
        }
        free
    }

    /// Takes memory and CPU for the tasks of a job.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        self.occupy_memory(view, job, placement);
        self.occupy_cpu(view, job, placement);
    }
    /// Takes memory for the tasks of a job, which may have any yield, even 0. Their needs count as load.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy_memory(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let (memory, need) = (view.job(job).memory().units(), view.job(job).cpu_need().units());
        for part in placement {
            let node = &mut self.nodes[part.node.index()];
            node.memory -= memory * part.tasks;
            node.load += u64::from(need) * u64::from(part.tasks);
        }
        self.change_common(view, job, placement, false, |in_use, amount| *in_use += amount);
    }
    /// Takes CPU for the tasks of a job.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy_cpu(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let each = view.job(job).cpu_need().units();
        for part in placement {
            self.nodes[part.node.index()].cpu -= each * part.tasks;
        }
        self.change_common(view, job, placement, true, |in_use, amount| *in_use += amount);
    }
    /// Changes what jobs have of the resources of the whole cluster by that of a job that is placed.
    fn change_common(
        &mut self,
        view: View<'_>,
        job: JobHandle,
        placement: Placement<'_>,
        power: bool,
        change: impl Fn(&mut u64, u64),
    ) {
        if let Some(common) = self.common.as_mut().filter(|_| !placement.is_empty()) {
            common.change(view, job, power, change);
        }
    }
    /// Returns memory and CPU of the tasks of a job.
    pub fn vacate(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        self.vacate_memory(view, job, placement);
        let each = view.job(job).cpu_need().units();
        for part in placement {
            self.nodes[part.node.index()].cpu += each * part.tasks;
        }
        self.change_common(view, job, placement, true, |in_use, amount| *in_use -= amount);
    }
    /// Returns memory of the tasks of a job.
    pub fn vacate_memory(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let (memory, need) = (view.job(job).memory().units(), view.job(job).cpu_need().units());
        for part in placement {
            let node = &mut self.nodes[part.node.index()];
            node.memory += memory * part.tasks;
            node.load -= u64::from(need) * u64::from(part.tasks);
        }
        self.change_common(view, job, placement, false, |in_use, amount| *in_use -= amount);
    }

    /// Returns whether the nodes of a placement have the CPU for the tasks of a job, and the cluster has
    /// the power.
    #[must_use]
    pub fn has_cpu(&self, view: View<'_>, job: JobHandle, placement: Placement<'_>) -> bool {
        let each = view.job(job).cpu_need().units();
        self.common.as_ref().is_none_or(|common| common.suffices(view, job, Some(true)))
            && placement.into_iter().all(|part| {
                u64::from(self.nodes[part.node.index()].cpu) >= u64::from(each) * u64::from(part.tasks)
            })
    }

    /// Counts the tasks of a job that fit on a node, by memory and CPU.
    fn tasks_that_fit(&self, view: View<'_>, job: JobHandle, node: usize) -> u32 {
        let (job, FreeNode { is_up, memory, cpu, load: _ }) = (view.job(job), self.nodes[node]);
        let by = |free: u32, each: Share| free.checked_div(each.units()).unwrap_or(u32::MAX);
        if is_up { by(memory, job.memory()).min(by(cpu, job.cpu_need())) } else { 0 }
    }

    /// Returns whether all tasks of a job fit.
    #[must_use]
    pub fn fits(&self, view: View<'_>, job: JobHandle) -> bool {
        let tasks = u64::from(view.job(job).tasks());
        if self.common.as_ref().is_some_and(|common| !common.suffices(view, job, None)) {
            return false;
        }
        (0..self.nodes.len()).map(|node| u64::from(self.tasks_that_fit(view, job, node))).sum::<u64>()
            >= tasks
    }

    /// Places the tasks of a job, as many on each node as fit; returns their nodes in ascending order.
    /// `None`, without a change, if they do not all fit.
    #[must_use]
    pub fn place(&mut self, view: View<'_>, job: JobHandle, order: NodeOrder) -> Option<Vec<NodeRange>> {
        if !self.fits(view, job) {
            return None;
        }
        let mut nodes: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| self.tasks_that_fit(view, job, node) > 0).collect();
        let left = |node: usize| (self.nodes[node].memory, self.nodes[node].cpu);
        match order {
            NodeOrder::Fullest => nodes.sort_by_key(|&node| {
                let (memory, cpu) = left(node);
                (u64::from(memory) + u64::from(cpu), node)
            }),
            NodeOrder::LeastLoaded => nodes.sort_by_key(|&node| {
                let (memory, cpu) = left(node);
                (Reverse((cpu, memory)), node)
            }),
        }
        let mut missing = view.job(job).tasks();
        let mut parts: Vec<NodeRange> = Vec::new();
        for node in nodes {
            let tasks = self.tasks_that_fit(view, job, node).min(missing);
            parts.push(NodeRange { first: NodeId(node as u32), nodes: 1, tasks });
            missing -= tasks;
            if missing == 0 {
                break;
            }
        }
        parts.sort_unstable_by_key(|part| part.first);
        self.occupy(view, job, Placement::new(&parts));
        Some(parts)
    }

    /// Places the tasks of a job by memory alone, one after the other on the node with the lowest load
    /// that has memory for it (ties: the lowest node), as Greedy does (dissertation, section 5.2.1).
    /// Returns their nodes in ascending order; `None`, without a change, if they do not all fit.
    #[must_use]
    pub fn place_in_memory(&mut self, view: View<'_>, job: JobHandle) -> Option<Vec<NodeRange>> {
        let (memory, need) = (view.job(job).memory().units(), view.job(job).cpu_need().units());
        if self.common.as_ref().is_some_and(|common| !common.suffices(view, job, Some(false))) {
            return None;
        }
        let mut after: Vec<FreeNode> = self.nodes.clone();
        let mut tasks_on = vec![0; after.len()];
        for _ in 0..view.job(job).tasks() {
            let has_room = |node: &(usize, &mut FreeNode)| node.1.is_up && node.1.memory >= memory;
            let nodes = after.iter_mut().enumerate().filter(has_room);
            let (node, own) = nodes.min_by_key(|(node, own)| (own.load, *node))?;
            own.memory -= memory;
            own.load += u64::from(need);
            tasks_on[node] += 1;
        }
        self.nodes = after;
        if let Some(common) = &mut self.common {
            common.change(view, job, false, |in_use, amount| *in_use += amount);
        }
        let parts = (0..).zip(tasks_on).filter(|(_, tasks)| *tasks > 0);
        Some(parts.map(|(node, tasks)| NodeRange { first: NodeId(node), nodes: 1, tasks }).collect())
    }

    /// Chooses running jobs that must leave so that a job fits: the first ones of `candidates` that
    /// suffice, without those that need not leave after all, of which the last ones are kept first.
    /// Returns their indices in ascending order; `None` if not even all of them suffice.
    ///
    /// Nothing is changed. The candidates must be placed and counted as [running](FreeNodes::occupy).
    #[must_use]
    pub fn victims(&self, view: View<'_>, job: JobHandle, candidates: &[JobHandle]) -> Option<Vec<usize>> {
        let mut after = self.clone();
        let mut off = Vec::new();
        candidates.iter().enumerate().find(|(at, other)| {
            after.vacate(view, **other, view.job(**other).placement());
            off.push(*at);
            after.fits(view, job)
        })?;
        let mut leaving = Vec::new();
        for at in off.into_iter().rev() {
            let other = candidates[at];
            after.occupy(view, other, view.job(other).placement());
            if !after.fits(view, job) {
                after.vacate(view, other, view.job(other).placement());
                leaving.push(at);
            }
        }
        leaving.reverse();
        Some(leaving)
    }
}
