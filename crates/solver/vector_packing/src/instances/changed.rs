//! Instances of the adaptation problem.

use super::InstanceSet;
use crate::vector::{Options, VectorPacking};
use dfrsim_model::Seed;
use dfrsim_model::offline::{Adaptation, Instance};
use rand::seq::index;

/// Fraction of the needs that change, and fraction of the jobs that are replaced.
const REDRAWN: f64 = 0.25;
const REPLACED: f64 = 0.1;

/// Creates an adaptation problem by changing an instance. Jobs are on the nodes on which VP_CPSUM
/// packed them. Then a quarter of their fluid needs change to those of `other`, an instance of the
/// same scenario, and a tenth of the jobs are replaced by jobs of `other`, which are new. `seed`
/// determines the selection; numbers are rounded to the nearest. The cost of moving a task is its
/// first fixed requirement, its memory. Returns `None` if VP_CPSUM finds no solution, or if the two
/// instances differ in their numbers of jobs or resources.
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
    let packing = "VP_CPSUM".parse().expect("VP_CPSUM is a known algorithm");
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

/// Creates the adaptation problem of this number on 4 nodes: a change of an instance of
/// [`InstanceSet::DissertationSmall`] to another one of the same scenario. Consecutive numbers
/// stride through the scenarios; each scenario occurs once in 729 numbers, with other samples each
/// time. Returns `None` if [`changed`] does.
pub fn small_change(study: Seed, number: u64) -> Option<Adaptation> {
    let set = InstanceSet::DissertationSmall;
    let scenarios = set.scenarios().len() as u64;
    let place = number.checked_mul(STRIDE)?;
    let (scenario, first) = ((place % scenarios) as u32, u32::try_from(2 * (place / scenarios)).ok()?);
    let sample = |sample| set.instance(study, scenario, sample);
    changed(&sample(first)?, &sample(first + 1)?, study.numbered(place))
}

/// Stride through the scenarios; coprime to their number.
const STRIDE: u64 = 100;
