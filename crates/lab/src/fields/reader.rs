//! Collects what is wrong with a scenario while it is read.

use super::environment::Environment;
use super::uses::Uses;
use dfrsim_input::{Faults, Input, Located, Span};
use std::any::Any;
use std::fmt::Display;
use std::path::Path;

/// Collects faults, and knows the folder and the environment of the scenario.
///
/// A function that reports a fault returns no value (`None`), and reading goes on with the next field: the values may
/// only be used if there are no faults.
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
    /// The folder of the scenario, if it is in one.
    pub fn folder(&self) -> Option<&'a Path> {
        self.folder
    }
    /// The environment's value of a type.
    pub fn environment<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        self.environment.get()
    }
    /// The environment.
    pub fn whole_environment(&self) -> &'a Environment {
        self.environment
    }
    /// What the scenario uses so far.
    pub fn uses(&mut self) -> &mut Uses {
        &mut self.uses
    }
    /// A value is wrong.
    pub fn fault(&mut self, at: &Located<'_>, message: impl Into<String>) {
        self.fault_at(at.span(), message);
    }
    /// Something is wrong at a place.
    pub fn fault_at(&mut self, span: &Span, message: impl Into<String>) {
        self.faults.push((span.clone(), message.into()));
    }
    /// A value is not of the shape, or in the range, that is expected.
    pub fn expected<T>(&mut self, at: &Located<'_>, shape: &str) -> Option<T> {
        self.fault(at, format!("expected {shape}, found {}", at.found()));
        None
    }
    /// A value that could be made of what was read, or a fault.
    pub fn value_of<T, E: Display>(&mut self, at: &Located<'_>, made: Result<T, E>) -> Option<T> {
        made.map_err(|error| self.fault(at, error.to_string())).ok()
    }
    /// Reads something, with advice behind the message of each fault in it.
    pub(super) fn advising<T>(&mut self, advice: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.faults.len();
        let value = read(self);
        self.faults[before..].iter_mut().for_each(|(_, message)| *message += &format!("; {advice}"));
        value
    }
    /// The value, unless there are faults.
    pub(super) fn finish<T>(self, input: &Input, value: Option<T>) -> Result<T, Faults> {
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(self.errors(input)),
        }
    }
    fn errors(mut self, input: &Input) -> Faults {
        if self.faults.is_empty() {
            self.fault_at(&None, "cannot be read");
        }
        self.faults.sort_by_key(|(span, _)| span.as_ref().map_or(0, |range| range.start));
        Faults(self.faults.into_iter().map(|(span, message)| input.fault(&span, "", message)).collect())
    }
}
