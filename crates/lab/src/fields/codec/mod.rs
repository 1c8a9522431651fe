//! Codecs: how a value is read from TOML and written back.

mod file;
mod foreign;
mod lists;
mod numbers;
mod selected;
mod tables;
mod texts;

pub use file::{FileLocator, FileOr, LocatedFile, file, file_or, log, result_folder};
pub use foreign::{serde, shorthand, via, with};
pub use lists::{list, map, one_or_many, optional};
pub use numbers::{
    Integer, Real, Seconds, boolean, count, fraction, number, positive, positive_fraction, positive_seconds,
    seconds, seed,
};
pub use selected::{any_selected, selected};
pub use tables::{distinct_tables, flattened, table, tables};
pub use texts::{choice, name, named, parsed, text};

use super::docs::{Absent, FieldDoc, TableDoc};
use super::reader::Reader;
use super::table::TableAt;
use super::uses::Uses;
use super::value::ValueAt;
use std::fmt;
use std::rc::Rc;
use toml::Value;

type Accepts = dyn Fn(&ValueAt<'_>) -> bool;
type Read<T> = dyn Fn(&ValueAt<'_>, &mut Reader<'_>) -> Option<T>;
type Write<T> = dyn Fn(&T) -> Option<Value>;
type ReadAbsent<T> = dyn Fn(&str, &TableAt<'_>, &mut Reader<'_>) -> Option<T>;

/// How a `T` is read and written. The functions of this module make them, one from another; [`with`] makes any.
pub struct Codec<T> {
    shape: String,
    /// Whether a value is of the right type; it may be out of its range all the same.
    accepts: Rc<Accepts>,
    read: Rc<Read<T>>,
    /// `None` if what is written is the absence of the field.
    write: Rc<Write<T>>,
    /// The value of a field that is absent and has no default.
    absent: Rc<ReadAbsent<T>>,
    absence: Absent,
    /// The fields of the tables in the value.
    nested: Option<Rc<dyn Fn() -> TableDoc>>,
    /// Whether the value is in the fields of the table itself.
    is_flat: bool,
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Codec").field(&self.shape).finish()
    }
}

impl<T> Codec<T> {
    /// A codec for a required field.
    fn new(
        shape: impl Into<String>,
        accepts: impl Fn(&ValueAt<'_>) -> bool + 'static,
        read: impl Fn(&ValueAt<'_>, &mut Reader<'_>) -> Option<T> + 'static,
        write: impl Fn(&T) -> Option<Value> + 'static,
    ) -> Codec<T> {
        Codec {
            shape: shape.into(),
            accepts: Rc::new(accepts),
            read: Rc::new(read),
            write: Rc::new(write),
            absent: Rc::new(|name, table, reader| table.missing(name, reader)),
            absence: Absent::Refused,
            nested: None,
            is_flat: false,
        }
    }
    /// A codec for what is made of a value of one TOML type, or refused.
    fn scalar<A>(
        shape: impl Into<String>,
        get: impl Fn(&ValueAt<'_>) -> Option<A> + Clone + 'static,
        make: impl Fn(A) -> Option<T> + 'static,
        write: impl Fn(&T) -> Value + 'static,
    ) -> Codec<T> {
        let (shape, get_it) = (shape.into(), get.clone());
        let expected = shape.clone();
        Codec::new(
            shape,
            move |at| get_it(at).is_some(),
            move |at, reader| get(at).and_then(&make).or_else(|| reader.expected(at, &expected)),
            move |value| Some(write(value)),
        )
    }
    /// With a value of absent fields that means this.
    fn absent(
        self,
        absence: Absent,
        absent: impl Fn(&str, &TableAt<'_>, &mut Reader<'_>) -> Option<T> + 'static,
    ) -> Codec<T> {
        Codec { absence, absent: Rc::new(absent), ..self }
    }

    /// With advice behind each message about the value.
    #[must_use]
    pub fn advised(self, advice: &'static str) -> Codec<T>
    where
        T: 'static,
    {
        let read = Rc::clone(&self.read);
        self.reading(move |at, reader| reader.advising(advice, |reader| read(at, reader)))
    }
    /// Notes what a value uses.
    #[must_use]
    pub fn using(self, note: impl Fn(&T, &mut Uses) + 'static) -> Codec<T>
    where
        T: 'static,
    {
        let read = Rc::clone(&self.read);
        self.reading(move |at, reader| {
            let value = read(at, reader)?;
            note(&value, reader.uses());
            Some(value)
        })
    }
    /// With another way to read the value.
    fn reading(self, read: impl Fn(&ValueAt<'_>, &mut Reader<'_>) -> Option<T> + 'static) -> Codec<T> {
        Codec { read: Rc::new(read), ..self }
    }

    /// The value, or faults in the reader.
    pub fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        (self.read)(at, reader)
    }
    /// What is expected: "a number of nodes from 1 to 100".
    pub fn shape(&self) -> &str {
        &self.shape
    }
    /// A field of a table.
    pub fn read_field(
        &self,
        name: &str,
        default: Option<fn() -> T>,
        table: &TableAt<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<T> {
        let at = if self.is_flat { None } else { table.get(name) };
        match (at, default) {
            (Some(at), _) => self.read(&at, reader),
            (None, Some(default)) => Some(default()),
            (None, None) => (self.absent)(name, table, reader),
        }
    }
    /// Writes a field into a table.
    pub fn write_field(&self, name: &str, value: &T, table: &mut toml::Table) {
        match (self.write)(value) {
            Some(Value::Table(fields)) if self.is_flat => table.extend(fields),
            Some(value) => _ = table.insert(name.to_owned(), value),
            None => {}
        }
    }
    /// The documentation of a field.
    pub fn document(&self, name: &str, doc: &str, default: Option<fn() -> T>) -> Vec<FieldDoc> {
        let nested = self.nested.as_ref().map(|nested| nested());
        if self.is_flat {
            return nested.map(|nested| nested.fields).unwrap_or_default();
        }
        let absent = match default.map(|default| (self.write)(&default())) {
            Some(Some(value)) => Absent::Default(value.to_string()),
            Some(None) => Absent::Unset,
            None => self.absence.clone(),
        };
        let (name, shape, doc) = (name.to_owned(), self.shape.clone(), doc.to_owned());
        vec![FieldDoc { name, shape, absent, doc, nested }]
    }
}
