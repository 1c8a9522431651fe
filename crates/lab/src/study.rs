//! Which study a scenario file is of.

use crate::Scenario;
use crate::offline;
use crate::scenario::{self, Fault, ScenarioErrors, Text, nearest};
use std::path::Path;

/// A scenario of any study.
#[derive(Clone, Debug, PartialEq)]
pub enum Study {
    /// `study = "online"`.
    Online(Box<Scenario>),
    /// `study = "offline"`.
    Offline(Box<offline::Scenario>),
}

impl Study {
    /// Reads a scenario file; its field `study` says of which study it is.
    ///
    /// # Errors
    /// All that is wrong with the file, its values and the overrides.
    pub fn load(path: &Path, overrides: &[String]) -> Result<Study, ScenarioErrors> {
        let (name, text) = scenario::read(path)?;
        match kind(&text, &name, overrides)? {
            Kind::Online => Scenario::load(path, overrides).map(|scenario| Study::Online(Box::new(scenario))),
            Kind::Offline => offline::Scenario::parse(&text, &name, overrides)
                .map(|scenario| Study::Offline(Box::new(scenario))),
        }
    }
}

enum Kind {
    Online,
    Offline,
}

/// What the field says. A file without it, or that is no TOML, is left to the reader of on-line scenarios, which says
/// so.
fn kind(text: &str, name: &str, overrides: &[String]) -> Result<Kind, ScenarioErrors> {
    let joined = Text::new(name, text, overrides);
    let Some((found, range)) = scenario::text_field(text, name, overrides, "study") else {
        return Ok(Kind::Online);
    };
    match found.as_str() {
        "online" => Ok(Kind::Online),
        "offline" => Ok(Kind::Offline),
        other => {
            let message = match nearest(other, ["online", "offline"]) {
                Some(name) => format!("there is no study `{other}`; did you mean `{name}`?"),
                None => format!("there is no study `{other}`; there are: `online`, `offline`"),
            };
            let fault: Fault = joined.fault(&range, message);
            Err(ScenarioErrors::new(vec![fault]))
        }
    }
}
