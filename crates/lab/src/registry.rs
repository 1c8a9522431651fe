//! The studies of a program, of all types.

use crate::fields::{Document, Environment, Faults, FileLocator, ScenarioSource};
use crate::study::{AnyScenario, AnyStudy, Study};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::path::{Path, PathBuf};

/// The studies of a program, and what the fields of their scenarios look up: a registry of policies, for example.
#[derive(Default)]
pub struct Registry {
    studies: Vec<AnyStudy>,
    environment: Environment,
}

impl Registry {
    /// No studies.
    pub fn new() -> Registry {
        Registry::default()
    }
    /// With one more study.
    #[must_use]
    pub fn study<S: Study>(mut self) -> Registry {
        self.studies.push(AnyStudy::of::<S>());
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
    pub fn studies(&self) -> impl Iterator<Item = &AnyStudy> {
        self.studies.iter()
    }
    /// The study of this name.
    pub fn study_named(&self, name: &str) -> Option<&AnyStudy> {
        self.studies().find(|study| study.name == name)
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
    ) -> Result<AnyScenario, Faults> {
        self.parse_in(&ScenarioSource { text, name, folder, overrides, environment: &self.environment })
    }

    /// Reads the scenario of results, which keep copies of some of the files that it names.
    pub(crate) fn parse_with_copies(
        &self,
        text: &str,
        copies: FxHashMap<String, PathBuf>,
    ) -> Result<AnyScenario, Faults> {
        let usual = self.environment.get::<FileLocator>().cloned().unwrap_or_default();
        let locator = FileLocator::new(move |name, folder| match copies.get(name) {
            Some(copy) => Ok(copy.clone()),
            None => usual.locate(name, folder),
        });
        let environment = self.environment.clone().with(locator);
        let name = "scenario.toml";
        self.parse_in(&ScenarioSource { text, name, folder: None, overrides: &[], environment: &environment })
    }

    fn parse_in(&self, source: &ScenarioSource<'_>) -> Result<AnyScenario, Faults> {
        let document = Document::parse(source)?;
        let found = document.study()?;
        match self.study_named(&found) {
            Some(study) => (study.scenario)(&document),
            None => Err(document.unknown_study(self.studies().map(|study| study.name).collect::<Vec<_>>())),
        }
    }

    /// Reads a scenario file of any study.
    ///
    /// # Errors
    /// If the file cannot be read, and everything that is wrong with it.
    pub fn load(&self, path: &Path, overrides: &[String]) -> Result<AnyScenario, Faults> {
        let text = dfrsim_input::read_text(path)?;
        self.parse(&text, &path.display().to_string(), path.parent(), overrides)
    }
}
