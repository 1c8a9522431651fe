//! What the scenarios of all studies have in common on the way from a file to checked values.

use super::fault::{Fault, ScenarioErrors, Text};
use super::fields::{Names, PolicyField};
use super::overrides::{self, Override};
use dfrsim_model::Yield;
use regex_lite::Regex;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use toml::Spanned;

/// What a scenario is read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScenarioText<'a> {
    /// What stands in the file.
    pub(crate) text: &'a str,
    /// As which messages speak of it.
    pub(crate) name: &'a str,
    /// The folder in which it lies, if it lies in one.
    pub(crate) folder: Option<&'a Path>,
    /// `key=value`, as of [`Scenario::load`](crate::Scenario::load).
    pub(crate) overrides: &'a [String],
}

/// Reads a text with its overrides in the shape `F` and makes a scenario of it.
pub(crate) fn resolved<F: DeserializeOwned, S>(
    source: &ScenarioText<'_>,
    make: impl FnOnce(&mut Resolver<'_>, &F) -> S,
) -> Result<S, ScenarioErrors> {
    let &ScenarioText { text, name, folder, overrides } = source;
    let joined = Text::new(name, text, overrides);
    let overrides = Override::all(text.len(), overrides);
    let table = overrides::parse(&joined, text, &overrides).map_err(ScenarioErrors::new)?;
    let file = F::deserialize(toml::de::Deserializer::from(table))
        .map_err(|error| ScenarioErrors::new(vec![joined.toml_fault(&error)]))?;
    let mut resolver = Resolver { text: &joined, folder, faults: Vec::new() };
    let scenario = make(&mut resolver, &file);
    if resolver.faults.is_empty() { Ok(scenario) } else { Err(ScenarioErrors::new(resolver.faults)) }
}

/// A text at the top level of a scenario, and where it stands; nothing if there is no such text or the scenario is no
/// TOML.
pub(crate) fn text_field(source: &ScenarioText<'_>, key: &str) -> Option<(String, Range<usize>)> {
    let &ScenarioText { text, name, overrides, .. } = source;
    let joined = Text::new(name, text, overrides);
    let overrides = Override::all(text.len(), overrides);
    let table = overrides::parse(&joined, text, &overrides).ok()?;
    let value = table.get_ref().get(key)?;
    Some((value.get_ref().as_str()?.to_owned(), value.span()))
}

/// Collects faults. What it returns is only of use if there are none.
pub(crate) struct Resolver<'a> {
    text: &'a Text,
    folder: Option<&'a Path>,
    faults: Vec<Fault>,
}

impl Resolver<'_> {
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder
    }
    pub(crate) fn fault<T>(&mut self, at: &Spanned<T>, message: impl Into<String>) {
        self.faults.push(self.text.fault(&at.span(), message));
    }
    pub(crate) fn fault_of_file(&mut self, message: &str) {
        self.faults.push(self.text.whole(message));
    }

    /// What a list of names and regular expressions selects of all that there is, each once; at least one.
    pub(crate) fn selected<T: FromStr<Err: Display> + PartialEq>(
        &mut self,
        fields: &Spanned<Vec<Spanned<PolicyField>>>,
        one: &str,
        all: impl Fn() -> Vec<(String, T)>,
    ) -> Vec<T> {
        let mut selected = Vec::new();
        for field in fields.get_ref() {
            for each in self.selected_by(field, one, &all) {
                if !selected.contains(&each) {
                    selected.push(each);
                }
            }
        }
        if fields.get_ref().is_empty() {
            self.fault(fields, format!("there must be at least one {one}"));
        }
        selected
    }
    fn selected_by<T: FromStr<Err: Display>>(
        &mut self,
        field: &Spanned<PolicyField>,
        one: &str,
        all: impl Fn() -> Vec<(String, T)>,
    ) -> Vec<T> {
        let pattern = match field.get_ref() {
            PolicyField::Name(name) => match name.parse() {
                Ok(one) => return vec![one],
                Err(unknown) => {
                    self.fault(field, format!("{unknown}"));
                    return Vec::new();
                }
            },
            PolicyField::Matching(field) => &field.matching,
        };
        match Regex::new(pattern) {
            Ok(regex) => {
                let matching = all().into_iter().filter(|(name, _)| regex.is_match(name));
                let found: Vec<T> = matching.map(|(_, each)| each).collect();
                if found.is_empty() {
                    self.fault(field, format!("no {one} matches `{pattern}`"));
                }
                found
            }
            Err(error) => {
                self.fault(field, format!("`{pattern}` is not a regular expression: {error}"));
                Vec::new()
            }
        }
    }

    pub(crate) fn names<T: FromStr<Err: Display> + PartialEq>(
        &mut self,
        field: &Spanned<Names>,
        what: &str,
    ) -> Vec<T> {
        let mut values = Vec::new();
        for name in &field.get_ref().0 {
            match name.parse::<T>() {
                Ok(value) if !values.contains(&value) => values.push(value),
                Ok(_) => {}
                Err(error) => self.fault(field, error.to_string()),
            }
        }
        if field.get_ref().0.is_empty() {
            self.fault(field, format!("there must be at least one {what}"));
        }
        values
    }
    pub(crate) fn part(&mut self, field: &Spanned<f64>) -> Yield {
        let value = *field.get_ref();
        if !(value > 0.0 && value <= 1.0) {
            self.fault(field, format!("expected a part of 1, above 0, found {value}"));
        }
        Yield::nearest(value)
    }
    pub(crate) fn integer(&mut self, at: &Spanned<i64>, what: &str, least: i64, most: i64) -> i64 {
        let value = *at.get_ref();
        if !(least..=most).contains(&value) {
            self.fault(at, format!("expected {what} from {least} to {most}, found {value}"));
        }
        value
    }
}
