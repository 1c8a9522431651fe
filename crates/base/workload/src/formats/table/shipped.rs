//! Maps that ship with the program.

use super::map::Map;
use super::shape::{Form, Shape};
use dfrsim_input::Faults;
use dfrsim_model::named::UnknownName;
use std::path::Path;

/// Names and texts of the maps.
const MAPS: &[(&str, &str)] = &[
    ("accasim", include_str!("maps/accasim.toml")),
    ("alcf", include_str!("maps/alcf.toml")),
    ("alibaba-gpu-2023", include_str!("maps/alibaba-gpu-2023.toml")),
    ("alibaba-gpu-2025", include_str!("maps/alibaba-gpu-2025.toml")),
    ("alibaba-pai-2020", include_str!("maps/alibaba-pai-2020.toml")),
    ("eagle", include_str!("maps/eagle.toml")),
    ("gavel", include_str!("maps/gavel.toml")),
    ("gavel-msr", include_str!("maps/gavel-msr.toml")),
    ("helios", include_str!("maps/helios.toml")),
    ("jobcomp", include_str!("maps/jobcomp.toml")),
    ("lsb-acct", include_str!("maps/lsb-acct.toml")),
    ("philly", include_str!("maps/philly.toml")),
    ("sge", include_str!("maps/sge.toml")),
    ("supercloud", include_str!("maps/supercloud.toml")),
    ("xdmod", include_str!("maps/xdmod.toml")),
];

/// An error of finding or reading a map.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MapError {
    /// There is no such file and no shipped map of this name.
    #[error("{unknown}{}; files of your own are given by their path", if unknown.nearest.is_some() { format!("; the maps are {names}") } else { String::new() })]
    Unknown {
        /// The name, with the nearest known one.
        unknown: UnknownName,
        /// Names of the shipped maps.
        names: String,
    },
    /// The file is no map.
    #[error(transparent)]
    Faults(#[from] Faults),
}

/// Iterates over the names of the shipped maps.
pub fn names() -> impl Iterator<Item = &'static str> {
    MAPS.iter().map(|(name, _)| *name)
}

/// Returns the text of a shipped map.
pub fn text(name: &str) -> Option<&'static str> {
    MAPS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the shipped map of a name, or reads the map of a file.
///
/// # Errors
///
/// [`MapError`].
pub fn find(name: &str) -> Result<Map, MapError> {
    let path = Path::new(name);
    match text(name) {
        None if path.exists() => Ok(Map::open(path)?),
        _ => shipped(name),
    }
}

/// Returns the shipped map of a name.
///
/// # Errors
///
/// [`MapError`].
pub fn shipped(name: &str) -> Result<Map, MapError> {
    let unknown = || {
        let names: Vec<&str> = names().collect();
        MapError::Unknown { unknown: UnknownName::new("map", name, &names), names: names.join(", ") }
    };
    Ok(Map::parse(name, text(name).ok_or_else(unknown)?)?)
}

/// Returns the shipped map for tables without names of columns that have the delimiter and the
/// number of columns of this one.
pub(crate) fn similar(shape: &Shape) -> Option<&'static str> {
    let Form::Delimited(delimiter) = shape.form else { return None };
    let fits = |text: &str| {
        Map::parse("a shipped map", text)
            .is_ok_and(|map| map.delimiter == Some(delimiter) && map.names.len() == shape.count)
    };
    MAPS.iter().find(|(_, text)| shape.columns.is_empty() && fits(text)).map(|(name, _)| *name)
}

/// Returns the shipped map all of whose columns a table has; of several, the one with the most.
pub(crate) fn fitting(shape: &Shape) -> Option<&'static str> {
    let columns = |text: &str| -> Option<Vec<String>> {
        let map = Map::parse("a shipped map", text).ok()?;
        Some(map.required_columns().map(str::to_owned).collect())
    };
    let fits = |needed: &Vec<String>| {
        !needed.is_empty()
            && needed.iter().all(|name| shape.columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
    };
    let maps = MAPS.iter().filter_map(|(name, text)| Some((columns(text).filter(fits)?.len(), *name)));
    maps.max_by_key(|(columns, _)| *columns).map(|(_, name)| name)
}
