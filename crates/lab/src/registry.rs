//! Registry of the studies of a program.

use crate::fields::{Document, Environment, Faults, FileLocator, LocatedFile, ScenarioSource};
use crate::key::Digest;
use crate::study::{AnyScenario, AnyStudy, Study};
use crate::sweep::{InputSection, Manifest};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::fs::File;
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
    /// results keep. Devices and pipes are refused, as reading one may never end.
    pub(crate) fn parse_with_copies(
        &self,
        text: &str,
        copies: FxHashMap<String, PathBuf>,
    ) -> Result<AnyScenario, Faults> {
        let environment = self.environment_with(copies);
        let name = "scenario.toml";
        self.parse_in(&ScenarioSource { text, name, folder: None, overrides: &[], environment: &environment })
    }

    fn parse_in(&self, source: &ScenarioSource<'_>) -> Result<AnyScenario, Faults> {
        let document = Document::parse(source)?;
        let found = if document.has("study") { Some(document.study()?) } else { None };
        match found.and_then(|found| self.study_named(&found)) {
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
        let (name, folder) = (path.display().to_string(), path.parent());
        let recorded = folder.map(recorded_files).unwrap_or_default();
        let environment = match recorded.is_empty() {
            true => self.environment.clone(),
            false => self.environment_with(recorded),
        };
        self.parse_in(&ScenarioSource {
            text: &text,
            name: &name,
            folder,
            overrides,
            environment: &environment,
        })
    }

    /// Returns the environment in which these names mean these files.
    fn environment_with(&self, files: FxHashMap<String, PathBuf>) -> Environment {
        let usual = self.environment.get::<FileLocator>().cloned().unwrap_or_default();
        let locator = FileLocator::new(move |request| match files.get(request.name) {
            Some(file) => Ok(LocatedFile::new(request.name, file)),
            None => {
                usual.locate(request).and_then(|found| match found.path.is_file() || found.path.is_dir() {
                    true => Ok(found),
                    false => Err(format!("`{}` is neither a file nor a folder", request.name)),
                })
            }
        });
        self.environment.clone().with(locator)
    }
}

/// Returns the files that the results in a folder were made of, by their names in the scenario:
/// names in the scenario of results are relative to the folder of the original scenario. Files that
/// have changed since are left out; the result is empty if the folder has no results.
fn recorded_files(folder: &Path) -> FxHashMap<String, PathBuf> {
    let manifest = Manifest::read(folder).ok().flatten();
    let found = |input: &InputSection| {
        let copy = input.copy.as_ref().map(|copy| folder.join(copy));
        let path =
            copy.into_iter().chain(input.path.as_ref().map(PathBuf::from)).find(|path| path.is_file())?;
        let digest = File::open(&path).and_then(Digest::from_reader).ok()?;
        (digest.to_string() == input.sha256).then(|| (input.file.clone(), path))
    };
    manifest.iter().flat_map(|manifest| &manifest.inputs).filter_map(found).collect()
}
