//! Checks that several settings share: ranges as declared, and duplicates.

use super::declare::{Setting, SettingType, SettingVisitor, Settings};
use std::collections::BTreeSet;

/// Error in the settings of a site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct SettingError {
    /// Path of the field.
    pub place: String,
    /// Reason for the error.
    pub reason: String,
}

/// Returns an error unless the condition holds.
pub(super) fn check(holds: bool, place: &str, reason: impl FnOnce() -> String) -> Result<(), SettingError> {
    if holds { Ok(()) } else { Err(SettingError { place: place.to_owned(), reason: reason() }) }
}

/// Checks that the values of a table are those that its declaration allows.
pub(super) fn check_ranges<S: Settings>(table: &S, place: &str) -> Result<(), SettingError> {
    struct Ranges<'a, S> {
        table: &'a S,
        place: &'a str,
        found: Result<(), SettingError>,
    }

    impl<S> SettingVisitor<S> for Ranges<'_, S> {
        fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
            if let Some((rest, reason)) = setting.values.fault((setting.get)(self.table))
                && self.found.is_ok()
            {
                let dot = if self.place.is_empty() { "" } else { "." };
                let place = format!("{}{dot}{}{rest}", self.place, setting.name);
                self.found = Err(SettingError { place, reason });
            }
        }
    }

    let mut ranges = Ranges { table, place, found: Ok(()) };
    S::visit(&mut ranges);
    ranges.found
}

pub(super) fn check_positive(place: &str, limit: u32) -> Result<(), SettingError> {
    check(limit > 0, place, || "expected at least 1".to_owned())
}

pub(super) fn check_unique<'a>(
    place: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), SettingError> {
    let mut seen = BTreeSet::new();
    for name in names {
        check(!name.is_empty(), place, || "expected a name in each entry".to_owned())?;
        check(seen.insert(name), place, || format!("duplicate name `{name}`"))?;
    }
    Ok(())
}
