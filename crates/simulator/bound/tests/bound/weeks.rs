//! The HPC2N log as the on-line study uses it.

use dfrsim_model::Job;
use dfrsim_workload::cut;
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, Options, read_jobs};
use dfrsim_workload::traces::{NotFound, locate_from};
use std::path::Path;

/// Number of nodes of the cluster.
pub(crate) const NODES: u32 = 120;

/// Returns the jobs of each of the 182 weeks.
pub(crate) fn weeks() -> Result<Vec<Vec<Job>>, NotFound> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = locate_from(&root, "HPC2N-2002-2.1-cln.swf.gz")?;
    let annotation = Annotation::Hpc2n(ClusterAssumptions::default());
    let options = Options { annotation, units: Some(NODES), ..Options::default() };
    let (jobs, _) = read_jobs(&path, &options).expect("a log without faults");
    Ok(cut::weeks(jobs).into_iter().map(|(_, jobs)| jobs).collect())
}
