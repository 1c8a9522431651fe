//! The diving heuristics FASTDIVING and SLOWDIVING.

use super::linear::outcome_of;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_optimum::{
    Attempt, Integrality, Limits, Loads, Model, Solver, SolverError, Status, Variable, ZERO,
};
use dfrsim_vector_packing::{Outcome, Settings};
use std::time::Instant;

/// Variants of diving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diving {
    /// FASTDIVING: each step fixes the task with the largest fraction on the corresponding node.
    Fast,
    /// SLOWDIVING: each step fixes the single fraction that is closest to 0 or 1.
    Slow,
}

/// Solves an instance by diving.
pub(crate) fn solve(instance: &Instance, diving: Diving, settings: &Settings) -> Outcome {
    outcome_of(dive(instance, diving, settings.solver.solver(), &settings.limits))
}

/// Performs diving (dissertation, section 4.2.3): solves the relaxed program, fixes a variable that
/// is nearly integral, and repeats until every task is on one node. Ties are broken by the lowest
/// task, then the lowest node. Only the time limit of `limits` applies.
///
/// Fractions that are already integral are fixed together, since the optimum remains optimal under
/// them. To place a task on a node, it is enough to fix one variable, since (4.3) fixes the others.
///
/// # Errors
///
/// A failure of the solver.
pub fn dive(
    instance: &Instance,
    diving: Diving,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt, SolverError> {
    let start = Instant::now();
    let Some(model) = Model::new(instance, Integrality::Relaxed) else { return Ok(Attempt::TimedOut) };
    let mut dive = solver.dive(&model.program, limits)?;
    let mut open: Vec<Part> = (model.assigned.iter().enumerate())
        .flat_map(|(task, row)| {
            row.iter()
                .enumerate()
                .filter_map(move |(node, assigned)| assigned.map(|variable| Part { task, node, variable }))
        })
        .collect();
    let mut home = vec![None; model.tasks.len()];
    while !open.is_empty() {
        match dive.status() {
            Status::Optimal if limits.time.is_some_and(|time| start.elapsed() >= time) => {
                return Ok(Attempt::TimedOut);
            }
            Status::Optimal => {}
            Status::TimedOut | Status::Feasible => return Ok(Attempt::TimedOut),
            Status::Infeasible | Status::Unbounded => return Ok(Attempt::Failed),
        }
        let fixed = next(diving, &open, dive.values());
        for &(part, whole) in &fixed {
            if whole {
                home[part.task] = Some(part.node);
            }
        }
        let fix: Vec<(Variable, f64)> =
            fixed.iter().map(|&(part, whole)| (part.variable, f64::from(u8::from(whole)))).collect();
        match diving {
            Diving::Fast => open.retain(|part| home[part.task].is_none()),
            Diving::Slow => {
                let at = |part: &Part| fixed.binary_search_by_key(&part.variable, |fixed| fixed.0.variable);
                open.retain(|part| at(part).is_err());
            }
        }
        dive.fix(&fix)?;
    }
    let mut loads = Loads::new(instance, Yield::ZERO);
    let fit =
        model.tasks.iter().zip(home).all(|(&job, home)| home.is_some_and(|node| loads.place(job, node)));
    // The nodes may be overfilled, within the tolerance of the solver.
    Ok(loads.solution().filter(|_| fit).map_or(Attempt::Failed, Attempt::Found))
}

/// A variable e_jn. Lists are sorted by variable.
#[derive(Clone, Copy, Debug)]
struct Part {
    task: usize,
    node: usize,
    variable: Variable,
}

/// Selects the variables to fix, with true for 1 and false for 0: all integral ones, or if there are
/// none, the one closest to integrality.
fn next(diving: Diving, open: &[Part], values: &[f64]) -> Vec<(Part, bool)> {
    let value = |part: &Part| values[part.variable.index()];
    // Distance of the fraction from the nearest value at which it may be fixed.
    let distance = |part: &Part| match diving {
        Diving::Fast => 1.0 - value(part),
        Diving::Slow => value(part).min(1.0 - value(part)),
    };
    let whole: Vec<Part> = open.iter().copied().filter(|part| distance(part) <= ZERO).collect();
    let chosen = if whole.is_empty() {
        open.iter()
            .copied()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
            .into_iter()
            .collect()
    } else {
        whole
    };
    chosen.into_iter().map(|part| (part, diving == Diving::Fast || value(&part) > 0.5)).collect()
}
