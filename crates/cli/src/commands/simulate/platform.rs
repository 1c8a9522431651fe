//! Nodes that differ, as the command line says it.

use crate::arguments::WorkloadArguments;
use crate::failure::Failure;
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_platform::classes::{Demands, Request, UnequalNodes, read};
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
    #[arg(long, value_name = "FILE", conflicts_with = "nodes")]
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
