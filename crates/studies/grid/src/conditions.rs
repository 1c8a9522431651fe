//! The nodes of a cluster, when they are down, and the priorities of its site.

use crate::scenario::ClusterFields;
use dfrsim_grid::Conditions;
use dfrsim_lab::Failure;
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    FileOr, LocatedFile, file, named, optional, positive_seconds, seconds, table, tables,
};
use dfrsim_model::{Seed, SimSpan, SimTime};
use dfrsim_platform::classes::{Demands, NodeClasses, PlatformFields, UnequalNodes, read};
use dfrsim_platform::{FailureModel, Interruption, Maintenance, NodeSet, Outages, Rack, Times};
use std::sync::Arc;

fields! {
    /// When nodes of a cluster are down. Times are seconds from the begin of each workload on.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeOutageFields {
        /// What happens to jobs on nodes that go down: `lose` (they go back to the meta-scheduler), `requeue` (they begin again there),
        /// or `checkpoint:INTERVAL:COST:RESTART` in seconds of their work (they begin again there from their last checkpoint).
        pub interruption: Interruption = named("what happens to jobs"), default Interruption::Requeue;
        /// Outages in a file, CSV or JSONL, with the fields `nodes`, `from_s`, `until_s` and, for windows that policies know of,
        /// `announced_s`.
        pub file: Option<LocatedFile> = optional(file());
        /// Failures that are drawn for each replication, as long as jobs may arrive.
        pub failures: Option<NodeFailureFields> = optional(table());
        /// Windows that are repeated, as long as jobs may arrive.
        pub maintenance: Vec<WindowFields> = tables();
    }
}

fields! {
    /// How nodes fail, each by itself.
    #[derive(Clone, Debug, PartialEq)]
    pub struct NodeFailureFields {
        /// The time from a repair to the next failure: `exponential:MEAN`, `weibull:MEAN:SHAPE`, `lognormal:MEAN:DEVIATION` or `fixed:MEAN`,
        /// in seconds.
        pub between: Times = named("a distribution of times");
        /// How long a repair takes.
        pub repair: Times = named("a distribution of times");
        /// `NODES:PROBABILITY`: the nodes of a rack, and how likely a failure takes the whole rack down.
        pub rack: Option<Rack> = optional(named("racks"));
    }
}

fields! {
    /// Windows of the same length, in which nodes are down, and of which policies know in advance.
    #[derive(Clone, Debug, PartialEq)]
    pub struct WindowFields {
        /// The nodes: `all`, or numbers and ranges such as `0-15 20`.
        pub nodes: Option<NodeSet> = optional(named("nodes"));
        /// When the first one begins.
        pub first as "first_s": SimSpan = seconds(..);
        /// From one begin to the next.
        pub every as "every_s": SimSpan = positive_seconds();
        /// How long each is.
        pub length as "length_s": SimSpan = positive_seconds();
        /// How long before its begin each is announced.
        pub notice as "notice_s": SimSpan = seconds(..), default SimSpan::from_secs(14 * 86_400);
    }
    check |window, at| {
        if window.length >= window.every {
            at.fault("length_s", "expected windows shorter than the time from one to the next");
        }
    }
}

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

/// The classes of a platform, which must have as many nodes as the cluster has cores.
pub(crate) fn classes(fields: &PlatformFields, cores: u32) -> Result<NodeClasses, String> {
    let classes = fields.classes().map_err(|error| error.to_string())?;
    match classes.nodes() {
        found if found == cores => Ok(classes),
        found => Err(format!("the classes have {found} nodes, the cluster {cores}")),
    }
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
