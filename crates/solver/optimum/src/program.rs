//! Linear programs with real and integer variables.

use std::ops::RangeInclusive;

use crate::outcome::Status;

/// A variable of the [`Program`] that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable(pub(crate) usize);

impl Variable {
    /// Returns the position of the variable in lists of values.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Relations between the two sides of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The left side is at most the right one.
    AtMost,
    /// Both sides are equal.
    Equal,
    /// The left side is at least the right one.
    AtLeast,
}

/// One constraint: a linear combination of variables compared with a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) terms: Vec<(Variable, f64)>,
    pub(crate) relation: Relation,
    pub(crate) constant: f64,
}

/// Objective coefficient, range and type of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) objective: f64,
    pub(crate) range: RangeInclusive<f64>,
    pub(crate) integer: bool,
}

/// A linear program to be maximised.
///
/// ```
/// use dfrsim_optimum::{Backend, Limits, Program, Relation, Status};
///
/// let mut program = Program::new();
/// let x = program.real(1.0, 0.0..=f64::INFINITY);
/// let y = program.integer(2.0, 0..=3);
/// program.constrain([(x, 1.0), (y, 1.0)], Relation::AtMost, 4.5);
/// let answer = Backend::Microlp.solver().solve(&program, &Limits::default()).unwrap();
/// assert_eq!(answer.status, Status::Optimal);
/// assert!((answer.objective.unwrap() - 7.5).abs() < 1e-6);
/// assert!((answer.value(x) - 1.5).abs() < 1e-6 && answer.value(y).round() == 3.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

impl Program {
    /// Creates a program without variables.
    pub fn new() -> Program {
        Program::default()
    }

    /// Adds a real variable with this objective coefficient; the ends of its range may be infinite.
    pub fn real(&mut self, objective: f64, range: RangeInclusive<f64>) -> Variable {
        self.columns.push(Column { objective, range, integer: false });
        Variable(self.columns.len() - 1)
    }

    /// Adds an integer variable with this objective coefficient.
    pub fn integer(&mut self, objective: f64, range: RangeInclusive<i32>) -> Variable {
        let range = f64::from(*range.start())..=f64::from(*range.end());
        self.columns.push(Column { objective, range, integer: true });
        Variable(self.columns.len() - 1)
    }

    /// Adds a constraint, in which each variable may occur at most once.
    pub fn constrain(
        &mut self,
        terms: impl IntoIterator<Item = (Variable, f64)>,
        relation: Relation,
        constant: f64,
    ) {
        self.rows.push(Row { terms: terms.into_iter().collect(), relation, constant });
    }
}

/// A solver's answer for a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Status of the solution.
    pub status: Status,
    /// Objective of the best solution found.
    pub objective: Option<f64>,
    /// Upper bound on the objective.
    pub bound: Option<f64>,
    /// Relative distance of the objective from the bound; 0 if optimal.
    pub gap: Option<f64>,
    /// Values of the variables in the best solution found, in the order of creation; empty if there
    /// is none.
    pub values: Vec<f64>,
    /// Number of search tree nodes, if the solver reports it.
    pub nodes: Option<u64>,
}

impl Answer {
    /// Returns the value of a variable.
    ///
    /// # Panics
    ///
    /// If no solution was found.
    pub fn value(&self, variable: Variable) -> f64 {
        self.values[variable.0]
    }
}
