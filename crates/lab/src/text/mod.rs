//! Texts in files and on the command line.

pub(crate) mod csv;
pub(crate) mod percent;

use serde::de::DeserializeOwned;

/// A value of a type that serde reads, from TOML; why not in one line. A type that is read from one format only, JSON, is
/// compiled once, and from TOML itself three times.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let value: serde_json::Value = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    T::deserialize(value).map_err(|error| error.to_string())
}
