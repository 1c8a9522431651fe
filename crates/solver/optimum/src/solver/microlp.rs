//! The microlp solver, a Rust crate without other build requirements.

use super::{Dive, Solver, SolverError};
use crate::outcome::{Limits, Status};
use crate::program::{Answer, Program, Relation, Variable};
use microlp::{
    ComparisonOp, Error, OptimizationDirection, Problem, Solution, SolveOptions, SolveOutcome, Stats,
    TerminationReason,
};

/// The crate `microlp`: simplex, and branch and bound, in Rust.
#[derive(Clone, Copy, Debug)]
pub(super) struct Microlp;

const NAME: &str = "microlp";

impl Solver for Microlp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&self, program: &Program, limits: &Limits) -> Result<Answer, SolverError> {
        let (problem, variables) = problem(program);
        let mut options = SolveOptions::default();
        options.time_limit = limits.time;
        options.node_limit = limits.nodes;
        options.mip_gap = limits.gap;
        let (status, stats, solution) = match problem.solve_with(options) {
            Ok(outcome) => {
                let status = match (outcome.is_optimal(), outcome.termination_reason()) {
                    (true, _) => Status::Optimal,
                    (false, TerminationReason::MipGap) => Status::Feasible,
                    (false, _) => Status::TimedOut,
                };
                (status, outcome.stats(), outcome.into_solution().ok())
            }
            Err(error) => (no_optimum(&error)?, Stats::default(), None),
        };
        let objective = solution.as_ref().map(Solution::objective);
        let optimal = status == Status::Optimal;
        Ok(Answer {
            status,
            objective,
            bound: if optimal { objective } else { stats.best_bound },
            gap: if optimal { Some(0.0) } else { stats.gap },
            values: solution.map(|solution| values(&solution, &variables)).unwrap_or_default(),
            nodes: Some(stats.nodes_solved),
        })
    }

    fn dive(&self, program: &Program, limits: &Limits) -> Result<Box<dyn Dive>, SolverError> {
        let (problem, variables) = problem(program);
        let mut options = SolveOptions::default();
        options.time_limit = limits.time;
        let mut dive =
            MicrolpDive { variables, status: Status::Infeasible, values: Vec::new(), solution: None };
        dive.store(problem.solve_with(options))?;
        dive.read();
        Ok(Box::new(dive))
    }
}

#[derive(Debug)]
struct MicrolpDive {
    variables: Vec<microlp::Variable>,
    status: Status,
    values: Vec<f64>,
    solution: Option<Solution>,
}

impl MicrolpDive {
    fn store(&mut self, solved: Result<SolveOutcome, Error>) -> Result<(), SolverError> {
        match solved {
            Ok(outcome) => {
                self.status = if outcome.is_optimal() { Status::Optimal } else { Status::TimedOut };
                self.solution = outcome.into_solution().ok().filter(|_| self.status == Status::Optimal);
            }
            Err(error) => self.status = no_optimum(&error)?,
        }
        Ok(())
    }

    fn read(&mut self) {
        self.values =
            self.solution.as_ref().map(|solution| values(solution, &self.variables)).unwrap_or_default();
    }
}

impl Dive for MicrolpDive {
    fn status(&self) -> Status {
        self.status
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn fix(&mut self, fixed: &[(Variable, f64)]) -> Result<(), SolverError> {
        for &(variable, value) in fixed {
            let Some(solution) = self.solution.take() else { break };
            self.store(solution.fix_var(self.variables[variable.0], value))?;
        }
        self.read();
        Ok(())
    }
}

fn problem(program: &Program) -> (Problem, Vec<microlp::Variable>) {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<microlp::Variable> = program
        .columns
        .iter()
        .map(|column| {
            let (low, high) = (*column.range.start(), *column.range.end());
            if column.integer {
                problem.add_integer_var(column.objective, (low as i32, high as i32))
            } else {
                problem.add_var(column.objective, (low, high))
            }
        })
        .collect();
    for row in &program.rows {
        let relation = match row.relation {
            Relation::AtMost => ComparisonOp::Le,
            Relation::Equal => ComparisonOp::Eq,
            Relation::AtLeast => ComparisonOp::Ge,
        };
        let terms: Vec<_> =
            row.terms.iter().map(|&(variable, factor)| (variables[variable.0], factor)).collect();
        problem.add_constraint(terms.as_slice(), relation, row.constant);
    }
    (problem, variables)
}

fn values(solution: &Solution, variables: &[microlp::Variable]) -> Vec<f64> {
    variables.iter().map(|&variable| solution.var_value(variable)).collect()
}

/// Converts an error to a status, unless it is a failure of the solver.
fn no_optimum(error: &Error) -> Result<Status, SolverError> {
    match error {
        Error::Infeasible => Ok(Status::Infeasible),
        Error::Unbounded => Ok(Status::Unbounded),
        error => Err(failed(error.to_string())),
    }
}

fn failed(reason: String) -> SolverError {
    SolverError { solver: NAME, reason }
}
