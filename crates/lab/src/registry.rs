//! Registry of the studies of a program.

use crate::fields::{Document, Environment, Faults, FileLocator, LocatedFile, ScenarioSource};
use crate::study::{AnyScenario, AnyStudy, Study};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::path::{Path, PathBuf};

/// The studies of a program, and the values that the fields of their scenarios look up, such as a
/// registry of policies.
#[derive(Default)]
pub struct Registry {
    studies: Vec<AnyStudy>,
    environment: Environment,
}

impl Registry {
    /// Creates an empty registry.
    pub fn new() -> Registry {
        Registry::default()
    }
    /// Adds a study.
    #[must_use]
    pub fn study<S: Study>(mut self) -> Registry {
        self.studies.push(AnyStudy::of::<S>());
        self
    }
    /// Adds a value that the fields of scenarios look up by its type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Registry {
        self.environment = self.environment.with(value);
        self
    }
    /// Returns the values that the fields of scenarios look up.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }
    /// Returns the studies, in the order in which they were added.
    pub fn studies(&self) -> impl Iterator<Item = &AnyStudy> {
        self.studies.iter()
    }
    /// Finds the study with this name.
    pub fn study_named(&self, name: &str) -> Option<&AnyStudy> {
        self.studies().find(|study| study.name == name)
    }

    /// Parses a scenario of any study. Messages call the text `name`. Relative file names are also
    /// resolved against `folder`. Overrides are `key=value`.
    ///
    /// # Errors
    /// Returns every error in the scenario.
    pub fn parse(
        &self,
        text: &str,
        name: &str,
        folder: Option<&Path>,
        overrides: &[String],
    ) -> Result<AnyScenario, Faults> {
        self.parse_in(&ScenarioSource { text, name, folder, overrides, environment: &self.environment })
    }

    /// Parses the scenario of stored results, in which file names refer to the copies that the
    /// results keep.
    pub(crate) fn parse_with_copies(
        &self,
        text: &str,
        copies: FxHashMap<String, PathBuf>,
    ) -> Result<AnyScenario, Faults> {
        let usual = self.environment.get::<FileLocator>().cloned().unwrap_or_default();
        let locator = FileLocator::new(move |request| match copies.get(request.name) {
            Some(copy) => Ok(LocatedFile::new(request.name, copy)),
            None => usual.locate(request),
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
    /// Returns an error if the file cannot be read; otherwise every error in the scenario.
    pub fn load(&self, path: &Path, overrides: &[String]) -> Result<AnyScenario, Faults> {
        let text = dfrsim_input::read_text(path)?;
        self.parse(&text, &path.display().to_string(), path.parent(), overrides)
    }
}
