//! The nodes of a workload, where they differ.

use crate::scenario::{PriorityFields, Workload};
use dfrsim_lab::{Digester, RunError, platform_fields};
use dfrsim_model::platform::classes::{
    Demands, NodeClass, PlatformFields, ReferenceNode, Sharing, UnequalNodes,
};
use dfrsim_model::{Job, Seed};
use dfrsim_workload::log::Asked;
use dfrsim_workload::prepare::{Annotation, resources};
use std::sync::Arc;

/// The nodes of a workload, and what its jobs ask for; `None` if all nodes are equal.
pub(crate) fn unequal(workload: &Workload, seed: u64) -> Result<Option<Arc<UnequalNodes>>, RunError> {
    let Some(platform) = &workload.kinds.platform else { return Ok(None) };
    let fault = |what: &str| RunError::input(format_args!("workload `{}`: platform: {what}", workload.name));
    let fields = platform_fields(platform).map_err(|error| fault(&error))?;
    let classes = fields.classes_of(workload.nodes.get()).map_err(|error| fault(&error.to_string()))?;
    let (requests, seed) = (workload.kinds.requests.clone(), Seed::new(seed));
    let given = match workload.source.log(workload.nodes) {
        Some((log, options)) => {
            let given = resources(&log.file.path, &options).map_err(RunError::input)?;
            if let Some(ReferenceNode { cores, memory_gb }) = reference(&fields)
                && cores > 1
                && options.annotation == Annotation::None
                && !given.is_empty()
            {
                let kb = (memory_gb * KB_OF_GB).round();
                return Err(fault(&format!(
                    "each processor of the listing {} would be a whole node; expected `annotation = {{ hpc2n = {{ cores = {cores}, \
                     memory_kb = {kb}, floor_tenths = 0, join = \"listed\" }} }}`",
                    log.file.given
                )));
            }
            Asked::clone(&given)
        }
        None => Asked::new(),
    };
    let demands = Demands { requests, seed, given };
    match demands.unknown(&classes) {
        Some(request) => Err(fault(&format!("no class has what is asked for by `{request}`"))),
        None => Ok(Some(Arc::new(UnequalNodes { classes, demands }))),
    }
}

/// The kilobytes of a gigabyte, as annotations have them.
const KB_OF_GB: f64 = 1_048_576.0;

/// The nodes that priorities have in place of those of a workload; `None` if they have none of their own.
pub(crate) fn of_priorities(
    priorities: &PriorityFields,
    workload: &Workload,
    own: Option<&UnequalNodes>,
) -> Result<Option<Arc<UnequalNodes>>, RunError> {
    let Some(platform) = &priorities.platform else { return Ok(None) };
    let fault =
        |what: &str| RunError::input(format_args!("priority `{}`: platform: {what}", priorities.name));
    let (Some(own), Some(of_workload)) = (own, &workload.kinds.platform) else {
        return Err(fault(&format!("the workload `{}` has no platform", workload.name)));
    };
    let other = platform_fields(platform).map_err(|error| fault(&error))?;
    if reference(&other) != platform_fields(of_workload).ok().as_ref().and_then(reference) {
        return Err(fault(&format!("expected the reference node of the workload `{}`", workload.name)));
    }
    let classes = other.classes().map_err(|error| fault(&error.to_string()))?;
    Ok(Some(Arc::new(UnequalNodes { classes, demands: own.demands.clone() })))
}

/// The node of which needs are parts.
fn reference(fields: &PlatformFields) -> Option<ReferenceNode> {
    let first = fields.classes.first();
    fields.reference.or_else(|| first.map(|it| ReferenceNode { cores: it.cores, memory_gb: it.memory_gb }))
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
