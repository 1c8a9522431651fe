//! The stronger solver, which needs cmake and a C++ compiler to build.

use super::{Dive, Solver, SolverError};
use crate::outcome::{Limits, Status};
use crate::program::{Answer, Program, Relation, Variable};
use highs::{Col, HighsModelStatus, HighsSolutionStatus, HighsStatus, Model, RowProblem, Sense, SolvedModel};

/// The crate `highs`: dual simplex, and branch and cut, in C++.
#[derive(Clone, Copy, Debug)]
pub(super) struct Highs;

const NAME: &str = "highs";

impl Solver for Highs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn solve(&self, program: &Program, limits: &Limits) -> Result<Answer, SolverError> {
        let integer = program.columns.iter().any(|column| column.integer);
        let (mut model, _) = model(program)?;
        if let Some(time) = limits.time {
            set(&mut model, "time_limit", time.as_secs_f64())?;
        }
        if let Some(nodes) = limits.nodes {
            set(&mut model, "mip_max_nodes", i32::try_from(nodes).unwrap_or(i32::MAX))?;
        }
        // Its own default is 1e-4.
        set(&mut model, "mip_rel_gap", limits.gap)?;
        set(&mut model, "mip_abs_gap", 0.0)?;
        let solved = model.try_solve().map_err(|status| failed(&status))?;
        let status = status(&solved)?;
        let values = values(&solved);
        let objective = (!values.is_empty()).then(|| solved.objective_value());
        let info = |name| solved.double_info_value(name).ok().filter(|value: &f64| value.is_finite());
        let (bound, gap) = match (status, integer) {
            (Status::Optimal, _) => (objective, Some(0.0)),
            (Status::Feasible | Status::TimedOut, true) => (info(c"mip_dual_bound"), info(c"mip_gap")),
            _ => (None, None),
        };
        // It calls a solution within the gap optimal.
        let within = status == Status::Optimal && integer && info(c"mip_gap").is_some_and(|gap| gap > 0.0);
        let (status, bound, gap) = if within {
            (Status::Feasible, info(c"mip_dual_bound"), info(c"mip_gap"))
        } else {
            (status, bound, gap)
        };
        Ok(Answer { status, objective, bound, gap, values, nodes: None })
    }

    fn dive(&self, program: &Program, limits: &Limits) -> Result<Box<dyn Dive>, SolverError> {
        let (mut model, columns) = model(program)?;
        if let Some(time) = limits.time {
            set(&mut model, "time_limit", time.as_secs_f64())?;
        }
        let mut dive = HighsDive { columns, status: Status::Infeasible, values: Vec::new(), solved: None };
        dive.take(model)?;
        Ok(Box::new(dive))
    }
}

#[derive(Debug)]
struct HighsDive {
    columns: Vec<Col>,
    status: Status,
    values: Vec<f64>,
    solved: Option<SolvedModel>,
}

impl HighsDive {
    fn take(&mut self, model: Model) -> Result<(), SolverError> {
        let solved = model.try_solve().map_err(|status| failed(&status))?;
        self.status = status(&solved)?;
        self.values = if self.status == Status::Optimal { values(&solved) } else { Vec::new() };
        self.solved = Some(solved);
        Ok(())
    }
}

impl Dive for HighsDive {
    fn status(&self) -> Status {
        self.status
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn fix(&mut self, fixed: &[(Variable, f64)]) -> Result<(), SolverError> {
        if self.status != Status::Optimal {
            return Ok(());
        }
        let Some(solved) = self.solved.take() else { return Ok(()) };
        let mut model = Model::from(solved);
        for &(variable, value) in fixed {
            model.change_column_bounds(self.columns[variable.0], value..=value);
        }
        self.take(model)
    }
}

/// One thread and the simplex method: the same vertex each time.
fn model(program: &Program) -> Result<(Model, Vec<Col>), SolverError> {
    let mut problem = RowProblem::new();
    let columns: Vec<Col> = program
        .columns
        .iter()
        .map(|column| {
            problem.add_column_with_integrality(column.objective, column.range.clone(), column.integer)
        })
        .collect();
    for row in &program.rows {
        let terms: Vec<(Col, f64)> =
            row.terms.iter().map(|&(variable, factor)| (columns[variable.0], factor)).collect();
        match row.relation {
            Relation::AtMost => problem.add_row(..=row.constant, terms),
            Relation::Equal => problem.add_row(row.constant..=row.constant, terms),
            Relation::AtLeast => problem.add_row(row.constant.., terms),
        };
    }
    let mut model = problem.try_optimise(Sense::Maximise).map_err(|status| failed(&status))?;
    set(&mut model, "threads", 1)?;
    set(&mut model, "parallel", "off")?;
    set(&mut model, "solver", "simplex")?;
    Ok((model, columns))
}

fn set<V: highs::HighsOptionValue>(model: &mut Model, option: &str, value: V) -> Result<(), SolverError> {
    model
        .try_set_option(option, value)
        .map_err(|_| SolverError { solver: NAME, reason: format!("it refuses the value of {option}") })
}

fn values(solved: &SolvedModel) -> Vec<f64> {
    match solved.primal_solution_status() {
        HighsSolutionStatus::Feasible => solved.get_solution().columns().to_vec(),
        _ => Vec::new(),
    }
}

fn status(solved: &SolvedModel) -> Result<Status, SolverError> {
    match solved.status() {
        HighsModelStatus::Optimal | HighsModelStatus::ModelEmpty => Ok(Status::Optimal),
        HighsModelStatus::Infeasible => Ok(Status::Infeasible),
        HighsModelStatus::Unbounded => Ok(Status::Unbounded),
        HighsModelStatus::ReachedTimeLimit
        | HighsModelStatus::ReachedIterationLimit
        | HighsModelStatus::ReachedSolutionLimit
        | HighsModelStatus::ReachedInterrupt => Ok(Status::TimedOut),
        other => Err(SolverError { solver: NAME, reason: format!("it ends with {other:?}") }),
    }
}

fn failed(status: &HighsStatus) -> SolverError {
    SolverError { solver: NAME, reason: format!("it ends with {status:?}") }
}
