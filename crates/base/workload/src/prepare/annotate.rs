//! From processors to tasks with CPU needs and memory.

use crate::log::Record;
use crate::lublin::{CpuNeeds, MemoryModel, MemoryStream};
use dfrsim_model::{Seed, Share};
use serde::{Deserialize, Serialize};

/// Where the tasks of a job, their CPU needs and their memory come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Annotation {
    /// A task a processor, with a processor as the unit: need 1, no memory.
    #[default]
    None,
    /// From the memory fields of the log, on multi-core nodes.
    Hpc2n(ClusterAssumptions),
    /// As for the Lublin model: needs by size, memory drawn at random. Give it the seed of the workload: one that was
    /// generated with that seed and these assumptions gets the needs and memory that it was generated with.
    Lublin {
        /// The number of which [`Seed::new`] makes the workload's seed.
        seed: u64,
        /// What tasks could use of a node's CPU.
        #[serde(default)]
        cpu: CpuNeeds,
        /// What memory tasks occupy.
        #[serde(default)]
        memory: MemoryModel,
    },
}

/// The nodes that a log with memory fields is laid out on.
///
/// The memory of a processor is the larger of fields 7 and 10, at least the floor and at most a node. If the
/// processors fill nodes evenly and their memory fits (all of a node's processors together strictly below a node), a
/// task is a node's worth of processors, with need 1; otherwise a task is a processor, with need 1/cores. The default is
/// the HPC2N study's: dual-core nodes of 2 GiB, floor 0.1 (dissertation, section 5.3.1); other cores are ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterAssumptions {
    /// The processors of a node; 0 counts as 1.
    pub cores: u32,
    /// The memory of a node in kilobytes; 0 makes every memory a whole node's.
    pub memory_kb: u64,
    /// The least memory of a task before tasks are joined, in tenths of a node; more than 10 counts as 10.
    pub floor_tenths: u32,
}

impl Default for ClusterAssumptions {
    fn default() -> ClusterAssumptions {
        ClusterAssumptions { cores: 2, memory_kb: 2_097_152, floor_tenths: 1 }
    }
}

/// What a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Demand {
    pub(super) tasks: u32,
    pub(super) need: Share,
    pub(super) memory: Share,
}

impl ClusterAssumptions {
    fn demand(&self, record: &Record, processors: u32) -> Demand {
        let cores = self.cores.max(1);
        let memory = self.memory_of(record);
        let joined = u64::from(memory.units()) * u64::from(cores);
        if processors.is_multiple_of(cores) && joined < u64::from(Share::ONE.units()) {
            let memory = Share::from_ratio(joined, u64::from(Share::ONE.units()));
            return Demand { tasks: processors / cores, need: Share::ONE, memory };
        }
        Demand { tasks: processors, need: Share::from_ratio(1, u64::from(cores)), memory }
    }
    fn memory_of(&self, record: &Record) -> Share {
        const MILLION: u64 = 1_000_000;
        let known = record.used_memory.max(record.requested_memory).unwrap_or_default().millionths();
        let node = self.memory_kb.saturating_mul(MILLION);
        let share = if known < node { Share::from_ratio(known, node) } else { Share::ONE };
        share.max(Share::from_ratio(u64::from(self.floor_tenths.min(10)), 10))
    }
}

/// An annotation at work on one log.
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
    /// What the job of the next line asks for, with so many processors. It must be called for every line in order, those
    /// too that do not become jobs, since some annotations draw from a stream.
    pub(super) fn demand(&mut self, record: &Record, processors: u32) -> Demand {
        match self {
            Annotator::None => Demand { tasks: processors, need: Share::ONE, memory: Share::ZERO },
            Annotator::Hpc2n(cluster) => cluster.demand(record, processors),
            Annotator::Lublin(cpu, memory) => {
                Demand { tasks: processors, need: cpu.of(processors), memory: memory.draw() }
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

    /// 2 GiB are 2,097,152 KB: 524,288 KB are a quarter, 1,048,576 KB half a node.
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

    proptest! {
        /// However odd the assumptions: nothing overflows, and no processor is lost.
        #[test]
        fn any_assumption_is_survived(
            cores in 0_u32..200, memory_kb: u64, floor_tenths: u32, processors in 1_u32..100_000,
            used in prop::option::of(0_u64..1 << 40),
        ) {
            let cluster = ClusterAssumptions { cores, memory_kb, floor_tenths };
            let demand = cluster.demand(&record(used, None), processors);
            let per_task = if demand.need == Share::ONE { cores.max(1) } else { 1 };
            prop_assert_eq!(demand.tasks * per_task, processors);
            prop_assert!(demand.memory <= Share::ONE);
        }
    }
}
