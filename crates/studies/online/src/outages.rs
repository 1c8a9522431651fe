//! When the nodes of an instance are down.

use crate::scenario::OutageFields;
use dfrsim_model::{Job, Seed, SimTime};
use dfrsim_platform::{FailureModel, NodeSet, Outages, file};

/// The outages of an instance, whose name has a stream of random numbers of its own. Drawn failures and repeated windows begin no later
/// than its last job arrives.
pub(crate) fn outages(
    fields: &OutageFields,
    nodes: u32,
    jobs: &[Job],
    instance: &str,
    seed: Seed,
) -> Result<Outages, String> {
    let until = jobs.last().map_or(SimTime::ZERO, |job| job.submit);
    let mut outages = Outages::default();
    if let Some(given) = &fields.file {
        let fault = |error: file::FileError| format!("{}: {error}", given.given);
        let read = file::read(&given.path, nodes).map_err(fault)?;
        (outages.failures, outages.windows) = (read.failures, read.windows);
    }
    if let Some(drawn) = &fields.failures {
        let model = FailureModel { between: drawn.between, repair: drawn.repair, rack: drawn.rack };
        let seed = seed.fork("outages").fork(instance);
        outages.failures.extend(model.draw(nodes, until, seed));
    }
    for repeated in &fields.maintenance {
        let set = repeated.nodes.as_ref().unwrap_or(&NodeSet::ALL);
        outages.windows.extend(repeated.windows().windows(&set.spans(nodes), until));
    }
    outages.check(nodes).map_err(|error| error.to_string())?;
    Ok(outages)
}
