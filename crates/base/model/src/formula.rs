//! Formulas over the attributes of a waiting job, which order jobs by ascending value.
//!
//! ```
//! use dfrsim_model::formula::{Formula, Known};
//! let formula = Formula::parse("estimate * sqrt(width) + max(submit, 1) ^ 2").unwrap();
//! let job = Known { wait: 0.0, estimate: 10.0, width: 4.0, submit: 3.0 };
//! assert_eq!(formula.value(&job), 29.0);
//! assert!(!formula.depends_on_time());
//! let fault = Formula::parse("estimate * widht").unwrap_err().to_string();
//! assert_eq!(fault, "character 12: unknown name `widht`; did you mean `width`?");
//! ```
//!
//! A formula consists of numbers (`870`, `1e-11`), the names of [`Known`], `+ - * / ^` with their
//! usual precedence (`^` binds most and is right-associative), parentheses, and the functions `log10
//! log2 ln exp sqrt abs min max`. It is computed in double precision, with functions that return
//! identical bits on all machines.

use crate::named::UnknownName;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// Maximum length of a formula, in bytes.
pub const LONGEST: usize = 256;

/// Maximum depth of the value stack during evaluation.
const MAX_STACK_DEPTH: usize = 32;

/// Attributes of a waiting job that a formula may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Seconds since the submission.
    pub wait: f64,
    /// Estimated seconds from the next start to the end.
    pub estimate: f64,
    /// Number of tasks.
    pub width: f64,
    /// Submit time in seconds since the beginning of the simulation.
    pub submit: f64,
}

/// Compiled formula. Each is kept until the program ends, so that this type is `Copy`. Formulas with
/// the same text are equal.
#[derive(Clone, Copy, Debug)]
pub struct Formula(&'static Program);

/// Error in the text of a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: {reason}")]
pub struct FormulaError {
    /// Position in the text in characters, from 1.
    pub at: usize,
    /// Reason for the error.
    pub reason: String,
}

/// Program for a stack machine, in postfix order.
#[derive(Debug)]
struct Program {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    /// Attribute of the job, as an index into [`NAMES`].
    Name(usize),
    /// Function of one value.
    One(fn(f64) -> f64),
    /// Function of two values, or an operator.
    Two(fn(f64, f64) -> f64),
}

/// Accessor of a job attribute.
type Accessor = fn(&Known) -> f64;

const WAIT: &str = "wait";

const NAMES: [(&str, Accessor); 4] = [
    (WAIT, |job| job.wait),
    ("estimate", |job| job.estimate),
    ("width", |job| job.width),
    ("submit", |job| job.submit),
];

const FUNCTIONS: [(&str, Step); 8] = [
    ("log10", Step::One(libm::log10)),
    ("log2", Step::One(libm::log2)),
    ("ln", Step::One(libm::log)),
    ("exp", Step::One(libm::exp)),
    ("sqrt", Step::One(f64::sqrt)),
    ("abs", Step::One(f64::abs)),
    ("min", Step::Two(|a, b| if b < a { b } else { a })),
    ("max", Step::Two(|a, b| if b > a { b } else { a })),
];

/// Operators: the binding power on the left, and the minimum binding power of operators in the right
/// operand.
const OPERATORS: [(char, u8, u8, Step); 5] = [
    ('+', 1, 2, Step::Two(|a, b| a + b)),
    ('-', 1, 2, Step::Two(|a, b| a - b)),
    ('*', 2, 3, Step::Two(|a, b| a * b)),
    ('/', 2, 3, Step::Two(|a, b| a / b)),
    // Right-associative.
    ('^', 4, 4, Step::Two(libm::pow)),
];

impl Formula {
    /// Parses a formula.
    ///
    /// # Errors
    ///
    /// Returns an error with the position if the text is not a formula.
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        static KNOWN: Mutex<BTreeMap<String, &'static Program>> = Mutex::new(BTreeMap::new());
        let text = text.trim();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = known.get(text) {
            return Ok(Formula(program));
        }
        let program = Box::leak(Box::new(Program { text: text.to_owned(), steps: Parser::read(text)? }));
        known.insert(text.to_owned(), program);
        Ok(Formula(program))
    }

    /// Returns the text of the formula.
    #[must_use]
    pub fn text(self) -> &'static str {
        &self.0.text
    }

    /// Returns whether the value changes while the job waits.
    #[must_use]
    pub fn depends_on_time(self) -> bool {
        self.0.steps.iter().any(|step| matches!(step, Step::Name(place) if NAMES[*place].0 == WAIT))
    }

    /// Computes the value for a job. It is not finite after a division by zero, the logarithm of
    /// zero, or the like. Negative zero is returned as zero.
    #[must_use]
    pub fn value(self, job: &Known) -> f64 {
        let (mut stack, mut top) = ([0.0; MAX_STACK_DEPTH], 0);
        for &step in &self.0.steps {
            let takes = step.arity();
            let (a, b) = (stack[top - takes.min(top)], stack[top.saturating_sub(1)]);
            stack[top - takes] = step.value(job, a, b);
            top = top - takes + 1;
        }
        stack[0] + 0.0
    }
}

impl Step {
    /// Returns the number of values that the step pops off the stack.
    fn arity(self) -> usize {
        match self {
            Step::Number(_) | Step::Name(_) => 0,
            Step::One(_) => 1,
            Step::Two(_) => 2,
        }
    }

    /// Computes the value that the step pushes, from the popped values `a` and `b`.
    fn value(self, job: &Known, a: f64, b: f64) -> f64 {
        match self {
            Step::Number(number) => number,
            Step::Name(place) => NAMES[place].1(job),
            Step::One(function) => function(a),
            Step::Two(function) => function(a, b),
        }
    }
}

/// Recursive-descent parser; the maximum length of the text bounds the recursion.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    steps: Vec<Step>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn read(text: &'a str) -> Result<Vec<Step>, FormulaError> {
        let mut parser = Parser { text, at: 0, steps: Vec::new(), depth: 0 };
        if text.len() > LONGEST {
            return Err(parser.error(format!("formula is longer than {LONGEST} characters")));
        }
        parser.expression(0)?;
        if parser.next().is_some() {
            Err(parser.error("expected an operator or the end"))
        } else {
            Ok(parser.steps)
        }
    }

    fn error(&self, reason: impl Into<String>) -> FormulaError {
        FormulaError { at: self.text[..self.at].chars().count() + 1, reason: reason.into() }
    }

    /// Returns the next character after skipping white space.
    fn next(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.next() != Some(wanted) {
            return Err(self.error(format!("expected `{wanted}`")));
        }
        self.at += 1;
        Ok(())
    }

    fn push(&mut self, step: Step) -> Result<(), FormulaError> {
        self.depth = self.depth + 1 - step.arity();
        self.steps.push(step);
        if self.depth > MAX_STACK_DEPTH { Err(self.error("formula is nested too deeply")) } else { Ok(()) }
    }

    /// Parses operands joined by operators that bind at least `least`.
    fn expression(&mut self, least: u8) -> Result<(), FormulaError> {
        self.operand()?;
        loop {
            let next = self.next();
            let found = OPERATORS.iter().find(|(sign, binds, ..)| Some(*sign) == next && *binds >= least);
            let Some(&(.., right, operator)) = found else { return Ok(()) };
            self.at += 1;
            self.expression(right)?;
            self.push(operator)?;
        }
    }

    fn operand(&mut self) -> Result<(), FormulaError> {
        match self.next() {
            Some('-') => {
                self.at += 1;
                // Unary minus binds less than `^` and more than `*`.
                self.expression(3)?;
                self.push(Step::One(|a| -a))
            }
            Some('(') => {
                self.at += 1;
                self.expression(0)?;
                self.expect(')')
            }
            Some(first) if first.is_ascii_digit() || first == '.' => self.number(),
            Some(first) if first.is_ascii_alphabetic() => self.name(),
            _ => Err(self.error("expected a number, a name, a function or `(`")),
        }
    }

    fn number(&mut self) -> Result<(), FormulaError> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_exponent = |at: usize| at > 0 && matches!(rest[at - 1], b'e' | b'E');
        let is_part = |&(at, letter): &(usize, &u8)| {
            letter.is_ascii_alphanumeric()
                || *letter == b'.'
                || matches!(letter, b'+' | b'-') && is_exponent(at)
        };
        let length = rest.iter().enumerate().take_while(is_part).count();
        let text = &self.text[self.at..][..length];
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.ok_or_else(|| self.error(format!("`{text}` is not a number")))?;
        self.at += length;
        self.push(Step::Number(number))
    }

    fn name(&mut self) -> Result<(), FormulaError> {
        let from = self.at;
        let name = self.text[from..]
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        self.at += name.len();
        if self.next() != Some('(') {
            let place = self.find_name("name", &NAMES.map(|it| it.0), from, name)?;
            return self.push(Step::Name(place));
        }
        let (_, function) = FUNCTIONS[self.find_name("function", &FUNCTIONS.map(|it| it.0), from, name)?];
        self.at += 1;
        self.expression(0)?;
        if function.arity() == 2 {
            self.expect(',')?;
            self.expression(0)?;
        }
        self.expect(')')?;
        self.push(function)
    }

    /// Finds a name in `known`; `from` is the position in the text for the error.
    fn find_name(
        &mut self,
        what: &'static str,
        known: &[&str],
        from: usize,
        name: &str,
    ) -> Result<usize, FormulaError> {
        let place = known.iter().position(|known| *known == name);
        place.ok_or_else(|| {
            self.at = from;
            self.error(UnknownName::new(what, name, known).to_string())
        })
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Formula {}

impl Hash for Formula {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: Known = Known { wait: 30.0, estimate: 100.0, width: 8.0, submit: 0.0 };

    #[test]
    fn operators_bind_as_in_mathematics() {
        for (text, value) in [
            ("1 + 2 * 3 - 4 / 2", 5.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 4 - 3", 3.0),
            ("100 / 5 / 2", 10.0),
            ("2 ^ 3 ^ 2", 512.0),
            ("-2 ^ 2", -4.0),
            ("2 * -width", -16.0),
            ("2 ^ -1", 0.5),
            ("--width", 8.0),
            ("1.5e2 + .5 + 1e-1 * 10", 151.5),
            ("log10(estimate) + log2(width) + ln(exp(2)) + sqrt(4) + abs(-3)", 12.0),
            ("min(wait, width) - max(submit, 0.5)", 7.5),
            ("(wait/estimate)^3*width", 0.216),
        ] {
            let found = Formula::parse(text).unwrap().value(&JOB);
            assert!((found - value).abs() < 1e-12, "{text}: {found}");
        }
    }

    #[test]
    fn what_is_no_number_is_not_finite_and_zero_has_no_sign() {
        for text in ["1 / submit", "log10(submit)", "submit / submit", "sqrt(-1)", "exp(1e9)"] {
            assert!(!Formula::parse(text).unwrap().value(&JOB).is_finite(), "{text}");
        }
        assert!(Formula::parse("-submit").unwrap().value(&JOB).is_sign_positive());
    }

    #[test]
    fn faults_say_where_and_what() {
        let long = "1+".repeat(200);
        let deep = format!("{}1{}", "1+(".repeat(60), ")".repeat(60));
        for (text, fault) in [
            ("", "character 1: expected a number, a name, a function or `(`"),
            ("wait +", "character 7: expected a number, a name, a function or `(`"),
            ("wait wait", "character 6: expected an operator or the end"),
            ("(wait", "character 6: expected `)`"),
            ("max(wait)", "character 9: expected `,`"),
            ("1e999", "character 1: `1e999` is not a number"),
            ("2x", "character 1: `2x` is not a number"),
            ("log(wait)", "character 1: unknown function `log`; did you mean `log2`?"),
            ("é", "character 1: expected a number, a name, a function or `(`"),
            ("run", "character 1: unknown name `run`; expected wait, estimate, width or submit"),
            (&long, "character 1: formula is longer than 256 characters"),
            (&deep, "character 98: formula is nested too deeply"),
        ] {
            assert_eq!(Formula::parse(text).unwrap_err().to_string(), fault, "{text}");
        }
    }
}
