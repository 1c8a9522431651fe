//! Packing by repairs, as an algorithm of the off-line problem.

use crate::Adapter;
use dfrsim_model::offline::{Adaptation, Instance, Solved};
use dfrsim_vector_packing::{Outcome, Packer, Settings};

/// Packing of new jobs by the repairs of [`Adapter`]. Unlike vector packing, it has no limit on the
/// number of resources, and rules that are resources of few VMs cost little.
#[derive(Clone, Copy, Debug, Default)]
pub struct RepairPacker;

impl Packer for RepairPacker {
    fn name(&self) -> String {
        "REPAIR".to_owned()
    }

    fn solve(&self, instance: &Instance, _: &Settings) -> Outcome {
        let jobs = instance.jobs.len();
        let problem =
            Adaptation { instance: instance.clone(), current: vec![Vec::new(); jobs], cost: vec![0; jobs] };
        let found = Adapter::new().adapt(&problem, 0);
        found.map_or(Outcome::Failed, |found| {
            Outcome::Solved(Solved { mapping: found.mapping, minimum_yield: found.minimum_yield })
        })
    }
}
