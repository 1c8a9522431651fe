//! Nodes that differ, as the command line says it.

use crate::arguments::WorkloadArguments;
use crate::failure::Failure;
use crate::site::{self, SiteAndLog, largest};
use clap::Args;
use dfrsim_model::Seed;
use dfrsim_model::platform::classes::{ClassFields, Demands, ReferenceNode, Request, UnequalNodes, read};
use dfrsim_workload::formats::slurm_conf::SiteOfLog;
use dfrsim_workload::log::Asked;
use dfrsim_workload::prepare::resources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Classes of nodes, and what jobs ask of them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Unequal nodes")]
pub(super) struct PlatformArguments {
    /// The classes of nodes, in place of `--nodes`: a TOML file (nodes, cores, memory_gb, speed, GPUs and other resources, features), or
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
    let demands = Demands { given: Asked::clone(&given), ..nodes.demands.clone() };
    Ok(Arc::new(UnequalNodes { classes: nodes.classes.clone(), demands }))
}

/// The nodes of a site, of which the largest is what needs of jobs are parts of; jobs are as their listing says.
pub(super) fn of_site(
    site: &SiteAndLog,
    of_log: &SiteOfLog,
    conf: &Path,
    workload: &mut WorkloadArguments,
) -> Result<Arc<UnequalNodes>, Failure> {
    let reference = largest(&of_log.kinds);
    let classes = site::platform(&of_log.kinds, reference).classes();
    let classes = classes.map_err(|error| Failure::of(conf, error))?;
    workload.set_nodes(classes.nodes());
    workload.set_listed(reference.cores, reference.memory_gb);
    let demands = Demands { given: Asked::clone(&site.given), ..Demands::default() };
    Ok(Arc::new(UnequalNodes { classes, demands }))
}

impl PlatformArguments {
    /// The nodes, and what jobs ask for; `None` if all nodes are equal.
    ///
    /// Jobs of a listing have the nodes, cores and memory that it gives them, unless something else was asked for.
    pub(super) fn unequal(
        &self,
        workload: &mut WorkloadArguments,
    ) -> Result<Option<Arc<UnequalNodes>>, Failure> {
        let Some(path) = &self.platform else { return Ok(None) };
        let seed = workload.seed;
        let mut fields = read(path).map_err(Failure::input)?;
        if workload.is_listing() && !workload.says_tasks() {
            let most = |of: fn(&ClassFields) -> f64| fields.classes.iter().map(of).fold(0.0, f64::max);
            let largest = ReferenceNode {
                cores: most(|it| it.cores.into()) as u32,
                memory_gb: most(|it| it.memory_gb),
            };
            let reference = *fields.reference.get_or_insert(largest);
            workload.set_listed(reference.cores, reference.memory_gb);
        }
        let classes = fields.classes().map_err(|error| Failure::of(path, error))?;
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
