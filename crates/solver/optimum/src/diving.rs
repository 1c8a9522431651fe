//! Diving: FASTDIVING and SLOWDIVING.

use crate::loads::Loads;
use crate::milp::{Model, Places};
use crate::outcome::{Attempt, Limits, Status};
use crate::program::Variable;
use crate::rounding::ZERO;
use crate::solver::{Solver, SolverError};
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use std::time::Instant;

/// How carefully one dives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diving {
    /// FASTDIVING: each step puts the task with the largest part on the node where that is.
    Fast,
    /// SLOWDIVING: each step fixes the one part that is closest to 0 or 1.
    Slow,
}

/// Dives (dissertation, section 4.2.3): solves the relaxed program, fixes something that is nearly whole, and so on until
/// every task is on one node. Ties: the lowest task, then the lowest node. Of the limits, time alone counts.
///
/// Parts that are whole already are fixed together, since a program whose optimum keeps to what is fixed keeps that optimum;
/// to put a task on a node is to fix one variable, since (4.3) fixes the others.
///
/// # Errors
///
/// When the solver fails.
pub fn dive(
    instance: &Instance,
    diving: Diving,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt, SolverError> {
    let start = Instant::now();
    let Some(model) = Model::new(instance, Places::Split) else { return Ok(Attempt::TimedOut) };
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
    // A solver's tolerance may have let a node be overfull.
    Ok(loads.placed().filter(|_| fit).map_or(Attempt::Failed, Attempt::Found))
}

/// A variable e_jn; lists of them are in the order of the variables.
#[derive(Clone, Copy, Debug)]
struct Part {
    task: usize,
    node: usize,
    variable: Variable,
}

/// What is fixed next, and whether at 1: all that is whole, or else what is next to it.
fn next(diving: Diving, open: &[Part], values: &[f64]) -> Vec<(Part, bool)> {
    let value = |part: &Part| values[part.variable.0];
    // How far the part is from where it may be fixed.
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
