//! The nodes of a cluster, when they are down, and the priorities of its site.

use crate::nodes::{NodeFailureFields, NodeOutageFields, WindowFields, classes};
use crate::scenario::ClusterFields;
use dfrsim_grid::Conditions;
use dfrsim_lab::Failure;
use dfrsim_lab::fields::FileOr;
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_platform::classes::{Demands, UnequalNodes, read};
use dfrsim_platform::{FailureModel, Maintenance, NodeSet, Outages};
use std::sync::Arc;

/// The conditions of a cluster on which jobs arrive for a time.
pub(crate) fn conditions(
    cluster: &ClusterFields,
    length: SimSpan,
    seed: Seed,
) -> Result<Conditions, Failure> {
    let fault = |what: String| Failure::failed(format!("cluster `{}`: {what}", cluster.name));
    let seed = seed.fork("nodes").fork(&cluster.name);
    let outages = cluster.node_outages.as_ref().map(|fields| outages(fields, cluster.cores, length, seed));
    Ok(Conditions {
        outages: outages.transpose().map_err(fault)?.map(Arc::new),
        unequal: unequal(cluster, seed).map_err(fault)?.map(Arc::new),
        priorities: cluster.priorities.clone().map(Arc::new),
    })
}

fn outages(fields: &NodeOutageFields, nodes: u32, length: SimSpan, seed: Seed) -> Result<Outages, String> {
    let until = SimTime::ZERO + length;
    let mut outages = Outages { interruption: fields.interruption, ..Outages::default() };
    if let Some(given) = &fields.file {
        let read = dfrsim_platform::file::read(&given.path, nodes);
        let read = read.map_err(|error| format!("{}: {error}", given.given))?;
        (outages.failures, outages.windows) = (read.failures, read.windows);
    }
    if let Some(NodeFailureFields { between, repair, rack }) = &fields.failures {
        let model = FailureModel { between: *between, repair: *repair, rack: *rack };
        outages.failures.extend(model.draw(nodes, until, seed));
    }
    for WindowFields { nodes: set, first, every, length, notice } in &fields.maintenance {
        let set = set.as_ref().unwrap_or(&NodeSet::ALL);
        let first = SimTime::ZERO + *first;
        let repeated = Maintenance { first, every: *every, length: *length, notice: *notice };
        outages.windows.extend(repeated.windows(&set.spans(nodes), until));
    }
    outages.check(nodes).map_err(|error| error.to_string())?;
    Ok(outages)
}

fn unequal(cluster: &ClusterFields, seed: Seed) -> Result<Option<UnequalNodes>, String> {
    let fields = match &cluster.platform {
        None => return Ok(None),
        Some(FileOr::Here(fields)) => fields.clone(),
        Some(FileOr::File(file)) => read(&file.path).map_err(|error| format!("{}: {error}", file.given))?,
    };
    let classes = classes(&fields, cluster.cores)?;
    let demands = Demands { requests: cluster.requests.clone(), seed, ..Demands::default() };
    match demands.unknown(&classes) {
        Some(request) => Err(format!("no class has what is asked for by `{request}`")),
        None => Ok(Some(UnequalNodes { classes, demands })),
    }
}
