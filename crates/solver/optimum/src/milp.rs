//! The published mixed integer linear program, and its relaxation.

use crate::amounts::mapping_yield;
use crate::bound::lp_bound;
use crate::outcome::{Limits, Outcome, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use crate::tasks::{LARGEST_PROGRAM, jobs_of_tasks};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, collect_mapping};

/// The program (4.1) to (4.6) of an instance, with each task as a job of its own (section 4.5.1).
#[derive(Clone, Debug)]
pub struct Model {
    /// The program, whose objective is the minimum yield.
    pub program: Program,
    /// Variable of the minimum yield, Y.
    pub min_yield: Variable,
    /// Job of each task, in the order of jobs.
    pub tasks: Vec<usize>,
    /// Variable e_jn for each task and node, 1 if the task is on the node; `None` where symmetry
    /// breaking excludes it.
    pub assigned: Vec<Vec<Option<Variable>>>,
}

/// Domains of the assignment variables of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrality {
    /// A task is on one node. On identical nodes task j is on none after the j-th, which breaks
    /// symmetry.
    Integral,
    /// Tasks may be split, as in the relaxation of section 4.2.3.
    Relaxed,
}

impl Model {
    /// Builds the program of an instance; `None` if the number of tasks times the number of nodes
    /// exceeds 2^20.
    pub fn new(instance: &Instance, places: Integrality) -> Option<Model> {
        let tasks = jobs_of_tasks(instance, LARGEST_PROGRAM)?;
        let mut program = Program::new();
        let min_yield = program.real(1.0, 0.0..=1.0);
        let ordered = places == Integrality::Integral && instance.is_homogeneous();
        let mut assigned = Vec::with_capacity(tasks.len());
        let mut runs = Vec::with_capacity(tasks.len());
        for (task, &job) in tasks.iter().enumerate() {
            let nodes = 0..instance.nodes.len();
            let row: Vec<Option<Variable>> = nodes
                .map(|node| {
                    (!ordered || node <= task).then(|| match places {
                        Integrality::Integral => program.integer(0.0, 0..=1),
                        Integrality::Relaxed => program.real(0.0, 0.0..=1.0),
                    })
                })
                .collect();
            let run: Vec<Option<Variable>> =
                row.iter().map(|assigned| assigned.map(|_| program.real(0.0, 0.0..=1.0))).collect();
            // (4.3)
            program.constrain(row.iter().flatten().map(|&assigned| (assigned, 1.0)), Relation::Equal, 1.0);
            // (4.4)
            for (&assigned, &run) in row.iter().flatten().zip(run.iter().flatten()) {
                program.constrain([(run, 1.0), (assigned, -1.0)], Relation::AtMost, 0.0);
            }
            // (4.6)
            let least = instance.jobs[job].least_yield.as_f64();
            let terms = run.iter().flatten().map(|&run| (run, 1.0));
            program.constrain(terms.chain([(min_yield, least - 1.0)]), Relation::AtLeast, least);
            assigned.push(row);
            runs.push(run);
        }
        // Constraints (4.5), relative to the largest node.
        for at in 0..instance.dimensions() {
            let most = f64::from(instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0).max(1));
            let table = if at < instance.fixed { &assigned } else { &runs };
            for (node, offers) in instance.nodes.iter().enumerate() {
                let demand = |task: usize| f64::from(instance.jobs[tasks[task]].demand[at]) / most;
                let terms = table
                    .iter()
                    .enumerate()
                    .filter_map(|(task, row)| row[node].map(|variable| (variable, demand(task))))
                    .filter(|term| term.1 > 0.0);
                program.constrain(terms, Relation::AtMost, f64::from(offers[at]) / most);
            }
        }
        Some(Model { program, min_yield, tasks, assigned })
    }
}

/// Computes OPT by the mixed integer program (dissertation, sections 4.1.2 and 4.2.1).
///
/// The solver has tolerances of about 1e-7, so the minimum yield is computed exactly from the
/// mapping. A mapping that exploits the tolerance on a fixed resource is not a solution; the outcome
/// then has only a bound.
///
/// # Errors
///
/// A failure of the solver.
pub fn optimum_by_program(
    instance: &Instance,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Outcome, SolverError> {
    let Some(model) = Model::new(instance, Integrality::Integral) else {
        // The instance is too large.
        let (status, bound) = (Status::TimedOut, lp_bound(instance));
        return Ok(Outcome { status, best: None, bound, nodes: None });
    };
    let answer = solver.solve(&model.program, limits)?;
    let best = (!answer.values.is_empty())
        .then(|| {
            let is_on = |on: &Option<Variable>| on.is_some_and(|on| answer.value(on) > 0.5);
            let places = model.assigned.iter().zip(&model.tasks);
            let places = places.map(|(row, &job)| Some((job, row.iter().position(is_on)? as u32, 1)));
            let mapping = collect_mapping(instance.jobs.len(), places.collect::<Option<Vec<_>>>()?);
            mapping_yield(instance, &mapping).map(|minimum_yield| Solved { mapping, minimum_yield })
        })
        .flatten();
    let status = match answer.status {
        Status::Optimal | Status::Feasible if best.is_none() => Status::TimedOut,
        status => status,
    };
    let bound = match (status, &best) {
        (Status::Infeasible, _) => None,
        (Status::Optimal, Some(best)) => Some(best.minimum_yield),
        _ => Some(Yield::from_f64(answer.bound.unwrap_or(1.0))),
    };
    Ok(Outcome { status, best, bound, nodes: answer.nodes })
}
