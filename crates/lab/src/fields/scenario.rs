//! Scenarios: the fields common to all studies, and those of one study.

use super::codec::{list, one_line, optional, seed, text};
use super::declare::Fields;
use super::docs::{self, FieldDoc};
use super::environment::Environment;
use super::names::unknown;
use super::order::Ordered;
use super::reader::Reader;
use super::table::TableAt;
use super::uses::Uses;
use crate::fields;
use dfrsim_input::{Fault, Faults, Input};
use std::ops::Deref;
use std::path::Path;
use toml::Value;

/// Text of a scenario, and where its relative paths begin.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioSource<'a> {
    /// Text of the file.
    pub text: &'a str,
    /// Name of the file in messages.
    pub name: &'a str,
    /// Folder of the file, if there is a file.
    pub folder: Option<&'a Path>,
    /// Overrides, `key=value`. Keys are joined by dots; an element of a list of tables is selected
    /// by its index (from 0) or by its name (`simulation.penalty=0`, `workloads.hpc2n.nodes=64`).
    /// Values are TOML; anything else is a text.
    pub overrides: &'a [String],
    /// Values that codecs look up.
    pub environment: &'a Environment,
}

/// A scenario with valid TOML and its overrides applied.
#[derive(Debug)]
pub struct Document<'a> {
    source: ScenarioSource<'a>,
    input: Input,
}

/// A valid scenario of a study with the fields `F`; all defaults are filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario<F> {
    /// Title, in one line; may be empty.
    pub title: String,
    /// Seed of everything that is random in the scenario.
    pub seed: u64,
    /// Metric by which rankings, figures and comparisons order the variants; the study's primary
    /// metric if `None`.
    pub objective: Option<String>,
    /// Conditions `column=value` that select runs by the labels of their rows.
    pub only: Option<Vec<String>>,
    /// Files that the scenario reads, and commands that it runs.
    pub uses: Uses,
    /// Fields of the study, at the top level of the file.
    pub fields: F,
}

impl<F> Deref for Scenario<F> {
    type Target = F;
    fn deref(&self) -> &F {
        &self.fields
    }
}

fields! {
    /// Fields common to the scenarios of all studies.
    struct Frame {
        /// Name of the study.
        study: String = text();
        /// Title, in one line.
        title: String = one_line(), default String::new();
        /// Seed of all random numbers.
        seed: u64 = seed(), default 1;
        /// Metric by which rankings, figures and comparisons order the variants; the primary metric
        /// if absent.
        objective: Option<String> = optional(text());
        /// Conditions `column=value` that select runs by the labels of their rows, such as
        /// `["workload=hpc2n", "load=0.7"]`: one of the values of each column; all runs if absent.
        only: Option<Vec<String>> = optional(list(text()));
    }
}

impl<'a> Document<'a> {
    /// Parses a scenario.
    ///
    /// # Errors
    /// Returns all errors in its TOML and in the keys of overrides.
    pub fn parse(source: &ScenarioSource<'a>) -> Result<Document<'a>, Faults> {
        let input = Input::toml_with(source.name, source.text, source.overrides)?;
        Ok(Document { source: *source, input })
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.source.folder, self.source.environment)
    }

    /// Returns the name of the study.
    ///
    /// # Errors
    /// Returns an error if the field `study` is missing or not a text.
    pub fn study(&self) -> Result<String, Faults> {
        let mut reader = self.reader();
        let study = text().read_field("study", None, &TableAt::root(&self.input), &mut reader);
        reader.finish(&self.input, study)
    }
    /// Returns whether the scenario has a field of this name.
    pub fn has(&self, field: &str) -> bool {
        self.input.root().object().is_some_and(|root| root.get(field).is_some())
    }
    /// Creates the error for a missing or unknown study.
    pub fn unknown_study<'s>(&self, studies: impl IntoIterator<Item = &'s str> + Clone) -> Faults {
        if !self.has("study") {
            let studies: Vec<&str> = studies.into_iter().collect();
            let message = format!("missing field `study`; expected one of {}", studies.join(", "));
            return self.input.fault(TableAt::root(&self.input).span(), "", message).into();
        }
        let found = self.study().unwrap_or_default();
        let place = TableAt::root(&self.input).span_of("study");
        self.input.fault(&place, "", unknown("study", &found, studies)).into()
    }
    /// Creates the error for an objective that is not a metric of the study.
    pub fn unknown_objective<'s>(
        &self,
        found: &str,
        metrics: impl IntoIterator<Item = &'s str> + Clone,
    ) -> Faults {
        let place = TableAt::root(&self.input).span_of("objective");
        self.input.fault(&place, "", unknown("metric", found, metrics)).into()
    }
    /// Reads the fields as those of a study.
    ///
    /// # Errors
    /// Returns every error in them.
    pub fn read<F: Fields>(&self) -> Result<Scenario<F>, Faults> {
        let mut reader = self.reader();
        let table = TableAt::root(&self.input);
        let frame = Frame::read(&table, &mut reader);
        let fields = F::read(&table, &mut reader);
        table.finish(&mut reader);
        let uses = std::mem::take(reader.uses());
        let scenario = || {
            let Frame { title, seed, objective, only, .. } = frame?;
            Some(Scenario { title, seed, objective, only, uses, fields: fields? })
        };
        reader.finish(&self.input, scenario()).map_err(|mut faults| {
            let docs = all_fields::<F>();
            faults.0.iter_mut().for_each(|fault| point_to_nested(fault, &docs));
            faults
        })
    }
}

/// Maximum number of places that are suggested for a field; for a name with more of them none is
/// suggested.
const MAX_PLACES: usize = 3;

/// Completes the message for a field that is unknown in the scenario itself, but known in tables of
/// it: names these in place of the fields of the scenario.
fn point_to_nested(fault: &mut Fault, docs: &[FieldDoc]) {
    let Some(rest) = fault.message.strip_prefix("unknown field `") else { return };
    let Some((name, hint)) = rest.split_once('`') else { return };
    if !fault.path.is_empty() || !hint.starts_with("; expected") {
        return;
    }
    let mut places = nested(docs, "", name, false);
    if places.is_empty() {
        places = nested(docs, "", name, true);
    }
    if !places.is_empty() && places.len() <= MAX_PLACES {
        fault.message = format!("unknown field `{name}`; did you mean {}?", places.join(" or "));
    }
}

/// Returns the paths of fields with a name in the tables of other fields, also of those that may be
/// given several times if `repeated`.
fn nested(docs: &[FieldDoc], prefix: &str, name: &str, repeated: bool) -> Vec<String> {
    let mut places = Vec::new();
    for FieldDoc { name: own, nested: table, .. } in docs {
        if !prefix.is_empty() && own == name {
            places.push(format!("`{prefix}{own}`"));
        }
        if let Some(table) = table.as_ref().filter(|table| repeated || !table.repeated) {
            places.extend(nested(&table.fields, &format!("{prefix}{own}."), name, repeated));
        }
    }
    places
}

/// Returns the documentation of all fields of a study's scenarios.
fn all_fields<F: Fields>() -> Vec<FieldDoc> {
    [Frame::docs(), F::docs()].concat()
}

/// Formats all fields of a study's scenarios as Markdown: one table for the scenario, and one for
/// each nested table.
pub fn document_fields<F: Fields>() -> String {
    docs::markdown(&all_fields::<F>())
}

impl<F: Fields> Scenario<F> {
    /// Reads a scenario of a study.
    ///
    /// # Errors
    /// Returns every error in the text, its values and the overrides; or an error if it is a
    /// scenario of another study.
    pub fn read(source: &ScenarioSource<'_>, study: &str) -> Result<Scenario<F>, Faults> {
        let document = Document::parse(source)?;
        if document.study()? != study {
            return Err(document.unknown_study([study]));
        }
        document.read()
    }

    /// Formats the scenario as a file with every field written out and regular expressions replaced
    /// by the matching names. The file reads back as the same scenario.
    pub fn to_toml(&self, study: &str) -> String {
        let (title, objective, only) = (self.title.clone(), self.objective.clone(), self.only.clone());
        let mut table = Frame { study: study.to_owned(), title, seed: self.seed, objective, only }.write();
        table.extend(self.fields.write());
        to_ordered_toml(&Value::Table(table), &all_fields::<F>())
    }
}

/// Formats a table as TOML, with its fields in the order of their documentation.
fn to_ordered_toml(value: &Value, fields: &[FieldDoc]) -> String {
    toml::to_string(&Ordered { value, fields }).expect("every table can be written as TOML")
}
