//! Names, and regular expressions that select some of all names.

use super::super::at::ValueAt;
use super::super::environment::Environment;
use super::super::names::bare;
use super::super::reader::Reader;
use super::{Codec, Named, named};
use regex_lite::Regex;
use toml::Value;

/// See [`selected`].
#[derive(Clone, Debug)]
pub struct Selected<C, A> {
    what: String,
    one: C,
    all: A,
    nonempty: bool,
}

/// `"EASY"`, `{ matching = "^EASY" }`, or a list of these: each value once, at least one. `all` gives the names and
/// values that regular expressions select from. The selected values are written by their names.
pub fn selected<T, A: Fn(&Environment) -> Vec<(String, T)>>(
    what: impl Into<String>,
    all: A,
) -> Selected<Named, A> {
    let what = what.into();
    Selected { one: named(what.clone()), what, all, nonempty: true }
}

impl<C, A> Selected<C, A> {
    /// Names are read and written by this codec.
    #[must_use]
    pub fn by<D>(self, one: D) -> Selected<D, A> {
        let Selected { what, all, nonempty, .. } = self;
        Selected { what, one, all, nonempty }
    }
    /// An empty list is right too.
    #[must_use]
    pub fn or_none(self) -> Selected<C, A> {
        Selected { nonempty: false, ..self }
    }

    fn matching<T>(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<Vec<T>>
    where
        A: Fn(&Environment) -> Vec<(String, T)>,
    {
        let table = at.table()?;
        let pattern = table.get("matching");
        let none = pattern.is_none().then(|| table.missing::<()>("matching", reader));
        table.finish(reader);
        let at = pattern.filter(|_| none.is_none())?;
        let Some(pattern) = at.text() else { return reader.expected(&at, "a regular expression") };
        let wrong = |error| format!("`{pattern}` is not a regular expression: {error}");
        let regex = reader.value_of(&at, Regex::new(pattern).map_err(wrong))?;
        let all = (self.all)(reader.whole_environment());
        let found: Vec<T> =
            all.into_iter().filter(|(name, _)| regex.is_match(name)).map(|(_, value)| value).collect();
        if found.is_empty() {
            reader.fault(&at, format!("no {} matches `{pattern}`", bare(&self.what)));
            return None;
        }
        Some(found)
    }
}

impl<T: PartialEq, C: Codec<T>, A: Fn(&Environment) -> Vec<(String, T)>> Codec<Vec<T>> for Selected<C, A> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<Vec<T>> {
        let elements = at.elements().unwrap_or_else(|| vec![at.clone()]);
        if elements.is_empty() && self.nonempty {
            reader.fault(at, format!("there must be at least one {}", bare(&self.what)));
            return None;
        }
        let mut read = |each: &ValueAt<'_>| match each.value().is_table() {
            true => self.matching(each, reader),
            false if self.one.accepts(each) => self.one.read(each, reader).map(|one| vec![one]),
            false => reader.expected(each, &self.shape()),
        };
        let parts: Vec<Option<Vec<T>>> = elements.iter().map(&mut read).collect();
        let mut selected = Vec::new();
        for part in parts {
            for value in part? {
                if !selected.contains(&value) {
                    selected.push(value);
                }
            }
        }
        Some(selected)
    }
    fn write(&self, values: &Vec<T>) -> Option<Value> {
        Some(Value::Array(values.iter().filter_map(|value| self.one.write(value)).collect()))
    }
    fn shape(&self) -> String {
        format!("{}, {{ matching = \"a regular expression\" }} or a list of these", self.one.shape())
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.elements().is_some() || at.value().is_table() || self.one.accepts(at)
    }
}
