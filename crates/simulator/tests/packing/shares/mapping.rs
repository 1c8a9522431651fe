//! Random mappings.

use dfrsim_model::{CpuUse, NodeId, NodeTasks, Share, SimSpan, VirtualTime, Yield};
use dfrsim_packing::shares::{SharedJob, Shares, StretchJob};
use dfrsim_packing::{Capacities, TaskSize};
use proptest::prelude::*;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub(crate) const PERIOD: SimSpan = SimSpan::from_secs(600);

#[derive(Clone, Debug)]
pub(crate) struct MappedJob {
    pub(crate) need: Share,
    pub(crate) placement: Vec<NodeTasks>,
    pub(crate) flow_time: SimSpan,
    pub(crate) virtual_time: VirtualTime,
    /// Floor as a fraction of the common yield.
    floor: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    pub(crate) nodes: u32,
    pub(crate) jobs: Vec<MappedJob>,
}

impl Mapping {
    pub(crate) fn shared(&self) -> Vec<SharedJob<'_>> {
        self.jobs
            .iter()
            .map(|job| SharedJob { need: job.need, placement: &job.placement, size: None })
            .collect()
    }
    /// Returns the jobs with floors that fit, since none is above the common yield.
    pub(crate) fn stretched(&self) -> Vec<StretchJob<'_>> {
        let common = Shares::new(self.nodes).common(&self.shared()).as_f64();
        let with_floor = |(mapped, job): (&MappedJob, _)| StretchJob {
            job,
            flow_time: mapped.flow_time,
            virtual_time: mapped.virtual_time,
            floor: Yield::from_f64(mapped.floor * common),
            weight: 1.0,
        };
        self.jobs.iter().zip(self.shared()).map(with_floor).collect()
    }
    /// Returns the task sizes for nodes with three dimensions, of which the third one is not used.
    pub(crate) fn sizes(&self) -> Vec<TaskSize> {
        let used = |job: &MappedJob| vec![0, u64::from(job.need.units()), 0];
        self.jobs.iter().map(|job| TaskSize { used: used(job), ..TaskSize::default() }).collect()
    }
    /// Returns the capacities of these nodes.
    pub(crate) fn capacities(&self) -> Arc<Capacities> {
        let one = u64::from(Share::ONE.units());
        let class_of = (0..self.nodes as usize).map(|node| node % 2).collect();
        Arc::new(Capacities {
            classes: vec![vec![one; 3], vec![one, one, one / 7]],
            wholes: vec![one; 3],
            class_of,
            devices: Vec::new(),
            device_groups: Vec::new(),
            devices_are_shared: false,
        })
    }
    /// Returns the number of tasks of a job on a node.
    pub(crate) fn tasks(&self, job: usize, node: u32) -> u32 {
        self.jobs[job].placement.iter().find(|part| part.node.0 == node).map_or(0, |part| part.tasks)
    }
    /// Returns the load of a job on a node at yield 1, in share units.
    pub(crate) fn load_units(&self, job: usize, node: u32) -> u64 {
        u64::from(self.jobs[job].need.units()) * u64::from(self.tasks(job, node))
    }
    /// Returns the load of a job on a node at yield 1, as a fraction of the node; exact.
    pub(crate) fn load(&self, job: usize, node: u32) -> f64 {
        self.load_units(job, node) as f64 / f64::from(Share::ONE.units())
    }
    pub(crate) fn total_load(&self, node: u32) -> f64 {
        (0..self.jobs.len()).map(|job| self.load(job, node)).sum()
    }
    pub(crate) fn used(&self, node: u32, yields: &[Yield]) -> CpuUse {
        let on_node = |job: usize| self.jobs[job].need.used_by(self.tasks(job, node), yields[job]);
        (0..self.jobs.len()).fold(CpuUse::ZERO, |sum, job| sum + on_node(job))
    }
    pub(crate) fn fits(&self, yields: &[Yield]) -> bool {
        (0..self.nodes).all(|node| self.used(node, yields) <= CpuUse::ONE)
    }
    /// Returns whether the node cannot give one more yield unit to each of its tasks.
    pub(crate) fn is_full(&self, node: u32, yields: &[Yield]) -> bool {
        let unit = Yield::try_from_units(1).unwrap();
        let more = (0..self.jobs.len())
            .fold(CpuUse::ZERO, |sum, job| sum + self.jobs[job].need.used_by(self.tasks(job, node), unit));
        self.used(node, yields) + more > CpuUse::ONE
    }
    /// Returns the mapping with the nodes in reverse order.
    pub(crate) fn mirrored(&self) -> Mapping {
        let mut mirrored = self.clone();
        for job in &mut mirrored.jobs {
            job.placement.reverse();
            for part in &mut job.placement {
                part.node = NodeId(self.nodes - 1 - part.node.0);
            }
        }
        mirrored
    }
}

/// Draws needs that are quarters of a node, as in the workloads of the study.
pub(crate) fn quarters() -> BoxedStrategy<Share> {
    (1..=4_u64).prop_map(|part| Share::from_ratio(part, 4)).boxed()
}

/// Draws all kinds of needs, including zero.
pub(crate) fn any_need() -> BoxedStrategy<Share> {
    prop_oneof![
        4 => quarters(),
        2 => (0..=10_u64).prop_map(|part| Share::from_ratio(part, 10)),
        2 => (1_000_000..=Share::ONE.units()).prop_map(|units| Share::try_from_units(units).unwrap()),
    ]
    .boxed()
}

/// Draws jobs that have tasks on some of the nodes.
pub(crate) fn mappings(
    needs: &BoxedStrategy<Share>,
    nodes: RangeInclusive<u32>,
    jobs: RangeInclusive<usize>,
) -> impl Strategy<Value = Mapping> + use<> {
    let needs = needs.clone();
    nodes.prop_flat_map(move |nodes| {
        let tasks = prop::collection::vec(prop_oneof![3 => Just(0), 1 => 1..=3_u32], nodes as usize);
        let job = (needs.clone(), tasks, 0..=20_000_u64, 0.0..=1.0_f64, 0.0..=1.0_f64);
        let jobs = prop::collection::vec(job, jobs.clone());
        jobs.prop_map(move |jobs| Mapping { nodes, jobs: jobs.into_iter().map(mapped_job).collect() })
    })
}

fn mapped_job((need, tasks, flow, speed, floor): (Share, Vec<u32>, u64, f64, f64)) -> MappedJob {
    let flow_time = SimSpan::from_secs(flow);
    let parts = (0..).map(NodeId).zip(tasks).filter(|&(_, tasks)| tasks > 0);
    MappedJob {
        need,
        placement: parts.map(|(node, tasks)| NodeTasks { node, tasks }).collect(),
        flow_time,
        virtual_time: VirtualTime::ZERO.advanced(flow_time, Yield::from_f64(speed)),
        floor,
    }
}
