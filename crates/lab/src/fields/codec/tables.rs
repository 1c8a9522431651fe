//! Codecs of nested tables.

use super::super::declare::Fields;
use super::super::docs::{Absent, TableDoc};
use super::super::names::without_article;
use super::super::reader::Reader;
use super::super::table::TableAt;
use super::{Codec, Form};
use dfrsim_input::Located;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use toml::Value;

fn read_table<F: Fields>(table: TableAt<'_>, reader: &mut Reader<'_>) -> Option<F> {
    let value = F::read(&table, reader);
    table.finish(reader);
    value
}

fn read_at<F: Fields>(at: &Located<'_>, reader: &mut Reader<'_>) -> Option<F> {
    match TableAt::of(at) {
        Some(table) => read_table(table, reader),
        None => reader.expected(at, "a table, `{ FIELD = VALUE }`"),
    }
}

fn docs_of<F: Fields>(repeated: bool) -> TableDoc {
    TableDoc { heading: String::new(), repeated, doc: F::doc(), fields: F::docs() }
}

/// Creates the codec of a nested table; an absent one reads like an empty one.
pub fn table<F: Fields>() -> Codec<F> {
    let written = |value: &F| Some(Value::Table(value.write()));
    let codec = Codec::new("a table", |at| at.object().is_some(), read_at, written);
    let codec = codec.nested(Some(Rc::new(|| docs_of::<F>(false))));
    codec.absent(Absent::Defaults, |name, table, reader| read_table(table.absent_field(name), reader))
}

/// Creates the codec of fields that belong to another type but stand in the same table: fields that
/// several tables share, or an enumeration of which one key selects the variant.
pub fn flattened<F: Fields>() -> Codec<F> {
    let codec = table().absent(Absent::Defaults, |_, table, reader| F::read(table, reader));
    Codec { form: Form { is_flat: true, ..codec.form }, ..codec }
}

/// Creates the codec of a list of tables, `[[sites]]`; absent if it is empty.
pub fn tables<F: Fields>() -> Codec<Vec<F>> {
    each_table(|_, _, _| {})
}

/// Creates the codec of a list of tables with unique names, which are in the field `key` of each:
/// `distinct_tables("name", "a site", |site| &site.name)`.
pub fn distinct_tables<F: Fields>(
    key: &'static str,
    what: &'static str,
    name: fn(&F) -> &str,
) -> Codec<Vec<F>> {
    each_table(move |elements, values, reader| {
        let mut names = FxHashSet::default();
        for (at, value) in elements.iter().zip(values) {
            let Some(name) = value.as_ref().map(name).filter(|name| !names.insert(*name)) else { continue };
            let span = TableAt::of(at).map_or_else(|| at.span().clone(), |table| table.span_of(key));
            reader.fault_at(&span, format!("duplicate {} `{name}`", without_article(what)));
        }
    })
}

impl<F: Fields> Codec<Vec<F>> {
    /// Requires at least one table.
    #[must_use]
    pub fn at_least_one(self) -> Codec<Vec<F>> {
        let codec = self.nonempty_or(|at, reader| reader.expected(at, "at least one table"));
        codec.absent(Absent::Required, |name, table, reader| {
            if !table.is_superseded(name) {
                reader.fault_at(table.span(), format!("expected at least one `{name}` table"));
            }
            None
        })
    }
}

/// Creates the codec of a list of tables, with a check of the list as a whole.
#[expect(clippy::redundant_closure_for_method_calls, reason = "a path has one lifetime only")]
fn each_table<F: Fields>(
    check: impl Fn(&[Located<'_>], &[Option<F>], &mut Reader<'_>) + 'static,
) -> Codec<Vec<F>> {
    const SHAPE: &str = "a list of tables";
    let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
        let Some(elements) = at.items() else {
            let shape =
                if at.object().is_some() { "a list of tables, with a header in two brackets" } else { SHAPE };
            return reader.expected(at, shape);
        };
        let values: Vec<Option<F>> = elements.iter().map(|at| read_at(at, reader)).collect();
        check(&elements, &values, reader);
        values.into_iter().collect()
    };
    let written = |values: &Vec<F>| {
        let tables = values.iter().map(|value| Value::Table(value.write()));
        (!values.is_empty()).then(|| Value::Array(tables.collect()))
    };
    let codec = Codec::new(SHAPE, |at| at.is_list(), read, written);
    let codec = codec.nested(Some(Rc::new(|| docs_of::<F>(true))));
    codec.absent(Absent::Unset, |_, _, _| Some(Vec::new()))
}
