//! Declaration of fields.

use super::docs::FieldDoc;
use super::environment::Environment;
use super::reader::Reader;
use super::table::TableAt;
use dfrsim_input::{Faults, Input};

/// Fields of a scenario or of a nested table. [`fields!`](crate::fields!) implements it.
pub trait Fields: Sized + 'static {
    /// Reads the fields; errors go to the reader. The caller must [`finish`](TableAt::finish) the
    /// table.
    fn read(table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<Self>;
    /// Writes every field, including defaults; the table reads back as the same value.
    fn write(&self) -> toml::Table;
    /// Returns the documentation of the fields, in the order of their declaration.
    fn docs() -> Vec<FieldDoc>;
    /// Returns the documentation of the table as a whole.
    fn doc() -> String;
}

/// Returns the fields of an empty table.
///
/// # Errors
/// Returns an error if some fields are required.
pub fn defaults<F: Fields>() -> Result<F, Faults> {
    let environment = Environment::new();
    let mut reader = Reader::new(None, &environment);
    let value = F::read(&TableAt::absent("", None), &mut reader);
    reader.finish(&Input::toml("defaults", "")?, value)
}

/// Joins the lines of a doc comment.
#[doc(hidden)]
pub fn doc_text(lines: &[Option<&str>]) -> String {
    let lines: Vec<&str> = lines.iter().flatten().map(|line| line.trim()).collect();
    lines.join("\n").trim().to_owned()
}

/// Returns the name of the only field that is present; reports an error unless there is exactly one.
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
