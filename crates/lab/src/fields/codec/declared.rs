//! Codec of settings that the model declares.

use super::super::declare::Fields;
use super::super::docs::FieldDoc;
use super::super::reader::Reader;
use super::super::table::TableAt;
use super::{Codec, choice, flattened, serde, via};
use dfrsim_input::Located;
use dfrsim_model::site::{Setting, SettingType, SettingVisitor, Settings, Values};
use std::convert::Infallible;
use toml::Value;

/// Creates the codec of a table of [`Settings`], whose fields belong to the enclosing table.
pub fn declared<S: Settings>() -> Codec<S> {
    via(
        flattened(),
        |Declared(settings)| Ok::<S, Infallible>(settings),
        |settings: &S| Declared(settings.clone()),
    )
}

/// Settings as fields.
struct Declared<S>(S);

impl<S: Settings> Fields for Declared<S> {
    fn read(table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let mut reading = Reading { table, reader, settings: Some(S::default()) };
        S::visit(&mut reading);
        reading.settings.map(Declared)
    }
    fn write(&self) -> toml::Table {
        let mut writing = Writing { settings: &self.0, table: toml::Table::new() };
        S::visit(&mut writing);
        writing.table
    }
    fn docs() -> Vec<FieldDoc> {
        let mut documenting = Documenting(Vec::new());
        S::visit(&mut documenting);
        documenting.0
    }
    fn doc() -> String {
        String::new()
    }
}

struct Reading<'r, 't, 'e, S> {
    table: &'r TableAt<'t>,
    reader: &'r mut Reader<'e>,
    /// The settings as far as they are read; `None` after an error.
    settings: Option<S>,
}

impl<S> SettingVisitor<S> for Reading<'_, '_, '_, S> {
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
        let codec = codec(setting.values);
        let value = codec.read_field(setting.name, Some(setting.default), self.table, self.reader);
        let settings = self.settings.take();
        self.settings = settings.zip(value).map(|(mut settings, value)| {
            *(setting.get_mut)(&mut settings) = value;
            settings
        });
    }
}

struct Writing<'s, S> {
    settings: &'s S,
    table: toml::Table,
}

impl<S> SettingVisitor<S> for Writing<'_, S> {
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
        codec(setting.values).write_field(setting.name, (setting.get)(self.settings), &mut self.table);
    }
}

struct Documenting(Vec<FieldDoc>);

impl<S> SettingVisitor<S> for Documenting {
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
        let doc = super::super::declare::doc_text(setting.doc);
        self.0.extend(codec(setting.values).document(setting.name, &doc, Some(setting.default)));
    }
}

/// Creates the codec of a setting with these values.
#[expect(clippy::redundant_closure_for_method_calls, reason = "a path has one lifetime only")]
fn codec<T: SettingType>(values: Values) -> Codec<T> {
    match values {
        Values::Integers { what, least, most } => {
            let range = least..=most;
            let valid = move |number: i64| u64::try_from(number).is_ok_and(|it| range.contains(&it));
            plain(
                format!("{what} from {least} to {most}"),
                |at| at.integer(),
                move |number| valid(number).then_some(Value::Integer(number)),
            )
        }
        Values::Flag => plain("`true` or `false`", |at| at.boolean(), |flag| Some(Value::Boolean(flag))),
        Values::Names(names) => {
            let of_name = |name| Some((name, Value::from(name).try_into().ok()?));
            choice(names().into_iter().filter_map(of_name))
        }
        Values::Amounts => serde("a table of amounts"),
        Values::Any(what) => serde(what),
    }
}

/// Creates the codec of a type that serde reads from one kind of values of TOML.
fn plain<T: SettingType, A: 'static>(
    shape: impl Into<String>,
    get: impl Fn(&Located<'_>) -> Option<A> + Clone + 'static,
    valid: impl Fn(A) -> Option<Value> + 'static,
) -> Codec<T> {
    let (shape, get_it) = (shape.into(), get.clone());
    let expected = shape.clone();
    Codec::new(
        shape,
        move |at| get_it(at).is_some(),
        move |at, reader| {
            let value = get(at).and_then(&valid).and_then(|value| value.try_into().ok());
            value.or_else(|| reader.expected(at, &expected))
        },
        |value: &T| Value::try_from(value).ok(),
    )
}
