//! Vertices of the relaxed program, the basis of rounding heuristics.

use crate::bound::lp_bound;
use crate::milp::{Integrality, Model};
use crate::outcome::{Attempt, Limits, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use crate::tasks::{LARGEST_PROGRAM, jobs_of_tasks};
use dfrsim_model::offline::Instance;

/// Linear programs whose vertices are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relaxation {
    /// The published program, (4.1) to (4.6), with two variables and a constraint for each task and
    /// node.
    #[default]
    Published,
    /// The program for a minimum yield known to be optimal, LPBOUND, with one variable for each task
    /// and node and constraints only for tasks and for resources of nodes: the fraction of a task on
    /// a node is also the fraction that runs there. If LPBOUND is 1, its solutions are the optima of
    /// the published program, with the same vertices. Otherwise they are those optima in which each
    /// task runs in proportion to its fractions. It is 20 to 60 times faster. On heterogeneous nodes
    /// it may have no solution although the published program has one.
    AtBound,
}

/// An optimal vertex of a relaxed program.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Job of each task, in the order of jobs.
    pub tasks: Vec<usize>,
    /// Fraction of each task on each node, e_jn, from 0 to 1.
    pub parts: Vec<Vec<f64>>,
}

/// Solves the relaxed program of an instance (dissertation, section 4.2.3), for RRND and RRNDNZ.
/// These need a vertex from the solver, as the closed-form solution spreads every task evenly and
/// gives no guidance. If the program has no solution, the instance has none.
///
/// # Errors
///
/// A failure of the solver.
pub fn relaxed(
    instance: &Instance,
    relaxation: Relaxation,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Attempt<Split>, SolverError> {
    let (program, tasks, assigned): (Program, Vec<usize>, Vec<Vec<Variable>>) = match relaxation {
        Relaxation::Published => {
            let Some(model) = Model::new(instance, Integrality::Relaxed) else {
                return Ok(Attempt::TimedOut);
            };
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

/// Builds the program, without an objective, that splits tasks over the first nodes such that all
/// have a given minimum yield.
pub fn packing_program(
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
        let most = crate::amounts::node_capacity(most) as f64;
        let takes = |&job: &usize| instance.jobs[job].sizes_at(instance.fixed, scaled).nth(at);
        let takes: Vec<f64> = tasks.iter().filter_map(takes).map(|takes| takes as f64 / most).collect();
        for (node, offers) in instance.nodes[..nodes].iter().enumerate() {
            let terms = assigned.iter().zip(&takes).map(|(row, &takes)| (row[node], takes));
            let offers = crate::amounts::node_capacity(offers[at]) as f64 / most;
            program.constrain(terms.filter(|term| term.1 > 0.0), Relation::AtMost, offers);
        }
    }
    (program, assigned)
}
