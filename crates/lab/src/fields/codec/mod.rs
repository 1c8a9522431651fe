//! Codecs, which read values from TOML and write them back.

mod declared;
mod file;
mod foreign;
mod lists;
mod numbers;
mod selected;
mod tables;
mod texts;

pub use declared::declared;
pub use file::{
    FileLocator, FileOr, FileRequest, LocatedFile, file, file_known_or, file_or, log, result_folder,
};
pub use foreign::{serde, shorthand, via, with};
pub use lists::{list, map, one_or_many, optional};
pub use numbers::{
    Integer, Real, boolean, count, fraction, number, positive, positive_fraction, positive_seconds, seconds,
    seed,
};
pub use selected::{any_selected, selected};
pub use tables::{distinct_tables, flattened, table, tables};
pub use texts::{choice, name, named, one_line, parsed, text, written};

use super::docs::{Absent, FieldDoc, TableDoc};
use super::reader::Reader;
use super::table::TableAt;
use super::uses::Uses;
use dfrsim_input::Located;
use std::fmt;
use std::rc::Rc;
use toml::Value;

type Accepts = dyn Fn(&Located<'_>) -> bool;
type Read<T> = dyn Fn(&Located<'_>, &mut Reader<'_>) -> Option<T>;
type Write<T> = dyn Fn(&T) -> Option<Value>;
type ReadAbsent<T> = dyn Fn(&str, &TableAt<'_>, &mut Reader<'_>) -> Option<T>;

/// Reads and writes a `T`. The functions of this module create codecs and combine them; [`with`]
/// creates one for any type.
pub struct Codec<T> {
    form: Form,
    read: Box<Read<T>>,
    /// Returns `None` if the value is represented by the absence of the field.
    write: Box<Write<T>>,
    /// Gives the value of a field that is absent and has no default.
    absent: Box<ReadAbsent<T>>,
}

/// The part of a codec that does not depend on the type of its values, so that it is compiled only
/// once.
struct Form {
    shape: String,
    /// Returns true for values of the right type, even if they are out of range.
    accepts: Rc<Accepts>,
    absence: Absent,
    /// Documentation of the tables in the value.
    nested: Option<Rc<dyn Fn() -> TableDoc>>,
    /// True if the fields of the value are fields of the enclosing table.
    is_flat: bool,
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Codec").field(&self.form.shape).finish()
    }
}

impl Form {
    /// Creates the form of a required field.
    fn new(shape: String, accepts: Rc<Accepts>) -> Form {
        Form { shape, accepts, absence: Absent::Required, nested: None, is_flat: false }
    }
    /// Returns the value of a field; `None` if it is absent or the value is flattened.
    fn get<'a>(&self, name: &str, table: &TableAt<'a>) -> Option<Located<'a>> {
        if self.is_flat { None } else { table.get(name) }
    }
    fn put(&self, name: &str, written: Option<Value>, table: &mut toml::Table) {
        match written {
            Some(Value::Table(fields)) if self.is_flat => table.extend(fields),
            Some(value) => _ = table.insert(name.to_owned(), value),
            None => {}
        }
    }
    /// Returns the documentation of a field, with its default in TOML.
    fn document(&self, name: &str, doc: &str, default: Option<Option<Value>>) -> Vec<FieldDoc> {
        let nested = self.nested.as_ref().map(|nested| nested());
        if self.is_flat {
            return nested.map(|nested| nested.fields).unwrap_or_default();
        }
        let absent = match default {
            Some(Some(value)) => Absent::Default(value.to_string()),
            Some(None) => Absent::Unset,
            None => self.absence.clone(),
        };
        let (name, shape, doc) = (name.to_owned(), self.shape.clone(), doc.to_owned());
        vec![FieldDoc { name, shape, absent, doc, nested }]
    }
}

impl<T> Codec<T> {
    /// Creates a codec for a required field.
    fn new(
        shape: impl Into<String>,
        accepts: impl Fn(&Located<'_>) -> bool + 'static,
        read: impl Fn(&Located<'_>, &mut Reader<'_>) -> Option<T> + 'static,
        write: impl Fn(&T) -> Option<Value> + 'static,
    ) -> Codec<T> {
        Codec {
            form: Form::new(shape.into(), Rc::new(accepts)),
            read: Box::new(read),
            write: Box::new(write),
            absent: Box::new(|name, table, reader| table.missing(name, reader)),
        }
    }
    /// Creates a codec for values that are converted from one TOML type, or refused.
    fn scalar<A>(
        shape: impl Into<String>,
        get: impl Fn(&Located<'_>) -> Option<A> + Clone + 'static,
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
    /// Sets the meaning of an absent field.
    fn absent(
        self,
        absence: Absent,
        absent: impl Fn(&str, &TableAt<'_>, &mut Reader<'_>) -> Option<T> + 'static,
    ) -> Codec<T> {
        Codec { form: Form { absence, ..self.form }, absent: Box::new(absent), ..self }
    }
    /// Sets the documentation of the tables in the value.
    fn nested(self, nested: Option<Rc<dyn Fn() -> TableDoc>>) -> Codec<T> {
        Codec { form: Form { nested, ..self.form }, ..self }
    }

    /// Appends advice to each error message about the value.
    #[must_use]
    pub fn advised(self, advice: &'static str) -> Codec<T>
    where
        T: 'static,
    {
        let read = self.read;
        let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
            reader.with_advice(advice, |reader| read(at, reader))
        };
        Codec { read: Box::new(read), ..self }
    }
    /// Records the files and commands that a value uses.
    #[must_use]
    pub fn using(self, note: impl Fn(&T, &mut Uses) + 'static) -> Codec<T>
    where
        T: 'static,
    {
        let read = self.read;
        let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
            let value = read(at, reader)?;
            note(&value, reader.uses());
            Some(value)
        };
        Codec { read: Box::new(read), ..self }
    }

    /// Reads the value; errors go to the reader.
    pub fn read(&self, at: &Located<'_>, reader: &mut Reader<'_>) -> Option<T> {
        (self.read)(at, reader)
    }
    /// Returns the expected type and range: "a number of nodes from 1 to 100".
    pub fn shape(&self) -> &str {
        &self.form.shape
    }
    /// Reads a field of a table.
    pub fn read_field(
        &self,
        name: &str,
        default: Option<fn() -> T>,
        table: &TableAt<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<T> {
        match (self.form.get(name, table), default) {
            (Some(at), _) => self.read(&at, reader),
            (None, Some(default)) => Some(default()),
            (None, None) => (self.absent)(name, table, reader),
        }
    }
    /// Writes a field into a table.
    pub fn write_field(&self, name: &str, value: &T, table: &mut toml::Table) {
        self.form.put(name, (self.write)(value), table);
    }
    /// Returns the documentation of a field.
    pub fn document(&self, name: &str, doc: &str, default: Option<fn() -> T>) -> Vec<FieldDoc> {
        self.form.document(name, doc, default.map(|default| (self.write)(&default())))
    }
}
