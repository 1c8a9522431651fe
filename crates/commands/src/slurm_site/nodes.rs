//! Conversion of a site's nodes to the classes of a platform.

use crate::output::notice;
use dfrsim_model::platform::classes::{ClassFields, CommonFields, DevicePart, PlatformFields, ReferenceNode};
use dfrsim_model::platform::hosts::compress;
use dfrsim_model::platform::{Outage, Outages};
use dfrsim_policies::Policy;
use dfrsim_workload::formats::slurm_conf::{BurstBufferSpace, GpuPart, NodeKind, SimulatedSite};

/// Writes the outages of a site as a file that names its nodes; `None` if there are none.
pub(crate) fn outages_file(of_log: &SimulatedSite) -> Option<String> {
    let hosts: Vec<&String> = of_log.kinds.iter().flat_map(|kind| &kind.hosts).collect();
    let Outages { failures, drains, .. } = &of_log.outages;
    let line = |(Outage { nodes, from, until }, is_drain): (&Outage, bool)| {
        let names = nodes.iter().filter_map(|node| hosts.get(node as usize)).map(|name| name.as_str());
        let drain = if drains.is_empty() { String::new() } else { format!(",{is_drain}") };
        format!("\"{}\",{from},{until}{drain}\n", names.collect::<Vec<_>>().join(","))
    };
    let all = failures.iter().map(|it| (it, false)).chain(drains.iter().map(|it| (it, true)));
    let lines: String = all.map(line).collect();
    let drain = if drains.is_empty() { "" } else { ",drain" };
    (!lines.is_empty()).then(|| format!("nodes,from_s,until_s{drain}\n{lines}"))
}

/// Says that drained nodes are down under a policy that does not let jobs end there.
pub(crate) fn report_drains(outages: &Outages, policy: Policy) {
    let count = outages.drains.len();
    if count > 0 && !policy.lets_jobs_end() {
        notice!("{policy}: jobs leave the nodes of {count} drains, which are down under this policy");
    }
}

/// Memory of nodes on which memory is not limited, in GB. It is so large that no jobs fill it: the
/// largest that a platform can have.
const COUNTLESS_GB: f64 = 1e6;

/// Returns the reference node of jobs: it has the most cores and the most memory of any node, so
/// that no request of a job is cut.
pub(crate) fn largest_node(kinds: &[NodeKind]) -> ReferenceNode {
    let cores = kinds.iter().map(|kind| kind.cores).max().unwrap_or(1);
    let memory_mb = kinds.iter().filter_map(|kind| kind.memory_mb).max();
    ReferenceNode { cores, memory_gb: gigabytes(memory_mb) }
}

fn gigabytes(megabytes: Option<u64>) -> f64 {
    megabytes.map_or(COUNTLESS_GB, |megabytes| megabytes as f64 / 1024.0)
}

/// Converts the nodes of a site to the classes of a platform; job requests are fractions of the
/// reference node.
pub(crate) fn platform(of_log: &SimulatedSite, reference: ReferenceNode) -> PlatformFields {
    let class = |kind: &NodeKind| ClassFields {
        name: kind.name.clone(),
        nodes: kind.nodes,
        cores: kind.cores,
        memory_gb: gigabytes(kind.memory_mb),
        speed: 1.0,
        resources: kind.resources.clone(),
        features: kind.features.iter().cloned().collect(),
        hosts: compress(&kind.hosts),
        device_groups: Vec::new(),
        power: None,
        sleep: kind.sleep,
    };
    let part = |part: &GpuPart| DevicePart {
        name: part.name.to_owned(),
        share: 1.0 / f64::from(part.per_gpu),
        of_one_device: true,
    };
    let licences = |(name, total): &(String, u64)| {
        (name.clone(), CommonFields { amount: Some(*total), ..CommonFields::default() })
    };
    let buffers = |it: &BurstBufferSpace| {
        let granularity = Some(it.granularity).filter(|&units| units > 1);
        let fields = CommonFields { amount: Some(it.amount), granularity, ..CommonFields::default() };
        (it.name.clone(), fields)
    };
    PlatformFields {
        common: of_log
            .licences
            .iter()
            .map(licences)
            .chain(of_log.burst_buffers.iter().map(buffers))
            .collect(),
        core_parts: None,
        devices: (!of_log.gpu_parts.is_empty()).then(|| "gpu".to_owned()),
        device_parts: of_log.gpu_parts.iter().map(part).collect(),
        reference: Some(reference),
        shared: Vec::new(),
        unavailable: of_log.unavailable.clone(),
        classes: of_log.kinds.iter().map(class).collect(),
        ..PlatformFields::default()
    }
}
