//! The declaration of fields.

use super::docs::FieldDoc;
use super::environment::Environment;
use super::reader::Reader;
use super::table::TableAt;
use dfrsim_input::{Faults, Input};

/// A scenario's own fields, or those of a nested table. [`fields!`](crate::fields!) implements it.
pub trait Fields: Sized + 'static {
    /// The value, or faults in the reader. The creator of the table must [`finish`](TableAt::finish) it.
    fn read(table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<Self>;
    /// Every field spelt out; reads back as itself.
    fn write(&self) -> toml::Table;
    /// The fields, in the order of their declaration.
    fn docs() -> Vec<FieldDoc>;
    /// What they are together.
    fn doc() -> String;
}

/// The fields that an empty table has.
///
/// # Errors
/// Some fields are required.
pub fn defaults<F: Fields>() -> Result<F, Faults> {
    let environment = Environment::new();
    let mut reader = Reader::new(None, &environment);
    let value = F::read(&TableAt::absent("", None), &mut reader);
    reader.finish(&Input::toml("defaults", "")?, value)
}

/// The lines of a documentation comment as one text.
#[doc(hidden)]
pub fn doc_text(lines: &[Option<&str>]) -> String {
    let lines: Vec<&str> = lines.iter().flatten().map(|line| line.trim()).collect();
    lines.join("\n").trim().to_owned()
}

/// Which of several fields is there; exactly one should be.
#[doc(hidden)]
pub fn only_one<'n>(names: &[&'n str], table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<&'n str> {
    let one_of = super::names::listed(names.iter().copied(), " or ");
    let found: Vec<_> = names.iter().filter_map(|name| Some((*name, table.get(name)?))).collect();
    match found.as_slice() {
        [(name, _)] => return Some(name),
        [] => reader.fault_at(table.span(), format!("expected one of {one_of}")),
        [_, others @ ..] => {
            for (_, at) in others {
                reader.fault(at, format!("expected only one of {one_of}"));
            }
        }
    }
    None
}
