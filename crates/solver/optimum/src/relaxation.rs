//! Vertices of the relaxed program, from which heuristics round.

use crate::bound::lp_bound;
use crate::milp::{Model, Places};
use crate::outcome::{Attempt, Limits, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use crate::tasks::{LARGEST_PROGRAM, jobs_of_tasks};
use dfrsim_model::offline::Instance;

/// Which program is relaxed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relaxation {
    /// The printed one, (4.1) to (4.6), with two variables and a constraint for each task and node.
    #[default]
    Printed,
    /// The one for a minimum yield that is known to be optimal, LPBOUND, with one variable for each task and node and
    /// constraints only for tasks and resources: a task runs on a node by the part with which it is there. Where
    /// LPBOUND is 1 that is what the printed program has as its optima, with the same vertices; below, they are those of
    /// its optima in which no task runs more on one node, for its part, than on another. Twenty to sixty times faster; on
    /// nodes that differ it may have no solution though the printed one has.
    AtBound,
}

/// An optimal vertex of a relaxed program.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The job of each task, in the order of the jobs.
    pub tasks: Vec<usize>,
    /// For each task and node, the part with which it is there, e_jn, from 0 to 1.
    pub parts: Vec<Vec<f64>>,
}

/// Solves the relaxed program of an instance (dissertation, section 4.2.3): the start of RRND and RRNDNZ. The solver's
/// vertex is wanted, not the closed form, which spreads every task evenly and points nowhere. If it has no solution, neither
/// has the instance.
///
/// # Errors
///
/// When the solver fails.
pub fn relaxed(
    instance: &Instance,
    relaxation: Relaxation,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt<Split>, SolverError> {
    let (program, tasks, assigned): (Program, Vec<usize>, Vec<Vec<Variable>>) = match relaxation {
        Relaxation::Printed => {
            let Some(model) = Model::new(instance, Places::Split) else { return Ok(Attempt::TimedOut) };
            let assigned = model.assigned.iter().map(|row| row.iter().flatten().copied().collect()).collect();
            (model.program, model.tasks, assigned)
        }
        Relaxation::AtBound => {
            let Some(bound) = lp_bound(instance) else { return Ok(Attempt::Failed) };
            let Some(tasks) = jobs_of_tasks(instance, LARGEST_PROGRAM) else { return Ok(Attempt::TimedOut) };
            let (program, assigned) = packing_program(instance, &tasks, bound, instance.nodes.len());
            (program, tasks, assigned)
        }
    };
    let answer = solver.solve(&program, limits)?;
    Ok(match answer.status {
        Status::Optimal => {
            let parts =
                |row: &Vec<Variable>| row.iter().map(|&part| answer.value(part).clamp(0.0, 1.0)).collect();
            Attempt::Found(Split { tasks, parts: assigned.iter().map(parts).collect() })
        }
        Status::Infeasible | Status::Unbounded => Attempt::Failed,
        Status::Feasible | Status::TimedOut => Attempt::TimedOut,
    })
}

/// The program of splitting tasks over the first nodes so that all have a given minimum yield, without an objective.
pub(crate) fn packing_program(
    instance: &Instance,
    tasks: &[usize],
    scaled: dfrsim_model::Yield,
    nodes: usize,
) -> (Program, Vec<Vec<Variable>>) {
    let mut program = Program::new();
    let assigned: Vec<Vec<Variable>> =
        tasks.iter().map(|_| (0..nodes).map(|_| program.real(0.0, 0.0..=1.0)).collect()).collect();
    for row in &assigned {
        program.constrain(row.iter().map(|&part| (part, 1.0)), Relation::Equal, 1.0);
    }
    for at in 0..instance.dimensions() {
        let most = instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0).max(1);
        let most = crate::amounts::node_offers(most) as f64;
        let takes = |&job: &usize| instance.jobs[job].sizes_at(instance.fixed, scaled).nth(at);
        let takes: Vec<f64> = tasks.iter().filter_map(takes).map(|takes| takes as f64 / most).collect();
        for (node, offers) in instance.nodes[..nodes].iter().enumerate() {
            let terms = assigned.iter().zip(&takes).map(|(row, &takes)| (row[node], takes));
            let offers = crate::amounts::node_offers(offers[at]) as f64 / most;
            program.constrain(terms.filter(|term| term.1 > 0.0), Relation::AtMost, offers);
        }
    }
    (program, assigned)
}
