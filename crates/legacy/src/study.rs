//! Which study a scenario file is of.

use crate::Scenario;
use crate::experiment::AnyExperiment;
use crate::scenario::{self, Fault, ScenarioErrors, ScenarioText, Text, nearest};
use crate::{adaptation, coallocation, context_switch, discovery, grid, needs, offline};
use std::path::Path;

/// A scenario of any study.
#[derive(Debug)]
pub enum Study {
    /// `study = "online"`.
    Online(Box<Scenario>),
    /// `study = "offline"`.
    Offline(Box<offline::Scenario>),
    /// One of the studies on the frame of [`experiment`](crate::experiment).
    Experiment(Box<dyn AnyExperiment>),
}

type Read = fn(&ScenarioText<'_>) -> Result<Study, ScenarioErrors>;

/// The studies, as `study = "..."` names them, and how their scenarios are read.
const STUDIES: &[(&str, Read)] = &[
    ("online", |source| Scenario::read(source).map(|scenario| Study::Online(Box::new(scenario)))),
    ("adaptation", |source| {
        adaptation::Scenario::read(source).map(|scenario| Study::Experiment(Box::new(scenario)))
    }),
    ("context-switch", |source| {
        context_switch::Scenario::read(source).map(|scenario| Study::Experiment(Box::new(scenario)))
    }),
    ("offline", |source| offline::Scenario::read(source).map(|scenario| Study::Offline(Box::new(scenario)))),
    ("discovery", discovery::read),
    ("needs", needs::read),
    ("coallocation", coallocation::read),
    ("grid", |source| grid::Scenario::read(source).map(|scenario| Study::Experiment(Box::new(scenario)))),
];

impl Study {
    /// Reads a scenario file; its field `study` says of which study it is.
    ///
    /// # Errors
    /// All that is wrong with the file, its values and the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Study, ScenarioErrors> {
        let (name, text) = scenario::read(path)?;
        let source = ScenarioText { text: &text, name: &name, folder: path.parent(), overrides };
        reader(&source)?(&source)
    }

    /// The scenario as a file with every field spelt out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        match self {
            Study::Online(scenario) => scenario.to_toml(),
            Study::Offline(scenario) => scenario.to_toml(),
            Study::Experiment(scenario) => scenario.to_toml(),
        }
    }

    /// Reads a scenario from a text, of which messages speak as `name`. Files are only looked for from the current folder.
    ///
    /// # Errors
    /// All that is wrong with the text and its values.
    pub fn parse(text: &str, name: &str) -> Result<Study, ScenarioErrors> {
        let source = ScenarioText { text, name, folder: None, overrides: &[] };
        reader(&source)?(&source)
    }
}

/// The reader of the study that the file names. A file without a name, or that is no TOML, is left to the reader of
/// on-line scenarios, which says so.
fn reader(source: &ScenarioText<'_>) -> Result<Read, ScenarioErrors> {
    let &ScenarioText { text, name, overrides, .. } = source;
    let Some((found, range)) = scenario::text_field(source, "study") else {
        return Ok(STUDIES[0].1);
    };
    if let Some((_, read)) = STUDIES.iter().find(|(name, _)| *name == found) {
        return Ok(*read);
    }
    let names = || STUDIES.iter().map(|(name, _)| *name);
    let message = match nearest(&found, names()) {
        Some(name) => format!("there is no study `{found}`; did you mean `{name}`?"),
        None => {
            let all: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            format!("there is no study `{found}`; there are: {}", all.join(", "))
        }
    };
    let fault: Fault = Text::new(name, text, overrides).fault(&range, message);
    Err(ScenarioErrors::new(vec![fault]))
}
