//! Linear programs, with integer variables or without.

use std::ops::RangeInclusive;

use crate::outcome::Status;

/// A variable of the [`Program`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable(pub(crate) usize);

/// How the two sides of a constraint compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The left side is at most the right one.
    AtMost,
    /// They are equal.
    Equal,
    /// The left side is at least the right one.
    AtLeast,
}

/// One constraint: a sum of coefficients times variables, compared with a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) terms: Vec<(Variable, f64)>,
    pub(crate) relation: Relation,
    pub(crate) constant: f64,
}

/// Prior knowledge of one variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) objective: f64,
    pub(crate) range: RangeInclusive<f64>,
    pub(crate) integer: bool,
}

/// A linear program that is to be maximised.
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
    /// A program without variables.
    pub fn new() -> Program {
        Program::default()
    }

    /// Adds a real variable with this coefficient in the objective; an end of its range may be infinite.
    pub fn real(&mut self, objective: f64, range: RangeInclusive<f64>) -> Variable {
        self.columns.push(Column { objective, range, integer: false });
        Variable(self.columns.len() - 1)
    }

    /// Adds an integer variable with this coefficient in the objective.
    pub fn integer(&mut self, objective: f64, range: RangeInclusive<i32>) -> Variable {
        let range = f64::from(*range.start())..=f64::from(*range.end());
        self.columns.push(Column { objective, range, integer: true });
        Variable(self.columns.len() - 1)
    }

    /// Adds a constraint; each variable occurs at most once in it.
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
    /// The result.
    pub status: Status,
    /// The objective of the best point found.
    pub objective: Option<f64>,
    /// No point is better than this.
    pub bound: Option<f64>,
    /// Relative to the objective, how far it is from the bound; 0 when optimal.
    pub gap: Option<f64>,
    /// The best point found, one value a variable in the order in which they were added; empty if there is none.
    pub values: Vec<f64>,
    /// Nodes of the search tree, where the solver reports them.
    pub nodes: Option<u64>,
}

impl Answer {
    /// The value of a variable; panics if no point was found.
    pub fn value(&self, variable: Variable) -> f64 {
        self.values[variable.0]
    }
}
