//! Amounts of trackable resources (TRES) that jobs hold.

use crate::job::Job;
use crate::nodes::{Kind, kinds_of_partition};
use dfrsim_model::Share;
use dfrsim_model::site::{SiteSettings, Tres};

/// Resources of a cluster of which jobs hold amounts.
#[derive(Clone, Debug)]
pub(crate) struct Amounts {
    nodes: u64,
    /// Number of all cores, and the names of the other resources, if nodes have classes.
    classes: Option<(u64, Vec<String>)>,
    kinds: Vec<Kind>,
}

impl Amounts {
    pub(crate) fn new(kinds: &[Kind]) -> Amounts {
        let nodes = |kind: &Kind| u64::from(kind.nodes);
        let cores = |kind: &Kind| nodes(kind) * kind.cores;
        let names = kinds.first().and_then(|kind| kind.resources.as_ref());
        Amounts {
            nodes: kinds.iter().map(nodes).sum(),
            classes: names.map(|names| (kinds.iter().map(cores).sum(), names.clone())),
            kinds: kinds.to_vec(),
        }
    }

    /// Returns the amount of a resource that a job holds.
    pub(super) fn held(&self, job: &Job, name: &str) -> u128 {
        let pieces = |at: usize| job.size.pieces.get(at).map_or(0, |amount| amount.unsigned_abs());
        let one = match (name, &self.classes) {
            ("node", _) | ("cpu", None) => 1,
            ("cpu", Some(_)) => job.size.cores,
            ("mem", _) => (job.size.held[0] * 1_000).div_ceil(Share::ONE.units().into()),
            (_, None) => 0,
            (other, Some((_, names))) => {
                names.iter().position(|known| known == other).map_or(0, |at| pieces(2 + at))
            }
        };
        u128::from(one) * u128::from(job.tasks)
    }

    /// Returns the amount of a resource that a job requested, which may differ from what it holds.
    fn requested(&self, job: &Job, name: &str) -> u128 {
        let requested = match name {
            "cpu" => job.requested_cores,
            "node" => job.requested_nodes,
            _ => None,
        };
        requested.map_or_else(|| self.held(job, name), u128::from)
    }

    /// Returns the fraction of the nodes of the cluster that the job has, as (numerator, denominator).
    pub(super) fn fraction_of_nodes(&self, job: &Job) -> (u128, u128) {
        (self.held(job, "node"), self.nodes.into())
    }

    /// Returns the fractions of the nodes and of the cores of the cluster that the job requested, each
    /// as (numerator, denominator).
    pub(super) fn requested_fractions(&self, job: &Job) -> [(u128, u128); 2] {
        let cores = self.classes.as_ref().map_or(self.nodes, |classes| classes.0);
        [(self.requested(job, "node"), self.nodes.into()), (self.requested(job, "cpu"), cores.into())]
    }

    /// Returns the amount of a resource that a job requests, and that of all nodes of its partition.
    pub(super) fn fraction_of_partition(
        &self,
        job: &Job,
        name: &str,
        partition: Option<&str>,
    ) -> (u128, u128) {
        let of_node = |kind: &Kind| {
            let piece = |at: usize| kind.pieces.get(at).map_or(0, |amount| u128::from(amount.unsigned_abs()));
            match (name, &self.classes) {
                ("node", _) | ("cpu", None) => 1,
                ("cpu", Some(_)) => piece(0),
                ("mem", _) => u128::from(kind.capacity[0]) * 1_000 / u128::from(Share::ONE.units()),
                (_, None) => 0,
                (other, Some((_, names))) => {
                    names.iter().position(|known| known == other).map_or(0, |at| piece(2 + at))
                }
            }
        };
        let own = self.kinds.iter().zip(kinds_of_partition(&self.kinds, partition)).filter(|it| it.1);
        let all = own.map(|(kind, _)| u128::from(kind.nodes) * of_node(kind)).sum();
        (self.requested(job, name), all)
    }

    /// Computes the usage charged to the account of a job, in thousandths: one per task, unless its
    /// partition or the site have billing weights.
    pub(super) fn bill(&self, job: &Job, settings: &SiteSettings, of_partition: Option<&Tres>) -> u128 {
        let weights = of_partition.into_iter().chain([&settings.billing]).find(|weights| !weights.is_empty());
        weights.map_or(1_000 * u128::from(job.tasks), |weights| {
            weights.iter().map(|(name, weight)| u128::from(*weight) * self.held(job, name)).sum()
        })
    }
}
