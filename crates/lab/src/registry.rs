//! The studies of a program, of all types.

use crate::column::{Row as _, RowType};
use crate::data::DataFrame;
use crate::drawing::Drawing;
use crate::error::RunError;
use crate::fields::{
    Document, Environment, Faults, FileLocator, Scenario, ScenarioSource, Uses, document_fields,
};
use crate::study::{Audit, ProblemId, RowSet, RowTexts, Study, StudyFacts};
use crate::sweep::{self, Progress, RunOptions, RunReport, ToRun};
use crate::text::csv::ReadFile;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The studies of a program, and what the fields of their scenarios look up: a registry of policies, for example.
#[derive(Default)]
pub struct Registry {
    studies: Vec<Box<dyn AnyStudy>>,
    environment: Environment,
}

/// A study of any type.
pub trait AnyStudy: Send + Sync {
    /// Its name in scenarios.
    fn name(&self) -> &'static str;
    /// A title of one line.
    fn title(&self) -> &'static str;
    /// The version of what its rows mean.
    fn semantics(&self) -> u32;
    /// Whether an independent checker follows its runs.
    fn audit(&self) -> Audit;
    /// Its types of rows.
    fn row_types(&self) -> &'static [RowType];
    /// The reference of its fields as Markdown.
    fn field_reference(&self) -> String;
    /// Reads a scenario of this study.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn scenario(&self, document: &Document<'_>) -> Result<Box<dyn AnyScenario>, Faults>;
    /// Rows that were read, column by column, in the order of [`AnyStudy::row_types`].
    ///
    /// # Errors
    /// In one line, if they are not rows of this study.
    fn frames(&self, files: &RowTexts) -> Result<Vec<DataFrame>, String>;
    /// What the study draws of the rows of a scenario, and of mean times, besides what follows from the roles of columns.
    ///
    /// # Errors
    /// If the scenario or the rows cannot be read.
    fn drawings(
        &self,
        scenario: &ScenarioSource<'_>,
        rows: &RowTexts,
        times: Option<&ReadFile>,
    ) -> Result<Vec<Drawing>, String>;
}

/// A scenario of any study.
pub trait AnyScenario: Send + Sync {
    /// The name of its study.
    fn study(&self) -> &'static str;
    /// What it is about, in one line; may be empty.
    fn title(&self) -> &str;
    /// The scenario as a file with every field spelt out.
    fn to_toml(&self) -> String;
    /// The files that it reads, and the commands that it runs.
    fn uses(&self) -> &Uses;
    /// As [`Study::problem`].
    ///
    /// # Errors
    /// There is none.
    fn problem(&self, which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError>;
    /// Runs what is left to run of it, and writes rows, tables and manifest; see [`RunReport`].
    ///
    /// # Errors
    /// If an input cannot be used, a file cannot be written, another run is using the folder, or on an interruption. What
    /// was finished by then is kept.
    fn run(
        &self,
        options: &RunOptions,
        interrupt: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<RunReport, RunError>;
}

impl Registry {
    /// No studies.
    pub fn new() -> Registry {
        Registry::default()
    }
    /// With one more study.
    #[must_use]
    pub fn study<S: Study>(mut self) -> Registry {
        self.studies.push(Box::new(Registered::<S>(PhantomData)));
        self
    }
    /// With a value that the fields of scenarios look up by its type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Registry {
        self.environment = self.environment.with(value);
        self
    }
    /// What the fields of scenarios look up.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
    /// The studies, in the order in which they were added.
    pub fn studies(&self) -> impl Iterator<Item = &dyn AnyStudy> {
        self.studies.iter().map(AsRef::as_ref)
    }
    /// The study of this name.
    pub fn study_named(&self, name: &str) -> Option<&dyn AnyStudy> {
        self.studies().find(|study| study.name() == name)
    }

    /// Reads a scenario of any study. Messages call the text `name`; relative files are searched beside `folder` too.
    /// Overrides are `key=value`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(
        &self,
        text: &str,
        name: &str,
        folder: Option<&Path>,
        overrides: &[String],
    ) -> Result<Box<dyn AnyScenario>, Faults> {
        self.parse_in(&ScenarioSource { text, name, folder, overrides, environment: &self.environment })
    }

    /// Reads the scenario of results, which keep copies of some of the files that it names.
    pub(crate) fn parse_with_copies(
        &self,
        text: &str,
        copies: FxHashMap<String, PathBuf>,
    ) -> Result<Box<dyn AnyScenario>, Faults> {
        let usual = self.environment.get::<FileLocator>().cloned().unwrap_or_default();
        let locator = FileLocator::new(move |name, folder| match copies.get(name) {
            Some(copy) => Ok(copy.clone()),
            None => usual.locate(name, folder),
        });
        let environment = self.environment.clone().with(locator);
        let name = "scenario.toml";
        self.parse_in(&ScenarioSource { text, name, folder: None, overrides: &[], environment: &environment })
    }

    fn parse_in(&self, source: &ScenarioSource<'_>) -> Result<Box<dyn AnyScenario>, Faults> {
        let document = Document::parse(source)?;
        let found = document.study()?;
        match self.study_named(&found) {
            Some(study) => study.scenario(&document),
            None => Err(document.unknown_study(self.studies().map(AnyStudy::name).collect::<Vec<_>>())),
        }
    }

    /// Reads a scenario file of any study.
    ///
    /// # Errors
    /// If the file cannot be read, and everything that is wrong with it.
    pub fn load(&self, path: &Path, overrides: &[String]) -> Result<Box<dyn AnyScenario>, Faults> {
        let text = dfrsim_input::read_text(path)?;
        self.parse(&text, &path.display().to_string(), path.parent(), overrides)
    }
}

struct Registered<S>(PhantomData<fn() -> S>);

impl<S: Study> AnyStudy for Registered<S> {
    fn name(&self) -> &'static str {
        S::NAME
    }
    fn title(&self) -> &'static str {
        S::TITLE
    }
    fn semantics(&self) -> u32 {
        S::SEMANTICS
    }
    fn audit(&self) -> Audit {
        S::AUDIT
    }
    fn row_types(&self) -> &'static [RowType] {
        S::Row::TYPES
    }
    fn field_reference(&self) -> String {
        document_fields::<S::Fields>()
    }
    fn scenario(&self, document: &Document<'_>) -> Result<Box<dyn AnyScenario>, Faults> {
        let scenario = document.read::<S::Fields>()?;
        check_objective(document, scenario.objective.as_deref(), S::Row::TYPES)?;
        Ok(Box::new(Opened::<S>(scenario)))
    }
    fn frames(&self, files: &RowTexts) -> Result<Vec<DataFrame>, String> {
        S::Rows::frames(files)
    }
    fn drawings(
        &self,
        scenario: &ScenarioSource<'_>,
        rows: &RowTexts,
        times: Option<&ReadFile>,
    ) -> Result<Vec<Drawing>, String> {
        let scenario = Document::parse(scenario).and_then(|document| document.read_detached::<S::Fields>());
        let scenario = scenario.map_err(|errors| errors.to_string())?;
        let mut drawings = S::drawings(&scenario, &S::Rows::read(rows)?);
        drawings.extend(times.into_iter().flat_map(|times| S::time_drawings(&scenario, times)));
        Ok(drawings)
    }
}

/// Refuses an objective that is no metric of these rows.
fn check_objective(
    document: &Document<'_>,
    objective: Option<&str>,
    row_types: &[RowType],
) -> Result<(), Faults> {
    let columns = row_types.iter().flat_map(|row_type| row_type.columns);
    let metrics: Vec<&str> = columns.filter(|it| it.is_metric()).map(|it| it.name).collect();
    match objective.filter(|objective| !metrics.contains(objective)) {
        Some(unknown) => Err(document.unknown_objective(unknown, metrics)),
        None => Ok(()),
    }
}

struct Opened<S: Study>(Scenario<S::Fields>);

impl<S: Study> AnyScenario for Opened<S> {
    fn study(&self) -> &'static str {
        S::NAME
    }
    fn title(&self) -> &str {
        &self.0.title
    }
    fn to_toml(&self) -> String {
        self.0.to_toml(S::NAME)
    }
    fn uses(&self) -> &Uses {
        &self.0.uses
    }
    fn problem(&self, which: ProblemId<'_>) -> Result<Box<dyn Any>, RunError> {
        S::problem(&self.0, which)
    }
    fn run(
        &self,
        options: &RunOptions,
        interrupt: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<RunReport, RunError> {
        let Opened(scenario) = self;
        let facts = StudyFacts::of::<S>();
        let to_run = ToRun {
            facts,
            memory: S::memory(scenario),
            rows_at_least: S::rows_at_least(scenario),
            open: &|| Ok(Box::new(S::open(scenario)?)),
            uses: &scenario.uses,
            title: &scenario.title,
            seed: scenario.seed,
            text: self.to_toml(),
        };
        sweep::run(&to_run, options, interrupt, progress)
    }
}
