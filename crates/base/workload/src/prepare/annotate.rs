//! Annotation: conversion of processors to tasks with CPU needs and memory.

use crate::log::Record;
use crate::lublin::{CpuNeeds, MemoryModel, MemoryStream};
use dfrsim_model::named;
use dfrsim_model::{Seed, Share};
use serde::{Deserialize, Serialize};

/// The source of a job's tasks, CPU needs and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Annotation {
    /// One task per processor, where a processor is the unit: CPU need 1, no memory.
    #[default]
    None,
    /// Derived from the memory fields of the log, for multi-core nodes.
    Hpc2n(ClusterAssumptions),
    /// Assumptions of the Lublin model: CPU needs by size, random memory. A workload that was
    /// generated with this seed and these assumptions gets the original CPU needs and memory.
    Lublin {
        /// Seed of the workload, as a number for [`Seed::new`].
        seed: u64,
        /// CPU needs of tasks, as fractions of a node's CPU.
        #[serde(default)]
        cpu: CpuNeeds,
        /// Memory of tasks, as fractions of a node's memory.
        #[serde(default)]
        memory: MemoryModel,
    },
}

/// Nodes on which the jobs of a log with memory fields are laid out.
///
/// The memory of a processor is the larger of fields 7 and 10, at least the floor and at most a
/// node. Processors become tasks as [`Join`] specifies. The floor applies to each processor, unless
/// the floors of a node's cores fill the node (ten or more cores with the default floor); in that
/// case it applies to each task. The default is that of the HPC2N study: dual-core nodes of 2 GiB,
/// floor 0.1 (dissertation, section 5.3.1). The treatment of other numbers of cores is an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterAssumptions {
    /// Processors per node; 0 counts as 1.
    pub cores: u32,
    /// Memory per node in kilobytes; with 0 every task gets the memory of a whole node.
    pub memory_kb: u64,
    /// Minimum memory of a task before tasks are joined, in tenths of a node; more than 10 counts as
    /// 10.
    pub floor_tenths: u32,
    /// Conversion of processors to tasks; the default is [`Join::Even`] on dual-core nodes and
    /// [`Join::Spread`] on others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
}

named! {
    /// The rule by which the processors of a job become tasks on multi-core nodes.
    pub enum Join as "join" {
        /// The study's rule. If the processors fill nodes evenly, and the memory of a full node's
        /// processors is strictly less than a node, each task has the processors of a node and CPU
        /// need 1. Otherwise each task is one processor with CPU need 1/cores. Batch policies give a
        /// node to each task.
        Even = "even",
        /// A job is spread evenly over as few nodes as hold its processors and their memory: one
        /// task per node, all with equal CPU need and memory.
        Spread = "spread",
        /// One task per node that the job had in the log, with an equal part of its processors and
        /// their memory. Jobs whose nodes the log does not have are spread.
        Listed = "listed",
    }
}

impl Default for ClusterAssumptions {
    fn default() -> ClusterAssumptions {
        ClusterAssumptions { cores: 2, memory_kb: 2_097_152, floor_tenths: 1, join: None }
    }
}

/// Requested tasks of a job, with the CPU need and memory of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    pub(super) tasks: u32,
    pub(super) need: Share,
    pub(super) memory: Share,
    /// Resource of which a task needs more than a node has, if the tasks are those of the log.
    pub(super) lacking: Option<&'static str>,
}

/// Difference between amounts of memory in a log and in a configuration that is due to rounding: a
/// megabyte, in millionths of a kilobyte.
const ROUNDING: u128 = 1_024_000_000;

impl ClusterAssumptions {
    fn demand(&self, record: &Record, processors: u32) -> Demand {
        let cores = self.cores.max(1);
        let node = u64::from(Share::ONE.units());
        let floor = Share::from_ratio(u64::from(self.floor_tenths.min(10)), 10);
        let floors_fit = u64::from(floor.units()) * u64::from(cores) < node;
        let memory = self.known_memory(record).max(if floors_fit { floor } else { Share::ZERO });
        // Returns the memory of a task of that many processors, if it fits on a node.
        let joined = |processors: u32| {
            let units = u64::from(memory.units()) * u64::from(processors);
            (units <= node).then(|| Share::from_ratio(units, node).max(floor))
        };
        match self.join.unwrap_or(if cores == 2 { Join::Even } else { Join::Spread }) {
            Join::Even => match joined(cores).filter(|_| processors.is_multiple_of(cores)) {
                Some(memory) if memory < Share::ONE => {
                    Demand { tasks: processors / cores, need: Share::ONE, memory, lacking: None }
                }
                _ => {
                    let need = Share::from_ratio(1, u64::from(cores));
                    Demand { tasks: processors, need, memory: memory.max(floor), lacking: None }
                }
            },
            Join::Listed if record.nodes.is_some_and(|nodes| nodes <= processors) => {
                self.listed(record, processors, floor)
            }
            Join::Spread | Join::Listed => {
                let in_memory = Share::ONE.units().checked_div(memory.units()).unwrap_or(cores);
                let tasks = processors.div_ceil(cores.min(in_memory));
                let need = Share::from_ratio(u64::from(processors), u64::from(cores) * u64::from(tasks));
                let memory =
                    joined(processors.div_ceil(tasks)).expect("the tasks were sized to fit a node's memory");
                Demand { tasks, need, memory, lacking: None }
            }
        }
    }
    /// Returns a task for each node of the record. If the processors do not divide evenly, each task
    /// has those of the largest one, and its memory if a node has as much.
    fn listed(&self, record: &Record, processors: u32, floor: Share) -> Demand {
        let (cores, tasks) = (self.cores.max(1), record.nodes.unwrap_or(1));
        let each = processors.div_ceil(tasks);
        let (known, node) = (u128::from(memory_of(record)), u128::from(self.memory_kb) * 1_000_000);
        let (largest, mean) = (known * u128::from(each), known * u128::from(processors) / u128::from(tasks));
        let memory = if largest <= node { largest } else { mean };
        let share = (memory * u128::from(Share::ONE.units())).checked_div(node);
        let share = share.and_then(|units| Share::try_from_units(u32::try_from(units).ok()?));
        let lacking = match (each > cores, memory > node + ROUNDING && node > 0) {
            (true, _) => Some("cores"),
            (false, true) => Some("memory"),
            (false, false) => None,
        };
        let memory = share.unwrap_or(Share::ONE).max(floor);
        Demand {
            tasks,
            need: Share::from_ratio(u64::from(each.min(cores)), u64::from(cores)),
            memory,
            lacking,
        }
    }
    fn known_memory(&self, record: &Record) -> Share {
        const MILLION: u64 = 1_000_000;
        let known = memory_of(record);
        let node = self.memory_kb.saturating_mul(MILLION);
        if known < node { Share::from_ratio(known, node) } else { Share::ONE }
    }
}

/// Returns the memory of a processor, in millionths of a kilobyte; 0 if it is unknown.
fn memory_of(record: &Record) -> u64 {
    record.used_memory.max(record.requested_memory).unwrap_or_default().millionths()
}

/// Annotation of the jobs of one log, with the state of its random numbers.
pub(super) enum Annotator {
    None,
    Hpc2n(ClusterAssumptions),
    Lublin(CpuNeeds, Box<MemoryStream>),
}

impl Annotator {
    pub(super) fn new(annotation: &Annotation) -> Annotator {
        match *annotation {
            Annotation::None => Annotator::None,
            Annotation::Hpc2n(cluster) => Annotator::Hpc2n(cluster),
            Annotation::Lublin { seed, cpu, memory } => {
                Annotator::Lublin(cpu, Box::new(MemoryStream::new(Seed::new(seed), memory)))
            }
        }
    }
    /// Returns the demand of the job of the next line, with this number of processors. Must be
    /// called for every line in order, including lines that do not become jobs, since some
    /// annotations draw random numbers.
    pub(super) fn demand(&mut self, record: &Record, processors: u32) -> Demand {
        match self {
            Annotator::None => {
                Demand { tasks: processors, need: Share::ONE, memory: Share::ZERO, lacking: None }
            }
            Annotator::Hpc2n(cluster) => cluster.demand(record, processors),
            Annotator::Lublin(cpu, memory) => {
                let (need, memory) = (cpu.of(processors), memory.draw());
                Demand { tasks: processors, need, memory, lacking: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Kilobytes;
    use proptest::prelude::*;

    fn record(used: Option<u64>, requested: Option<u64>) -> Record {
        let kilobytes = |amount: Option<u64>| amount.map(|kb| Kilobytes::from_millionths(kb * 1_000_000));
        Record { used_memory: kilobytes(used), requested_memory: kilobytes(requested), ..Record::default() }
    }
    fn demand(used: Option<u64>, requested: Option<u64>, processors: u32) -> (u32, f64, f64) {
        let demand = ClusterAssumptions::default().demand(&record(used, requested), processors);
        (demand.tasks, demand.need.as_f64(), demand.memory.as_f64())
    }

    /// 2 GiB are 2,097,152 KB, so 524,288 KB are a quarter and 1,048,576 KB half a node.
    #[test]
    fn dual_core_nodes() {
        assert_eq!(demand(None, None, 4), (2, 1.0, 0.2), "unknown memory is a tenth, doubled");
        assert_eq!(demand(None, None, 3), (3, 0.5, 0.1), "odd sizes are not joined");
        assert_eq!(demand(Some(524_288), Some(100), 4), (2, 1.0, 0.5), "the larger field counts");
        assert_eq!(demand(Some(1_048_576), None, 4), (4, 0.5, 0.5), "half a node is too much to join");
        assert_eq!(demand(None, Some(9_999_999), 4), (4, 0.5, 1.0), "a task never has more than a node");
        let just_below = ClusterAssumptions::default().demand(&record(Some(1_048_575), None), 2);
        assert_eq!((just_below.tasks, just_below.memory), (1, Share::from_ratio(2_097_150, 2_097_152)));
    }

    /// Floors of 16 processors, a tenth each by default, fill a node of 16 cores, so the floor
    /// applies per task.
    #[test]
    fn nodes_of_many_cores_are_joined() {
        let sixteen = ClusterAssumptions { cores: 16, ..ClusterAssumptions::default() };
        let of = |cluster: ClusterAssumptions, used, processors| {
            let demand = cluster.demand(&record(used, None), processors);
            (demand.tasks, demand.need, demand.memory)
        };
        let tenth = Share::from_ratio(1, 10);
        assert_eq!(of(sixteen, None, 6_080), (380, Share::ONE, tenth), "a Curie job of 380 nodes");
        assert_eq!(of(sixteen, None, 17), (2, Share::from_ratio(17, 32), tenth), "two nodes share it evenly");
        assert_eq!(of(sixteen, None, 1), (1, Share::from_ratio(1, 16), tenth));
        assert_eq!(
            of(sixteen, Some(1 << 19), 6),
            (2, Share::from_ratio(6, 32), Share::from_ratio(3, 4)),
            "memory"
        );
        let even = ClusterAssumptions { join: Some(Join::Even), ..sixteen };
        assert_eq!(of(even, None, 6_080), (380, Share::ONE, tenth));
        assert_eq!(of(even, None, 17), (17, Share::from_ratio(1, 16), tenth));
        let free = ClusterAssumptions { floor_tenths: 0, ..sixteen };
        assert_eq!(of(free, None, 32), (2, Share::ONE, Share::ZERO));
    }

    /// Three nodes for 32 processors have at most 11 each; without the number of nodes, as few nodes
    /// as possible are used.
    #[test]
    fn listed_jobs_have_their_nodes() {
        let cluster =
            ClusterAssumptions { cores: 16, memory_kb: 1_600, floor_tenths: 0, join: Some(Join::Listed) };
        let of = |nodes, processors| {
            let demand = cluster.demand(&Record { nodes, ..record(None, Some(50)) }, processors);
            (demand.tasks, demand.need, demand.memory)
        };
        assert_eq!(of(Some(3), 32), (3, Share::from_ratio(11, 16), Share::from_ratio(11, 32)));
        assert_eq!(of(None, 32), (2, Share::ONE, Share::from_ratio(1, 2)));
        assert_eq!(of(Some(5), 4).0, 1, "no more nodes than processors");
        let lacking = |nodes, requested, processors| {
            cluster
                .demand(&Record { nodes: Some(nodes), ..record(None, Some(requested)) }, processors)
                .lacking
        };
        assert_eq!((lacking(2, 100, 32), lacking(2, 100, 31)), (None, None), "all memory of two nodes");
        assert_eq!((lacking(2, 100, 33), lacking(1, 50, 17)), (Some("cores"), Some("cores")));
        assert_eq!(lacking(1, 10_000, 2), Some("memory"));
    }

    proptest! {
        /// No assumptions cause an overflow or lose a processor.
        #[test]
        fn any_assumption_is_survived(
            cores in prop_oneof![0_u32..200, Just(u32::MAX)], memory_kb: u64, floor_tenths: u32,
            processors in prop_oneof![1_u32..100_000, Just(u32::MAX)], used in prop::option::of(0_u64..1 << 40),
            join in prop::option::of(prop::sample::select(Join::ALL)),
        ) {
            let cluster = ClusterAssumptions { cores, memory_kb, floor_tenths, join };
            let demand = cluster.demand(&record(used, None), processors);
            let nodes = f64::from(demand.tasks) * demand.need.as_f64();
            let rounding = f64::from(demand.tasks) / f64::from(Share::ONE.units());
            prop_assert!((nodes - f64::from(processors) / f64::from(cores.max(1))).abs() <= rounding * 1.01);
            prop_assert!(demand.memory <= Share::ONE && demand.tasks > 0);
        }
    }
}
