//! Nodes of a cluster, their outages, and the priorities of its site.

use crate::engine::Conditions;
use crate::scenario::ClusterFields;
use dfrsim_lab::{Failure, platform_fields};
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::{Demands, UnequalNodes};
use dfrsim_model::platform::file::ClusterNodes;
use dfrsim_model::{Seed, SimSpan, SimTime};
use std::sync::Arc;

/// Builds the conditions of a cluster on which jobs arrive for a period of this length.
pub(crate) fn conditions(
    cluster: &ClusterFields,
    length: SimSpan,
    seed: Seed,
) -> Result<Conditions, Failure> {
    let fault = |what: String| Failure::failed(format!("cluster `{}`: {what}", cluster.name));
    let seed = seed.fork("nodes").fork(&cluster.name);
    let outages = cluster.node_outages.as_ref().map(|fields| {
        let nodes = ClusterNodes { nodes: cluster.cores, hosts: &[], of_variant: &[] };
        let times = fields.times.outages(nodes, SimTime::ZERO + length, seed)?;
        Ok(Outages { interruption: fields.interruption, ..times })
    });
    Ok(Conditions {
        outages: outages.transpose().map_err(fault)?.map(Arc::new),
        unequal: unequal(cluster, seed).map_err(fault)?.map(Arc::new),
        site: cluster.priorities.clone().map(Arc::new),
    })
}

fn unequal(cluster: &ClusterFields, seed: Seed) -> Result<Option<UnequalNodes>, String> {
    let Some(platform) = &cluster.kinds.platform else { return Ok(None) };
    let classes = platform_fields(platform)?.classes_of(cluster.cores).map_err(|error| error.to_string())?;
    let demands = Demands { requests: cluster.kinds.requests.clone(), seed, ..Demands::default() };
    match demands.find_unknown(&classes) {
        Some((request, reason)) => Err(format!("no node class satisfies the request `{request}`: {reason}")),
        None => Ok(Some(UnequalNodes { classes, demands })),
    }
}
