//! Memory and CPU left on nodes, as plain lists.

use crate::nodes::{Size, TasksByNode};
use dfrsim_model::Share;

const ONE: u64 = Share::ONE.units() as u64;

/// Memory and CPU need of a task, in share units, and what all tasks of the job have of the resources of
/// the whole cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    memory: u64,
    cpu: u64,
    common: Vec<u64>,
}

impl Task {
    pub(super) fn new(size: &Size) -> Task {
        Task { memory: size.held[0], cpu: size.used[1], common: size.common.clone() }
    }
}

/// Resource of the whole cluster: what there is of it, and what jobs have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub(super) is_power: bool,
    pub(super) amount: u64,
    pub(super) in_use: u64,
}

#[derive(Clone, Copy, Debug)]
struct FreeNode {
    is_closed: bool,
    memory: u64,
    cpu: u64,
}

/// All nodes by number.
#[derive(Clone, Debug)]
pub(super) struct FreeNodes(Vec<FreeNode>, Vec<Amount>);

impl FreeNodes {
    /// Creates nodes without tasks, given those that take no job and what the cluster has as a whole.
    pub(super) fn new(closed: &[bool], common: &[Amount]) -> FreeNodes {
        let node = |&is_closed: &bool| FreeNode { is_closed, memory: ONE, cpu: ONE };
        FreeNodes(closed.iter().map(node).collect(), common.to_vec())
    }
    /// Creates that many nodes without tasks, all of which take jobs.
    pub(super) fn all(nodes: usize, common: &[Amount]) -> FreeNodes {
        FreeNodes::new(&vec![false; nodes], common)
    }

    /// Takes what a job has of the cluster as a whole: power, or what it holds at any yield.
    fn take_common(&mut self, task: &Task, power: bool) {
        let own = self.1.iter_mut().zip(&task.common).filter(|(it, _)| it.is_power == power);
        own.for_each(|(it, amount)| it.in_use += amount);
    }
    /// Returns whether the cluster has enough power for a job, and, if `held`, enough of all else.
    fn has_common(&self, task: &Task, held: bool) -> bool {
        let mut all = self.1.iter().zip(&task.common).filter(|(it, _)| held || it.is_power);
        all.all(|(it, &amount)| amount == 0 || it.in_use + amount <= it.amount)
    }

    /// Takes the memory of tasks. A record that overloads a node leaves nothing of it.
    pub(super) fn take_memory(&mut self, task: &Task, on: &[(u32, u32)]) {
        for &(node, tasks) in on {
            let memory = &mut self.0[node as usize].memory;
            *memory = memory.saturating_sub(task.memory * u64::from(tasks));
        }
        self.take_common(task, false);
    }
    /// Takes the CPU of tasks. A record that overloads a node leaves nothing of it.
    pub(super) fn take_cpu(&mut self, task: &Task, on: &[(u32, u32)]) {
        for &(node, tasks) in on {
            let cpu = &mut self.0[node as usize].cpu;
            *cpu = cpu.saturating_sub(task.cpu * u64::from(tasks));
        }
        self.take_common(task, true);
    }
    /// Takes memory and CPU of tasks.
    pub(super) fn take(&mut self, task: &Task, on: &[(u32, u32)]) {
        self.take_memory(task, on);
        self.take_cpu(task, on);
    }

    /// Returns whether given nodes have the CPU for tasks, and the cluster the power.
    pub(super) fn has_cpu(&self, task: &Task, on: &[(u32, u32)]) -> bool {
        let has_cpu = |&(node, tasks): &(u32, u32)| self.0[node as usize].cpu >= task.cpu * u64::from(tasks);
        self.has_common(task, false) && on.iter().all(has_cpu)
    }

    /// Counts the tasks that fit on a node.
    fn count(&self, task: &Task, node: usize) -> u64 {
        let FreeNode { is_closed, memory, cpu } = self.0[node];
        let by = |free: u64, each: u64| free.checked_div(each).unwrap_or(u64::MAX);
        if is_closed { 0 } else { by(memory, task.memory).min(by(cpu, task.cpu)) }
    }

    /// Returns whether that many tasks fit.
    pub(super) fn fits(&self, task: &Task, tasks: u32) -> bool {
        let all = u64::from(tasks);
        self.has_common(task, true)
            && (0..self.0.len()).map(|node| self.count(task, node).min(all)).sum::<u64>() >= all
    }

    /// Places tasks on the nodes with the least memory and CPU left, as many on each as fit, and takes
    /// their resources; `None`, without a change, if they do not all fit.
    pub(super) fn place(&mut self, task: &Task, tasks: u32) -> Option<TasksByNode> {
        if !self.has_common(task, true) {
            return None;
        }
        let mut nodes: Vec<usize> = (0..self.0.len()).filter(|&node| self.count(task, node) > 0).collect();
        nodes.sort_by_key(|&node| (self.0[node].memory + self.0[node].cpu, node));
        let (mut on, mut missing) = (TasksByNode::new(), tasks);
        for node in nodes {
            let here = self.count(task, node).min(missing.into()) as u32;
            missing -= here;
            if here > 0 {
                on.push((node as u32, here));
            }
        }
        if missing > 0 {
            return None;
        }
        on.sort_unstable();
        self.take(task, &on);
        Some(on)
    }
}
