//! The packing algorithm with a guarantee: `VP_CHEKURI`.

use crate::bound::lp_bound;
use crate::fewest_nodes::fewest_by_sums;
use crate::loads::Loads;
use crate::outcome::{Attempt, Limits, Placed, Status};
use crate::relaxation::packing_program;
use crate::solver::{Solver, SolverError};
use crate::tasks::jobs_of_tasks;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use std::cmp::Reverse;
use std::time::Instant;

/// How near to 1 a part of a vertex counts as whole.
const WHOLE: f64 = 1.0 - 1e-6;

/// Packs all tasks at one minimum yield by the algorithm of Chekuri and Khanna, "On multidimensional packing problems"
/// (2004), which the dissertation calls the O(ln D) guaranteed one (section 4.2.5).
///
/// The rational program of splitting tasks over as few of the first nodes as it can is solved for a vertex, which splits at
/// most D tasks for each of these nodes. Whole tasks stay where they are; the others go to the nodes beyond, by first fit
/// and decreasing largest demand (which fills one node after the other). Since success depends on which vertex the solver
/// finds, it is not monotone in the yield.
///
/// # Errors
///
/// When the solver fails.
pub fn chekuri_pack(
    instance: &Instance,
    scaled: Yield,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt, SolverError> {
    let Some(tasks) = jobs_of_tasks(instance) else { return Ok(Attempt::TimedOut) };
    let Some(fewest) = fewest_by_sums(instance, scaled) else { return Ok(Attempt::Failed) };
    for nodes in fewest..=instance.nodes.len() {
        let (program, stands) = packing_program(instance, &tasks, scaled, nodes);
        let answer = solver.solve(&program, limits)?;
        match answer.status {
            // On nodes that differ the sums are not all.
            Status::Infeasible | Status::Unbounded => continue,
            Status::Feasible | Status::TimedOut => return Ok(Attempt::TimedOut),
            Status::Optimal => {}
        }
        let mut loads = Loads::new(instance, scaled);
        let mut split = Vec::new();
        for (&job, row) in tasks.iter().zip(&stands) {
            let whole = row.iter().position(|&part| answer.value(part) >= WHOLE);
            // The solver's tolerance may have overfilled a node by a little.
            if !whole.is_some_and(|node| loads.place(job, node)) {
                split.push(job);
            }
        }
        split.sort_by_key(|&job| Reverse(loads.takes(job).iter().max().copied()));
        let beyond = nodes..instance.nodes.len();
        let all = split.iter().all(|&job| beyond.clone().any(|node| loads.place(job, node)));
        return Ok(loads.placed().filter(|_| all).map_or(Attempt::Failed, Attempt::Found));
    }
    Ok(Attempt::Failed)
}

/// `VP_CHEKURI`: the largest minimum yield at which [`chekuri_pack`] succeeds, by the search that all vector packing
/// algorithms use: LPBOUND is tried, then 0, and between them it is bisected until they are no more than `precision` apart.
/// A limit of time is one for everything.
///
/// # Errors
///
/// When the solver fails.
pub fn vp_chekuri(
    instance: &Instance,
    precision: Yield,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt, SolverError> {
    let start = Instant::now();
    let left = || Limits { time: limits.time.map(|time| time.saturating_sub(start.elapsed())), ..*limits };
    let Some(mut failure) = lp_bound(instance) else { return Ok(Attempt::Failed) };
    let at_bound = chekuri_pack(instance, failure, solver, &left())?;
    if at_bound != Attempt::Failed || failure == Yield::ZERO {
        return Ok(at_bound);
    }
    let mut best: Placed = match chekuri_pack(instance, Yield::ZERO, solver, &left())? {
        Attempt::Found(placed) => placed,
        other => return Ok(other),
    };
    let mut success = Yield::ZERO;
    while failure.units() - success.units() > precision.units().max(1) {
        let middle = Yield::from_ratio(
            u64::from(success.units() + (failure.units() - success.units()) / 2),
            u64::from(Yield::ONE.units()),
        );
        match chekuri_pack(instance, middle, solver, &left())? {
            Attempt::Found(placed) => (success, best) = (middle, placed),
            Attempt::Failed => failure = middle,
            Attempt::TimedOut => return Ok(Attempt::TimedOut),
        }
    }
    Ok(Attempt::Found(best))
}
