//! Memory and CPU left on nodes, as plain lists.

use crate::nodes::{Size, TasksByNode};
use dfrsim_model::Share;

const ONE: u64 = Share::ONE.units() as u64;

/// Memory and CPU need of a task, in share units.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Task {
    memory: u64,
    cpu: u64,
}

impl Task {
    pub(super) fn new(size: &Size) -> Task {
        Task { memory: size.held[0], cpu: size.used[1] }
    }
}

#[derive(Clone, Copy, Debug)]
struct FreeNode {
    is_closed: bool,
    memory: u64,
    cpu: u64,
}

/// All nodes by number.
#[derive(Clone, Debug)]
pub(super) struct FreeNodes(Vec<FreeNode>);

impl FreeNodes {
    /// Creates nodes without tasks, given those that take no job.
    pub(super) fn new(closed: &[bool]) -> FreeNodes {
        FreeNodes(closed.iter().map(|&is_closed| FreeNode { is_closed, memory: ONE, cpu: ONE }).collect())
    }
    /// Creates that many nodes without tasks, all of which take jobs.
    pub(super) fn all(nodes: usize) -> FreeNodes {
        FreeNodes::new(&vec![false; nodes])
    }

    /// Takes the memory of tasks. A record that overloads a node leaves nothing of it.
    pub(super) fn take_memory(&mut self, task: Task, on: &[(u32, u32)]) {
        for &(node, tasks) in on {
            let memory = &mut self.0[node as usize].memory;
            *memory = memory.saturating_sub(task.memory * u64::from(tasks));
        }
    }
    /// Takes the CPU of tasks. A record that overloads a node leaves nothing of it.
    pub(super) fn take_cpu(&mut self, task: Task, on: &[(u32, u32)]) {
        for &(node, tasks) in on {
            let cpu = &mut self.0[node as usize].cpu;
            *cpu = cpu.saturating_sub(task.cpu * u64::from(tasks));
        }
    }
    /// Takes memory and CPU of tasks.
    pub(super) fn take(&mut self, task: Task, on: &[(u32, u32)]) {
        self.take_memory(task, on);
        self.take_cpu(task, on);
    }

    /// Returns whether given nodes have the CPU for tasks.
    pub(super) fn has_cpu(&self, task: Task, on: &[(u32, u32)]) -> bool {
        on.iter().all(|&(node, tasks)| self.0[node as usize].cpu >= task.cpu * u64::from(tasks))
    }

    /// Counts the tasks that fit on a node.
    fn count(&self, task: Task, node: usize) -> u64 {
        let FreeNode { is_closed, memory, cpu } = self.0[node];
        let by = |free: u64, each: u64| free.checked_div(each).unwrap_or(u64::MAX);
        if is_closed { 0 } else { by(memory, task.memory).min(by(cpu, task.cpu)) }
    }

    /// Returns whether that many tasks fit.
    pub(super) fn fits(&self, task: Task, tasks: u32) -> bool {
        let all = u64::from(tasks);
        (0..self.0.len()).map(|node| self.count(task, node).min(all)).sum::<u64>() >= all
    }

    /// Places tasks on the nodes with the least memory and CPU left, as many on each as fit, and takes
    /// their resources; `None`, without a change, if they do not all fit.
    pub(super) fn place(&mut self, task: Task, tasks: u32) -> Option<TasksByNode> {
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
