//! The approximation algorithm for vector packing that `VP_CHEKURI` uses in a search for the yield.

use super::linear::outcome_of;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{
    Attempt, LARGEST_TABLE, Limits, Loads, Solver, SolverError, Status, jobs_of_tasks, lp_bound,
    packing_program,
};
use dfrsim_vector_packing::vector::search;
use dfrsim_vector_packing::{Outcome, Settings};
use std::cmp::Reverse;
use std::time::Instant;

/// Threshold from which a fraction of a vertex counts as 1.
const WHOLE: f64 = 1.0 - 1e-6;

/// Solves an instance by `VP_CHEKURI`, within the yield search of all vector packing algorithms. A
/// time limit applies to the search as a whole.
pub(crate) fn solve(instance: &Instance, settings: &Settings) -> Outcome {
    let Settings { vector, limits, .. } = *settings;
    let start = Instant::now();
    let left = || Limits { time: limits.time.map(|time| time.saturating_sub(start.elapsed())), ..limits };
    let (mut best, mut stopped) = (Attempt::Failed, None);
    search(instance, vector.precision, vector.probes, |at| {
        if stopped.is_some() {
            return false;
        }
        match chekuri_pack(instance, at, settings.solver.solver(), &left()) {
            Ok(Attempt::Failed) => false,
            Ok(found @ Attempt::Found(_)) => {
                best = found;
                true
            }
            other => {
                stopped = Some(other);
                false
            }
        }
    });
    outcome_of(stopped.unwrap_or(Ok(best)))
}

/// Packs all tasks at one minimum yield by the algorithm of Chekuri and Khanna, "On multidimensional
/// packing problems" (2004), which the dissertation calls the O(ln D) guaranteed one (section
/// 4.2.5).
///
/// The linear relaxation, in which tasks may be split over as few of the first nodes as possible, is
/// solved for a vertex. A vertex splits at most D tasks for each of these nodes. Whole tasks stay on
/// their nodes; the others are placed on the remaining nodes by first fit in the order of decreasing
/// largest demand (which fills one node after the other). Success depends on the vertex that the
/// solver finds, so it is not monotone in the yield.
///
/// # Errors
///
/// A failure of the solver.
pub fn chekuri_pack(
    instance: &Instance,
    scaled: Yield,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt, SolverError> {
    let Some(tasks) = jobs_of_tasks(instance, LARGEST_TABLE) else { return Ok(Attempt::TimedOut) };
    let Some(fewest) = fewest_by_sums(instance, scaled) else { return Ok(Attempt::Failed) };
    for nodes in fewest..=instance.nodes.len() {
        let (program, assigned) = packing_program(instance, &tasks, scaled, nodes);
        let answer = solver.solve(&program, limits)?;
        match answer.status {
            // On heterogeneous nodes sufficient sums do not imply feasibility.
            Status::Infeasible | Status::Unbounded => continue,
            Status::Feasible | Status::TimedOut => return Ok(Attempt::TimedOut),
            Status::Optimal => {}
        }
        let mut loads = Loads::new(instance, scaled);
        let mut split = Vec::new();
        for (&job, row) in tasks.iter().zip(&assigned) {
            let whole = row.iter().position(|&part| answer.value(part) >= WHOLE);
            // The node may be slightly overfilled, within the tolerance of the solver.
            if !whole.is_some_and(|node| loads.place(job, node)) {
                split.push(job);
            }
        }
        split.sort_by_key(|&job| Reverse(loads.demand(job).iter().max().copied()));
        let beyond = nodes..instance.nodes.len();
        let all = split.iter().all(|&job| beyond.clone().any(|node| loads.place(job, node)));
        return Ok(loads.solution().filter(|_| all).map_or(Attempt::Failed, Attempt::Found));
    }
    Ok(Attempt::Failed)
}

/// Returns the smallest number of first nodes whose total capacity covers the demand at this minimum
/// yield, if any does.
fn fewest_by_sums(instance: &Instance, min_yield: Yield) -> Option<usize> {
    let enough = |nodes: usize| {
        let first = Instance { nodes: instance.nodes[..nodes].to_vec(), ..instance.clone() };
        lp_bound(&first).is_some_and(|bound| bound >= min_yield)
    };
    // Capacity grows with the number of nodes, so bisection is valid.
    let counts: Vec<usize> = (0..=instance.nodes.len()).collect();
    counts.get(counts.partition_point(|&nodes| !enough(nodes))).copied()
}
