//! Speed levels of nodes: slower, with less power (dynamic voltage and frequency scaling).
//!
//! A class of nodes may have levels below full speed, each with a speed relative to that of the node and
//! a power of a busy node. Levels are known by name over all classes: level 0 is full speed, and levels 1,
//! 2, ... are the names in the order in which they first appear. A node without a level runs at full speed
//! and full power at that level. A level belongs to a run of a job, which it has from a start until it
//! leaves its nodes.

use crate::Yield;
use crate::named::UnknownName;
use std::fmt;

/// Largest number of speed levels of a cluster below full speed.
pub const MOST_LEVELS: usize = 15;

/// Speed level of the nodes of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeedLevel {
    /// Speed relative to that of the node at full speed; above zero.
    pub speed: Yield,
    /// Power of a node whose CPU is busy, without the units of other resources, in milliwatts.
    pub busy: u64,
    /// Busy power of a unit of each other resource, in milliwatts.
    pub units: Vec<u64>,
}

/// Rule by which jobs run below full speed.
///
/// The text form is `on-cap`, `never`, or the name of a level.
///
/// ```
/// use dfrsim_model::platform::levels::LevelUse;
/// let rule: LevelUse = "eco".parse().unwrap();
/// assert_eq!((rule.to_string(), rule), ("eco".to_owned(), LevelUse::Always("eco".to_owned())));
/// assert_eq!("on-cap".parse(), Ok(LevelUse::OnCap));
/// assert!("e c o".parse::<LevelUse>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LevelUse {
    /// Jobs run below full speed where the power cap leaves too little power for full speed.
    OnCap,
    /// All jobs run at full speed.
    Never,
    /// All jobs run at the level of this name.
    Always(String),
}

crate::parses!(
    LevelUse,
    "invalid use of speed levels `{text}`; expected on-cap, never, or the name of a level",
    |text| match text {
        "on-cap" => Some(LevelUse::OnCap),
        "never" => Some(LevelUse::Never),
        name => is_level_name(name).then(|| LevelUse::Always(name.to_owned())),
    }
);

impl LevelUse {
    /// Checks the rule against the names of the levels of a cluster.
    ///
    /// # Errors
    ///
    /// Returns a reason if there are no levels, or none of the name.
    pub(super) fn check(&self, levels: &[&str]) -> Result<(), String> {
        if levels.is_empty() {
            return Err("no class of nodes has `power.levels`".to_owned());
        }
        match self {
            LevelUse::Always(name) if !levels.contains(&name.as_str()) => {
                let known = levels.iter().copied().chain(["on-cap", "never"]);
                Err(UnknownName::new("level", name, known).to_string())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LevelUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LevelUse::OnCap => "on-cap",
            LevelUse::Never => "never",
            LevelUse::Always(name) => name,
        })
    }
}

/// Returns whether a text can be the name of a level.
pub(super) fn is_level_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    !matches!(text, "" | "on-cap" | "never") && text.chars().all(is_letter)
}
