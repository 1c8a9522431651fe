//! Codecs: how a value is read from TOML and written back.

mod file;
mod foreign;
mod lists;
mod numbers;
mod selected;
mod tables;
mod texts;
mod unions;

pub use file::{FileLocator, FileName, LocatedFile, file};
pub use foreign::{FromSerde, Via, With, serde, via, with};
pub use lists::{List, Map, Optional, list, map, one_or_many, optional};
pub use numbers::{
    Boolean, Count, Integer, Number, Seconds, boolean, count, fraction, number, positive, positive_fraction,
    positive_seconds, seconds, seed,
};
pub use selected::{Selected, selected};
pub use tables::{Flattened, OneTable, Tables, flattened, table, tables};
pub use texts::{Choice, Named, TextLine, choice, name, named, text};
pub use unions::{Either, Shorthand, either, shorthand};

use super::at::{TableAt, ValueAt};
use super::docs::{Absent, FieldDoc, TableDoc};
use super::reader::Reader;

/// How a `T` is read and written.
///
/// Whoever implements it has to provide [`read`](Codec::read), [`write`](Codec::write) and [`shape`](Codec::shape).
pub trait Codec<T> {
    /// The value, or faults in the reader.
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T>;
    /// What reads back as the value; `None` if that is the absence of the field.
    fn write(&self, value: &T) -> Option<toml::Value>;
    /// What is expected: "a number of nodes from 1 to 100".
    fn shape(&self) -> String;

    /// Whether a value is of the right type; it may be out of its range all the same.
    fn accepts(&self, _: &ValueAt<'_>) -> bool {
        true
    }
    /// The value of a field that is absent and has no default.
    fn absent(&self, name: &str, table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        table.missing(name, reader)
    }
    /// What the absence of a field without default means.
    fn absence(&self) -> Absent {
        Absent::Refused
    }
    /// The fields of the tables in the value.
    fn nested(&self) -> Option<TableDoc> {
        None
    }

    /// A field of a table.
    fn read_field(
        &self,
        name: &str,
        default: Option<fn() -> T>,
        table: &TableAt<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<T> {
        match (table.get(name), default) {
            (Some(at), _) => self.read(&at, reader),
            (None, Some(default)) => Some(default()),
            (None, None) => self.absent(name, table, reader),
        }
    }
    /// Writes a field into a table.
    fn write_field(&self, name: &str, value: &T, table: &mut toml::Table) {
        if let Some(value) = self.write(value) {
            table.insert(name.to_owned(), value);
        }
    }
    /// The documentation of a field.
    fn document(&self, name: &str, doc: &str, default: Option<fn() -> T>) -> Vec<FieldDoc> {
        let absent = match default.map(|default| self.write(&default())) {
            Some(Some(value)) => Absent::Default(value.to_string()),
            Some(None) => Absent::Unset,
            None => self.absence(),
        };
        vec![FieldDoc {
            name: name.to_owned(),
            shape: self.shape(),
            absent,
            doc: doc.to_owned(),
            nested: self.nested(),
        }]
    }
}
