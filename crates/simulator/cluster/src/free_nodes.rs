//! Memory and CPU left on nodes, for policies that place jobs by both.

use crate::{JobHandle, NodeRange, Placement, View};
use dfrsim_model::{NodeId, Share};
use std::cmp::Reverse;

/// Memory and CPU left on each node while a policy makes a decision, for jobs that run at full speed
/// or not at all.
///
/// It is for nodes that are equal apart from being up or down; a policy must refuse others
/// ([`View::classes`]).
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
pub struct FreeNodes(Vec<FreeNode>);

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
    /// Returns all nodes, as if no job ran and no node were down.
    #[must_use]
    pub fn all(view: View<'_>) -> FreeNodes {
        let node = FreeNode { is_up: true, memory: Share::ONE.units(), cpu: Share::ONE.units(), load: 0 };
        FreeNodes(vec![node; view.nodes() as usize])
    }
    /// Returns the nodes that are up, as if no job ran.
    #[must_use]
    pub fn empty(view: View<'_>) -> FreeNodes {
        let mut free = FreeNodes::all(view);
        if view.has_outages() {
            for (node, own) in (0..).zip(&mut free.0) {
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
            let node = &mut self.0[part.node.index()];
            node.memory -= memory * part.tasks;
            node.load += u64::from(need) * u64::from(part.tasks);
        }
    }
    /// Takes CPU for the tasks of a job.
    ///
    /// # Panics
    ///
    /// If the tasks do not fit.
    pub fn occupy_cpu(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let each = view.job(job).cpu_need().units();
        for part in placement {
            self.0[part.node.index()].cpu -= each * part.tasks;
        }
    }
    /// Returns memory and CPU of the tasks of a job.
    pub fn vacate(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        self.vacate_memory(view, job, placement);
        let each = view.job(job).cpu_need().units();
        for part in placement {
            self.0[part.node.index()].cpu += each * part.tasks;
        }
    }
    /// Returns memory of the tasks of a job.
    pub fn vacate_memory(&mut self, view: View<'_>, job: JobHandle, placement: Placement<'_>) {
        let (memory, need) = (view.job(job).memory().units(), view.job(job).cpu_need().units());
        for part in placement {
            let node = &mut self.0[part.node.index()];
            node.memory += memory * part.tasks;
            node.load -= u64::from(need) * u64::from(part.tasks);
        }
    }

    /// Returns whether the nodes of a placement have the CPU for the tasks of a job.
    #[must_use]
    pub fn has_cpu(&self, view: View<'_>, job: JobHandle, placement: Placement<'_>) -> bool {
        let each = view.job(job).cpu_need().units();
        placement
            .into_iter()
            .all(|part| u64::from(self.0[part.node.index()].cpu) >= u64::from(each) * u64::from(part.tasks))
    }

    /// Counts the tasks of a job that fit on a node, by memory and CPU.
    fn tasks_that_fit(&self, view: View<'_>, job: JobHandle, node: usize) -> u32 {
        let (job, FreeNode { is_up, memory, cpu, load: _ }) = (view.job(job), self.0[node]);
        let by = |free: u32, each: Share| free.checked_div(each.units()).unwrap_or(u32::MAX);
        if is_up { by(memory, job.memory()).min(by(cpu, job.cpu_need())) } else { 0 }
    }

    /// Returns whether all tasks of a job fit.
    #[must_use]
    pub fn fits(&self, view: View<'_>, job: JobHandle) -> bool {
        let tasks = u64::from(view.job(job).tasks());
        (0..self.0.len()).map(|node| u64::from(self.tasks_that_fit(view, job, node))).sum::<u64>() >= tasks
    }

    /// Places the tasks of a job, as many on each node as fit; returns their nodes in ascending order.
    /// `None`, without a change, if they do not all fit.
    #[must_use]
    pub fn place(&mut self, view: View<'_>, job: JobHandle, order: NodeOrder) -> Option<Vec<NodeRange>> {
        if !self.fits(view, job) {
            return None;
        }
        let mut nodes: Vec<usize> =
            (0..self.0.len()).filter(|&node| self.tasks_that_fit(view, job, node) > 0).collect();
        let left = |node: usize| (self.0[node].memory, self.0[node].cpu);
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
        let mut after: Vec<FreeNode> = self.0.clone();
        let mut tasks_on = vec![0; after.len()];
        for _ in 0..view.job(job).tasks() {
            let has_room = |node: &(usize, &mut FreeNode)| node.1.is_up && node.1.memory >= memory;
            let nodes = after.iter_mut().enumerate().filter(has_room);
            let (node, own) = nodes.min_by_key(|(node, own)| (own.load, *node))?;
            own.memory -= memory;
            own.load += u64::from(need);
            tasks_on[node] += 1;
        }
        self.0 = after;
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
