//! Weights and nodes of machines from the estimates of their needs.

use crate::engine::estimates::Estimate;
use crate::engine::points;
use crate::engine::{Settings, Spare, Workload};
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use dfrsim_packing::mcb::{Mcb, PackJob};
use dfrsim_packing::relabelled;
use dfrsim_packing::shares::{SharedJob, Shares};

/// The allocation phase (dissertation, section 7.2.2): each machine is a job of one task.
#[derive(Debug)]
pub(crate) struct Allocator<'a> {
    workload: &'a Workload,
    settings: &'a Settings,
    shares: Shares,
    mcb: Mcb,
}

impl<'a> Allocator<'a> {
    pub(crate) fn new(workload: &'a Workload, settings: &'a Settings) -> Allocator<'a> {
        let nodes = workload.nodes();
        Allocator { workload, settings, shares: Shares::new(nodes), mcb: Mcb::new(nodes, settings.mcb) }
    }

    /// Computes the largest minimum yield that is expected of machines on these nodes.
    pub(crate) fn minimum_yield(&mut self, estimates: &[Estimate], nodes: &[NodeId]) -> Yield {
        let placements = placements(nodes);
        self.shares.common(&shared(estimates, &placements))
    }

    /// Computes the weight of each machine on these nodes: 100 points on each node. CPU that no
    /// machine is expected to use is shared equally, like the slack of the execution phase.
    pub(crate) fn weights(&mut self, estimates: &[Estimate], nodes: &[NodeId]) -> Vec<u32> {
        let placements = placements(nodes);
        let jobs = shared(estimates, &placements);
        let mut yields = Vec::new();
        match self.settings.spare {
            Spare::Average => self.shares.max_average(&jobs, &mut yields),
            Spare::MaxMin => self.shares.max_min(&jobs, &mut yields),
        }
        let mut weights = vec![0; nodes.len()];
        let (mut parts, mut points) = (Vec::new(), Vec::new());
        for node in (0..self.workload.nodes()).map(NodeId) {
            let here = || (0..nodes.len()).filter(|&vm| nodes[vm] == node);
            let count = here().count() as u64;
            if count == 0 {
                continue;
            }
            let use_of =
                |vm: usize| u64::from(estimates[vm].need.units()) * u64::from(yields[vm].units()) * count;
            let whole = (u64::from(Share::ONE.units()) << Yield::BITS) * count;
            let spare = (whole - here().map(use_of).sum::<u64>()) / count;
            parts.clear();
            parts.extend(here().map(|vm| use_of(vm) + spare));
            points::divide(&parts, whole, &mut points);
            for (vm, &points) in here().zip(&points) {
                weights[vm] = points;
            }
        }
        weights
    }

    /// Maps machines to nodes with MCB; `None` if it leaves one out.
    pub(crate) fn map_with_mcb(&mut self, estimates: &[Estimate], nodes: &[NodeId]) -> Option<Vec<NodeId>> {
        let vms = self.workload.vms();
        let jobs: Vec<PackJob<'_>> = (0..)
            .zip(vms.iter().zip(estimates))
            .map(|(sequence, (vm, estimate))| PackJob {
                tasks: 1,
                need: estimate.need,
                memory: vm.memory,
                sequence,
                pinned: None,
                size: None,
            })
            .collect();
        let mapping = self.mcb.map(&jobs);
        let node = |vm| mapping.placement(vm).first().map(|part| part.node);
        let mapped: Vec<NodeId> = (0..jobs.len()).map(node).collect::<Option<_>>()?;
        Some(if self.settings.relabel { self.relabelled(nodes, &mapped) } else { mapped })
    }

    /// Returns an equivalent packing with the nodes renamed so that the least memory is moved.
    fn relabelled(&self, nodes: &[NodeId], mapped: &[NodeId]) -> Vec<NodeId> {
        let vms = self.workload.vms();
        let job = |memory: Share| OfflineJob {
            tasks: 1,
            demand: [memory.units(), 0].into(),
            least_yield: Yield::ZERO,
        };
        let one = Share::ONE.units();
        let problem = Adaptation {
            instance: Instance {
                fixed: 1,
                fluid: 1,
                nodes: vec![[one, one].into(); self.workload.nodes() as usize],
                jobs: vms.iter().map(|vm| job(vm.memory)).collect(),
            },
            current: mapping_of(nodes),
            cost: vms.iter().map(|vm| vm.memory.units().into()).collect(),
        };
        relabelled(&problem, &mapping_of(mapped)).iter().map(|placement| placement[0].node).collect()
    }
}

fn placements(nodes: &[NodeId]) -> Vec<[NodeTasks; 1]> {
    nodes.iter().map(|&node| [NodeTasks { node, tasks: 1 }]).collect()
}

fn mapping_of(nodes: &[NodeId]) -> Mapping {
    nodes.iter().map(|&node| vec![NodeTasks { node, tasks: 1 }]).collect()
}

fn shared<'a>(estimates: &[Estimate], placements: &'a [[NodeTasks; 1]]) -> Vec<SharedJob<'a>> {
    let job = |(estimate, placement): (&Estimate, &'a [NodeTasks; 1])| SharedJob {
        need: estimate.need,
        placement,
        size: None,
    };
    estimates.iter().zip(placements).map(job).collect()
}
