//! What jobs hold of what the settings of a site name.

use crate::job::Job;
use crate::nodes::Kind;
use dfrsim_model::Share;
use dfrsim_model::priority::{Priorities, Tres};

/// The cluster as far as amounts depend on it.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    nodes: u64,
    cores: u64,
    /// The names of resources beside cores and memory; `None` where nodes are all alike.
    resources: Option<Vec<String>>,
}

impl Cluster {
    pub(crate) fn new(kinds: &[Kind], resources: Option<Vec<String>>) -> Cluster {
        let nodes = kinds.iter().map(|kind| u64::from(kind.nodes)).sum();
        let cores_of = |kind: &Kind| u64::from(kind.nodes) * kind.pieces.first().map_or(1, |cores| *cores as u64);
        let cores = if resources.is_some() { kinds.iter().map(cores_of).sum() } else { nodes };
        Cluster { nodes, cores, resources }
    }

    /// How much of something a job holds.
    pub(crate) fn held(&self, job: &Job, name: &str) -> u128 {
        let one = match (name, &self.resources) {
            ("node", _) | ("cpu", None) => 1,
            ("cpu", Some(_)) => job.size.pieces[0] as u128,
            ("mem", _) => (job.size.held[0] as u128 * 1_000).div_ceil(Share::ONE.units().into()),
            (other, resources) => {
                let all = resources.iter().flatten();
                let place = all.into_iter().position(|known| known == other);
                place.map_or(0, |place| job.size.pieces[2 + place] as u128)
            }
        };
        one * u128::from(job.tasks)
    }

    /// The parts of the nodes and of the cores of the cluster that a job has, as two fractions.
    pub(crate) fn parts(&self, job: &Job) -> [(u128, u128); 2] {
        [("node", self.nodes), ("cpu", self.cores)].map(|(name, all)| (self.held(job, name), all.into()))
    }

    /// What a job uses of its account, in thousandths: each task one, unless its partition or the site say otherwise.
    pub(crate) fn bill(&self, job: &Job, settings: &Priorities, of_partition: Option<&Tres>) -> u128 {
        let tables = of_partition.into_iter().chain([&settings.billing]);
        match tables.into_iter().find(|weights| !weights.is_empty()) {
            None => 1_000 * u128::from(job.tasks),
            Some(weights) => weights.iter().map(|(name, weight)| u128::from(*weight) * self.held(job, name)).sum(),
        }
    }
}
