//! Maps of columns in scenarios.

use dfrsim_lab::RunError;
use dfrsim_lab::fields::{Codec, LocatedFile, file, with};
use dfrsim_workload::formats::table::{self, Map, MapError};
use std::sync::Arc;
use toml::Value;

/// A map of the columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// A map that ships with the program.
    Shipped(Arc<Map>),
    /// A file, which is read with the log.
    File(LocatedFile),
}

impl Columns {
    /// Returns the map, or reads its file.
    pub(crate) fn map(&self) -> Result<Arc<Map>, RunError> {
        match self {
            Columns::Shipped(map) => Ok(Arc::clone(map)),
            Columns::File(file) => Map::open(&file.path).map(Arc::new).map_err(RunError::input),
        }
    }
}

/// Creates the codec of a map. A text with a dot or a slash names a file, relative to the scenario.
pub(crate) fn columns() -> Codec<Columns> {
    let of_file = file();
    with(
        move |at, reader| match at.text().filter(|name| !name.contains(['.', '/'])) {
            Some(name) => {
                let map: Result<Map, MapError> = table::shipped(name);
                reader.value_or_report(at, map).map(|map| Columns::Shipped(Arc::new(map)))
            }
            None => of_file.read(at, reader).map(Columns::File),
        },
        |columns: &Columns| {
            Value::String(match columns {
                Columns::Shipped(map) => map.name.clone(),
                Columns::File(file) => file.given.clone(),
            })
        },
        "the name of a map of columns, or of a file",
    )
}
