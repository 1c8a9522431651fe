//! Packing by repairs, as an algorithm of the off-line problem.

use crate::{Adapter, Rules};
use dfrsim_model::offline::{Adaptation, Instance, Solved};
use dfrsim_vector_packing::{Outcome, Packer, Settings};

/// Packing of new jobs by the repairs of [`Adapter`]. Unlike vector packing, it has no limit on the
/// number of resources, and rules that are resources of few VMs cost little.
#[derive(Clone, Debug, Default)]
pub struct RepairPacker {
    /// Rules that are not resources, without any task placed.
    pub rules: Option<Box<dyn Rules>>,
}

impl Packer for RepairPacker {
    fn name(&self) -> String {
        "REPAIR".to_owned()
    }

    fn solve(&self, instance: &Instance, _: &Settings) -> Outcome {
        let jobs = instance.jobs.len();
        let problem =
            Adaptation { instance: instance.clone(), current: vec![Vec::new(); jobs], cost: vec![0; jobs] };
        let found = Adapter::new().ruled_by(self.rules.clone()).adapt(&problem, 0);
        found.map_or(Outcome::Failed, |found| {
            Outcome::Solved(Solved { mapping: found.mapping, minimum_yield: found.minimum_yield })
        })
    }
}
