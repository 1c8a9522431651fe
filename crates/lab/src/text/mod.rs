//! Text formats of files and of the command line.

pub(crate) mod csv;
pub(crate) mod percent;

use serde::de::DeserializeOwned;

/// Parses a value from TOML; the error is one line. Types that are also read from JSON go through a
/// JSON value: deserializing from one format compiles the code of a type once, and from TOML itself
/// three times.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let value: serde_json::Value = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    T::deserialize(value).map_err(|error| error.to_string())
}
