//! The printed mixed integer linear program, and its relaxation.

use crate::amounts::mapping_yield;
use crate::bound::lp_bound;
use crate::outcome::{Limits, Outcome, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use crate::tasks::{LARGEST_PROGRAM, jobs_of_tasks};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved, mapping_of};

/// The program (4.1) to (4.6) of an instance, each task as a job of its own (section 4.5.1).
#[derive(Clone, Debug)]
pub struct Model {
    /// The program, whose objective is the minimum yield.
    pub program: Program,
    /// The variable of the minimum yield, Y.
    pub min_yield: Variable,
    /// The job of each task, in the order of the jobs.
    pub tasks: Vec<usize>,
    /// For each task and node, whether it is there, e_jn; `None` where symmetry forbids it.
    pub assigned: Vec<Vec<Option<Variable>>>,
}

/// The variables of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// A task is on a node or not. On identical nodes task j is on none beyond the j-th, which breaks symmetry.
    Whole,
    /// Tasks may be split, as printed in section 4.2.3.
    Split,
}

impl Model {
    /// Writes down the program of an instance; `None` if it has more than 2^20 tasks times nodes.
    pub fn new(instance: &Instance, places: Places) -> Option<Model> {
        let tasks = jobs_of_tasks(instance, LARGEST_PROGRAM)?;
        let mut program = Program::new();
        let min_yield = program.real(1.0, 0.0..=1.0);
        let ordered = places == Places::Whole && instance.is_homogeneous();
        let mut assigned = Vec::with_capacity(tasks.len());
        let mut runs = Vec::with_capacity(tasks.len());
        for (task, &job) in tasks.iter().enumerate() {
            let nodes = 0..instance.nodes.len();
            let row: Vec<Option<Variable>> = nodes
                .map(|node| {
                    (!ordered || node <= task).then(|| match places {
                        Places::Whole => program.integer(0.0, 0..=1),
                        Places::Split => program.real(0.0, 0.0..=1.0),
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
        // (4.5), in parts of the largest node.
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

/// OPT by the mixed integer program (dissertation, sections 4.1.2 and 4.2.1).
///
/// The solver computes with tolerances of about 1e-7, so the minimum yield is taken from the mapping, exactly. Should the
/// mapping use a tolerance on a fixed resource, it is not a solution, and the outcome has a bound only.
///
/// # Errors
///
/// When the solver fails.
pub fn optimum_by_program(
    instance: &Instance,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Outcome, SolverError> {
    let Some(model) = Model::new(instance, Places::Whole) else {
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
            let mapping = mapping_of(instance.jobs.len(), places.collect::<Option<Vec<_>>>()?);
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
