//! Collection of errors while a scenario is read.

use super::environment::Environment;
use super::uses::Uses;
use dfrsim_input::{Faults, Input, Located, Span};
use std::any::Any;
use std::fmt::Display;
use std::path::Path;

/// Collects errors, and gives access to the folder and the environment of the scenario.
///
/// A function that reports an error returns `None`, and reading continues with the next field: the
/// values may only be used if there are no errors.
#[derive(Debug)]
pub struct Reader<'a> {
    folder: Option<&'a Path>,
    environment: &'a Environment,
    uses: Uses,
    faults: Vec<(Span, String)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(folder: Option<&'a Path>, environment: &'a Environment) -> Reader<'a> {
        Reader { folder, environment, uses: Uses::default(), faults: Vec::new() }
    }
    /// Returns the folder of the scenario file, if there is a file.
    pub fn folder(&self) -> Option<&'a Path> {
        self.folder
    }
    /// Returns the value of this type in the environment.
    pub fn environment<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        self.environment.get()
    }
    /// Returns the environment.
    pub fn whole_environment(&self) -> &'a Environment {
        self.environment
    }
    /// Returns the files and commands that the scenario uses, as far as it has been read.
    pub fn uses(&mut self) -> &mut Uses {
        &mut self.uses
    }
    /// Reports an error in a value.
    pub fn fault(&mut self, at: &Located<'_>, message: impl Into<String>) {
        self.fault_at(at.span(), message);
    }
    /// Reports an error at a position.
    pub fn fault_at(&mut self, span: &Span, message: impl Into<String>) {
        self.faults.push((span.clone(), message.into()));
    }
    /// Reports that a value does not have the expected type or range.
    pub fn expected<T>(&mut self, at: &Located<'_>, shape: &str) -> Option<T> {
        self.fault(at, format!("expected {shape}, found {}", at.found()));
        None
    }
    /// Reports that an element of a list is equal to an earlier one, at the index `first`.
    pub(super) fn repeated(&mut self, at: &Located<'_>, first: usize) {
        let found = at.found();
        self.fault(
            at,
            format!("{found} is the same as element {} of the list; remove one of them", first + 1),
        );
    }
    /// Returns the converted value, or reports the error of the conversion.
    pub fn value_or_report<T, E: Display>(&mut self, at: &Located<'_>, made: Result<T, E>) -> Option<T> {
        made.map_err(|error| self.fault(at, error.to_string())).ok()
    }
    /// Reads with `read`, and appends advice to the message of each error that it reports.
    pub(super) fn with_advice<T>(&mut self, advice: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.faults.len();
        let value = read(self);
        self.faults[before..].iter_mut().for_each(|(_, message)| *message += &format!("; {advice}"));
        value
    }
    /// Returns the value, or the errors if there are any.
    pub(super) fn finish<T>(self, input: &Input, value: Option<T>) -> Result<T, Faults> {
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(self.errors(input)),
        }
    }
    fn errors(mut self, input: &Input) -> Faults {
        if self.faults.is_empty() {
            self.fault_at(&None, "invalid scenario");
        }
        self.faults.sort_by_key(|(span, _)| span.as_ref().map_or(0, |range| range.start));
        Faults(self.faults.into_iter().map(|(span, message)| input.fault(&span, "", message)).collect())
    }
}
