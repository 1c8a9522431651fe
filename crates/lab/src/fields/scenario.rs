//! Scenarios: the frame's own fields, and those of a study.

use super::codec::{optional, seed, text};
use super::declare::Fields;
use super::docs::{self, FieldDoc};
use super::environment::Environment;
use super::names::unknown;
use super::order::Ordered;
use super::reader::Reader;
use super::table::TableAt;
use super::uses::Uses;
use crate::fields;
use dfrsim_input::{Faults, Input};
use std::ops::Deref;
use std::path::Path;
use toml::Value;

/// What a scenario is read from.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioSource<'a> {
    /// The text of the file.
    pub text: &'a str,
    /// The name that messages give it.
    pub name: &'a str,
    /// The folder that the file is in, if it is in one.
    pub folder: Option<&'a Path>,
    /// Overrides, `key=value`: keys joined by dots, with the number (from 0) or the name of a table behind a list of
    /// tables (`simulation.penalty=0`, `workloads.hpc2n.nodes=64`); values in TOML, anything else is a text.
    pub overrides: &'a [String],
    /// What codecs need beyond the text.
    pub environment: &'a Environment,
}

/// A scenario whose TOML is right, with its overrides applied.
#[derive(Debug)]
pub struct Document<'a> {
    source: ScenarioSource<'a>,
    input: Input,
}

/// A checked scenario of a study with the fields `F`, all defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario<F> {
    /// What it is about, in one line; may be empty.
    pub title: String,
    /// The seed of all that is random in it.
    pub seed: u64,
    /// The metric by which standings, figures and comparisons of its results rank variants; the primary one of the study if
    /// there is none.
    pub objective: Option<String>,
    /// The files that it reads, and the commands that it runs.
    pub uses: Uses,
    /// The study's own fields, at the top level of the file.
    pub fields: F,
}

impl<F> Deref for Scenario<F> {
    type Target = F;
    fn deref(&self) -> &F {
        &self.fields
    }
}

fields! {
    /// What the scenarios of all studies have.
    struct Frame {
        /// The name of the study.
        study: String = text();
        /// A title of one line.
        title: String = text(), default String::new();
        /// The seed of all random numbers.
        seed: u64 = seed(), default 1;
        /// The metric that ranks variants in standings, figures and comparisons; without it, the primary metric.
        objective: Option<String> = optional(text());
    }
}

impl<'a> Document<'a> {
    /// Parses a scenario.
    ///
    /// # Errors
    /// All faults of its TOML and of the keys of overrides.
    pub fn parse(source: &ScenarioSource<'a>) -> Result<Document<'a>, Faults> {
        let input = Input::toml_with(source.name, source.text, source.overrides)?;
        Ok(Document { source: *source, input })
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.source.folder, self.source.environment)
    }

    /// The name of the study that it is a scenario of.
    ///
    /// # Errors
    /// It has no such name.
    pub fn study(&self) -> Result<String, Faults> {
        let mut reader = self.reader();
        let study = text().read_field("study", None, &TableAt::root(&self.input), &mut reader);
        reader.finish(&self.input, study)
    }
    /// The fault of a scenario of an unknown study.
    pub fn unknown_study<'s>(&self, studies: impl IntoIterator<Item = &'s str> + Clone) -> Faults {
        let found = self.study().unwrap_or_default();
        let place = TableAt::root(&self.input).span_of("study");
        self.input.fault(&place, "", unknown("study", &found, studies)).into()
    }
    /// That it ranks by none of the metrics that there are.
    pub fn unknown_objective<'s>(
        &self,
        found: &str,
        metrics: impl IntoIterator<Item = &'s str> + Clone,
    ) -> Faults {
        let place = TableAt::root(&self.input).span_of("objective");
        self.input.fault(&place, "", unknown("metric", found, metrics)).into()
    }
    /// Its fields as those of a study.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn read<F: Fields>(&self) -> Result<Scenario<F>, Faults> {
        let mut reader = self.reader();
        let table = TableAt::root(&self.input);
        let frame = Frame::read(&table, &mut reader);
        let fields = F::read(&table, &mut reader);
        table.finish(&mut reader);
        let uses = std::mem::take(reader.uses());
        let scenario = || {
            let Frame { title, seed, objective, .. } = frame?;
            Some(Scenario { title, seed, objective, uses, fields: fields? })
        };
        reader.finish(&self.input, scenario())
    }
}

/// The documentation of all fields of a study's scenarios.
fn all_fields<F: Fields>() -> Vec<FieldDoc> {
    [Frame::docs(), F::docs()].concat()
}

/// All fields of a study's scenarios in Markdown: a table for the scenario, and one for each nested table.
pub fn document_fields<F: Fields>() -> String {
    docs::markdown(&all_fields::<F>())
}

impl<F: Fields> Scenario<F> {
    /// Reads a scenario of a study.
    ///
    /// # Errors
    /// All that is wrong with the text, its values and the overrides; or it is of another study.
    pub fn read(source: &ScenarioSource<'_>, study: &str) -> Result<Scenario<F>, Faults> {
        let document = Document::parse(source)?;
        if document.study()? != study {
            return Err(document.unknown_study([study]));
        }
        document.read()
    }

    /// The scenario as a file with every field spelt out, regular expressions replaced by names. It reads back as
    /// itself.
    pub fn to_toml(&self, study: &str) -> String {
        let (title, objective) = (self.title.clone(), self.objective.clone());
        let mut table = Frame { study: study.to_owned(), title, seed: self.seed, objective }.write();
        table.extend(self.fields.write());
        written(&Value::Table(table), &all_fields::<F>())
    }
}

/// A table as TOML, its fields in the order of their documentation.
fn written(value: &Value, fields: &[FieldDoc]) -> String {
    toml::to_string(&Ordered { value, fields }).expect("a table can be written as TOML")
}
