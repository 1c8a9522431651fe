//! Instances of the adaptation problem.

use super::InstanceSet;
use crate::vector::{Options, VectorPacking};
use dfrsim_model::Seed;
use dfrsim_model::offline::{Adaptation, Instance};
use rand::seq::index;

/// The part of the needs that change, and of the jobs that others replace.
const REDRAWN: f64 = 0.25;
const REPLACED: f64 = 0.1;

/// The adaptation problem after a change: jobs are where VP_CPSUM packed them, then a quarter of their fluid needs
/// change to those of `other`, an instance of the same scenario, and a tenth of the jobs are replaced by its jobs,
/// which are new. Which ones comes from the seed; numbers are rounded to the nearest. Moving a task costs its first
/// fixed requirement, its memory. `None` if VP_CPSUM has no solution, or if the two instances have not as many jobs and
/// resources.
///
/// ```
/// use dfrsim_model::Seed;
/// use dfrsim_vector_packing::instances::{InstanceSet, changed};
///
/// let sample = |sample| InstanceSet::DissertationSmall.instance(Seed::new(1), 4, sample).unwrap();
/// let problem = changed(&sample(0), &sample(1), Seed::new(1)).unwrap();
/// assert_eq!(problem.current.iter().filter(|places| places.is_empty()).count(), 1);
/// ```
pub fn changed(before: &Instance, other: &Instance, seed: Seed) -> Option<Adaptation> {
    let jobs = before.jobs.len();
    if other.jobs.len() != jobs || (other.fixed, other.fluid) != (before.fixed, before.fluid) {
        return None;
    }
    let packing = "VP_CPSUM".parse().expect("a name of the texts");
    let mut current = VectorPacking::new(packing, Options::default()).solve(before).ok()??.mapping;
    let mut instance = before.clone();
    let part = |count: usize, part: f64| (count as f64 * part).round() as usize;
    let needs = jobs * before.fluid;
    for need in index::sample(&mut seed.fork("needs").rng(), needs, part(needs, REDRAWN)) {
        let (job, at) = (need / before.fluid, before.fixed + need % before.fluid);
        instance.jobs[job].demand[at] = other.jobs[job].demand[at];
    }
    for job in index::sample(&mut seed.fork("jobs").rng(), jobs, part(jobs, REPLACED)) {
        instance.jobs[job] = other.jobs[job].clone();
        current[job].clear();
    }
    let memory = |demand: &[u32]| if before.fixed > 0 { u64::from(demand[0]) } else { 1 };
    let cost = instance.jobs.iter().map(|job| memory(&job.demand)).collect();
    Some(Adaptation { instance, current, cost })
}

/// The adaptation problem of this number on 4 nodes: a change of an instance of [`InstanceSet::DissertationSmall`] to another one
/// of the same scenario. Numbers leap through the scenarios, each of which comes once in 729, with other samples each time.
/// `None` where [`changed`] is `None`.
pub fn small_change(study: Seed, number: u64) -> Option<Adaptation> {
    let set = InstanceSet::DissertationSmall;
    let scenarios = set.scenarios().len() as u64;
    let place = number.checked_mul(LEAP)?;
    let (scenario, first) = ((place % scenarios) as u32, u32::try_from(2 * (place / scenarios)).ok()?);
    let sample = |sample| set.instance(study, scenario, sample);
    changed(&sample(first)?, &sample(first + 1)?, study.numbered(place))
}

/// It has no factor in common with the number of scenarios.
const LEAP: u64 = 100;
