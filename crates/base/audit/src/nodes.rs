//! The use of each node.

use crate::Rule;
use dfrsim_model::{Share, Yield};

/// The whole memory of a node, in share units.
const MEMORY: u128 = Share::ONE.units() as u128;
/// The whole CPU of a node, in share units * yield units.
const CPU: u128 = MEMORY << Yield::BITS;

/// The amount that one task takes of its node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskUse {
    pub(crate) cpu: u128,
    pub(crate) memory: u128,
}

impl TaskUse {
    pub(crate) fn of(need: u32, memory: u32, job_yield: u32) -> TaskUse {
        TaskUse { cpu: u128::from(need) * u128::from(job_yield), memory: u128::from(memory) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    cpu: u128,
    memory: u128,
    /// Whether it changed in this moment.
    touched: bool,
    /// The line and job that last added to it.
    by: (u64, u64),
}

/// All nodes up to the highest in use. They are judged once a moment, when all of its changes are applied.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    touched: Vec<u32>,
    peak_cpu: u128,
    peak_memory: u128,
    /// CPU and memory of nodes in turn, in share units, where they differ.
    capacities: Option<Vec<(u64, u64)>>,
}

/// A node that has been given too much.
#[derive(Debug)]
pub(crate) struct Overcommitted {
    pub(crate) line: u64,
    pub(crate) job: u64,
    pub(crate) rule: Rule,
}

impl Nodes {
    /// Nodes have these capacities.
    pub(crate) fn differ(&mut self, capacities: Vec<(u64, u64)>) {
        self.capacities = Some(capacities);
    }

    /// Puts tasks of a job on nodes, as a line records it.
    pub(crate) fn add(&mut self, placement: &[(u32, u32)], task: TaskUse, line: u64, job: u64) {
        for &(index, tasks) in placement {
            let node = self.touch(index);
            node.cpu += task.cpu * u128::from(tasks);
            node.memory += task.memory * u128::from(tasks);
            node.by = (line, job);
        }
    }

    /// Takes away what was added before.
    pub(crate) fn remove(&mut self, placement: &[(u32, u32)], task: TaskUse) {
        for &(index, tasks) in placement {
            let node = self.touch(index);
            node.cpu -= task.cpu * u128::from(tasks);
            node.memory -= task.memory * u128::from(tasks);
        }
    }

    fn touch(&mut self, index: u32) -> &mut Node {
        let place = index as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, Node::default());
        }
        let node = &mut self.nodes[place];
        if !node.touched {
            node.touched = true;
            self.touched.push(index);
        }
        node
    }

    /// Judges the nodes that changed in this moment.
    pub(crate) fn settle(&mut self, mut fault: impl FnMut(Overcommitted)) {
        for node in self.touched.drain(..) {
            let Node { cpu: of_cpu, memory: of_memory, touched, by: (line, job) } =
                &mut self.nodes[node as usize];
            *touched = false;
            let (mut whole_cpu, mut whole_memory) = (CPU, MEMORY);
            if let Some(&(cpu, memory)) = self.capacities.as_ref().and_then(|all| all.get(node as usize)) {
                (whole_cpu, whole_memory) = (u128::from(cpu) << Yield::BITS, u128::from(memory));
                self.peak_cpu = self.peak_cpu.max(*of_cpu * CPU / whole_cpu.max(1));
                self.peak_memory = self.peak_memory.max(*of_memory * MEMORY / whole_memory.max(1));
            } else {
                self.peak_cpu = self.peak_cpu.max(*of_cpu);
                self.peak_memory = self.peak_memory.max(*of_memory);
            }
            let mut over = |rule| fault(Overcommitted { line: *line, job: *job, rule });
            let part = |amount: u128, whole: u128| amount as f64 / whole as f64;
            if *of_memory > whole_memory {
                let (used, has) = (part(*of_memory, MEMORY), part(whole_memory, MEMORY));
                over(Rule::Memory { node, used, has });
            }
            if *of_cpu > whole_cpu {
                let (used, has) = (part(*of_cpu, CPU), part(whole_cpu, CPU));
                over(Rule::Cpu { node, used, has });
            }
        }
    }

    /// The largest part of a node's CPU that was in use at once.
    pub(crate) fn peak_cpu(&self) -> f64 {
        self.peak_cpu as f64 / CPU as f64
    }

    /// The largest part of a node's memory that was in use at once.
    pub(crate) fn peak_memory(&self) -> f64 {
        self.peak_memory as f64 / MEMORY as f64
    }
}
