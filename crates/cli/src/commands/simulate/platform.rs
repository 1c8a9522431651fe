//! Nodes that differ, as the command line says it.

use crate::arguments::WorkloadArguments;
use crate::failure::Failure;
use crate::output::notice;
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_platform::classes::{
    ClassFields, Demands, PlatformFields, ReferenceNode, Request, UnequalNodes, read,
};
use dfrsim_workload::formats::slurm_nodes::{self, NodeKind};
use dfrsim_workload::prepare::resources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Classes of nodes, and what jobs ask of them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Unequal nodes")]
pub(super) struct PlatformArguments {
    /// The classes of nodes, in place of `--nodes`: a TOML file (number, cores, memory, speed, GPUs and other resources, features), or
    /// a platform of SimGrid (.xml), of which the hosts count
    #[arg(long, value_name = "FILE", conflicts_with = "nodes", value_hint = clap::ValueHint::FilePath)]
    platform: Option<PathBuf>,
    /// What jobs, drawn by the seed, ask for: RESOURCE:PROBABILITY:NUMBERS[:NEED] (each task one of these numbers of units, and to use
    /// such a part of each, as gpu:0.3:1+2:0.5-1), or @FEATURE:PROBABILITY. May be given several times
    #[arg(long = "request", value_name = "REQUEST", requires = "platform")]
    requests: Vec<Request>,
}

/// The nodes, with what the log itself says of its jobs.
pub(super) fn with_log(
    nodes: &UnequalNodes,
    workload: &WorkloadArguments,
    path: &Path,
) -> Result<Arc<UnequalNodes>, Failure> {
    let given = resources(path, &workload.options()?).map_err(|error| workload.log.failure(&error))?;
    let demands = Demands { given, ..nodes.demands.clone() };
    Ok(Arc::new(UnequalNodes { classes: nodes.classes.clone(), demands }))
}

/// The nodes of a `slurm.conf`, of which the largest is what needs of jobs are parts of; jobs are as their listing says.
pub(super) fn of_slurm(conf: &Path, workload: &mut WorkloadArguments) -> Result<Arc<UnequalNodes>, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", conf.display()));
    let text = dfrsim_model::read_text(conf).map_err(|error| fault(&error))?;
    let kinds = slurm_nodes::read(&text).map_err(|error| fault(&error))?;
    let largest = |of: fn(&NodeKind) -> u64| kinds.iter().map(of).max();
    let (Some(cores), Some(memory)) = (largest(|kind| kind.cores.into()), largest(|kind| kind.memory_mb))
    else {
        return Err(fault(&"expected lines with NodeName"));
    };
    let gb = |megabytes: u64| megabytes as f64 / 1024.0;
    let cores = u32::try_from(cores).unwrap_or(u32::MAX);
    let class = |kind: &NodeKind| ClassFields {
        name: kind.name.clone(),
        nodes: kind.nodes,
        cores: kind.cores,
        memory_gb: gb(kind.memory_mb),
        speed: 1.0,
        resources: kind.resources.clone(),
        features: kind.features.iter().cloned().collect(),
    };
    let fields = PlatformFields {
        reference: Some(ReferenceNode { cores, memory_gb: gb(memory) }),
        shared: Vec::new(),
        classes: kinds.iter().map(class).collect(),
    };
    let classes = fields.classes().map_err(|error| fault(&error))?;
    for kind in &kinds {
        let NodeKind { name, nodes, cores, memory_mb, .. } = kind;
        let more = kind.resources.iter().map(|(name, count)| format!(", {count} {name}"));
        let more: String = more.chain(kind.features.iter().map(|name| format!(", {name}"))).collect();
        notice!("{}: {nodes} nodes from {name} on: {cores} cores, {memory_mb} MB{more}", conf.display());
    }
    workload.set_nodes(classes.nodes());
    workload.set_listed(cores, gb(memory));
    Ok(Arc::new(UnequalNodes { classes, demands: Demands::default() }))
}

impl PlatformArguments {
    /// The nodes, and what jobs ask for; `None` if all nodes are equal.
    pub(super) fn unequal(&self, seed: u64) -> Result<Option<Arc<UnequalNodes>>, Failure> {
        let Some(path) = &self.platform else { return Ok(None) };
        let classes = read(path).and_then(|fields| fields.classes());
        let classes = classes.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        let demands =
            Demands { requests: self.requests.clone(), seed: Seed::new(seed), given: BTreeMap::new() };
        if let Some(request) = demands.unknown(&classes) {
            return Err(Failure::input(format!(
                "--request {request}: no class of {} has it",
                path.display()
            )));
        }
        Ok(Some(Arc::new(UnequalNodes { classes, demands })))
    }
}
