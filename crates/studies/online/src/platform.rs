//! The nodes of a workload, where they differ.

use crate::scenario::Workload;
use dfrsim_lab::fields::FileOr;
use dfrsim_lab::{Digester, RunError};
use dfrsim_model::{Job, Seed};
use dfrsim_platform::classes::{Demands, NodeClass, Sharing, UnequalNodes, read};
use dfrsim_workload::prepare::resources;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes of a workload, and what its jobs ask for; `None` if all nodes are equal.
pub(crate) fn unequal(workload: &Workload, seed: u64) -> Result<Option<Arc<UnequalNodes>>, RunError> {
    let fault = |what: &str| RunError::input(format_args!("workload `{}`: platform: {what}", workload.name));
    let fields = match &workload.platform {
        None => return Ok(None),
        Some(FileOr::Here(fields)) => fields.clone(),
        Some(FileOr::File(file)) => {
            read(&file.path).map_err(|error| fault(&format!("{}: {error}", file.given)))?
        }
    };
    let classes = workload.classes(&fields).map_err(|error| fault(&error))?;
    let (requests, seed) = (workload.requests.clone(), Seed::new(seed));
    let given = match workload.source.log(workload.nodes) {
        Some((log, options)) => resources(&log.file.path, &options).map_err(RunError::input)?,
        None => BTreeMap::new(),
    };
    let demands = Demands { requests, seed, given };
    match demands.unknown(&classes) {
        Some(request) => Err(fault(&format!("no class has what is asked for by `{request}`"))),
        None => Ok(Some(Arc::new(UnequalNodes { classes, demands }))),
    }
}

/// Adds all that simulations see of it.
pub(crate) fn digest(nodes: &UnequalNodes, jobs: &[Job], digester: &mut Digester) {
    let classes = nodes.classes.classes();
    digester.integer(classes.len() as u64).integer(nodes.classes.reference_cores());
    for NodeClass { name: _, nodes, cpu, memory, speed, amounts, features } in classes {
        digester.integer(*nodes).integer(*cpu).integer(*memory).integer(speed.units()).integer(*features);
        amounts.iter().for_each(|amount| _ = digester.integer(*amount));
    }
    for resource in nodes.classes.resources() {
        digester.integer(u64::from(resource.sharing == Sharing::Shared));
        // Rows whose bound knew no resources are computed again.
        digester.text("bounded");
    }
    for (place, job) in (0_u64..).zip(jobs) {
        let demand = nodes.demand(job);
        if !demand.is_empty() {
            digester.integer(place).integer(demand.features);
            for asked in &demand.resources {
                digester.integer(asked.count).integer(asked.need.units());
            }
        }
    }
}
