//! Codecs that select named values by name or regular expression.

use super::super::environment::Environment;
use super::super::names::without_article;
use super::super::reader::Reader;
use super::super::table::TableAt;
use super::lists::list_writer;
use super::{Codec, Form};
use dfrsim_input::Located;
use regex_lite::Regex;
use std::rc::Rc;

/// Creates the codec of `"EASY"`, `{ matching = "^EASY" }`, or a list of these: at least one value.
/// A value that is named twice is refused; one that a regular expression selects again counts once.
/// `one` reads a name, `all` gives the names and values from which regular expressions select.
pub fn selected<T: PartialEq + 'static>(
    what: &'static str,
    one: Codec<T>,
    all: impl Fn(&Environment) -> Vec<(String, T)> + 'static,
) -> Codec<Vec<T>> {
    any_selected(what, one, all).nonempty_or(move |at, reader| {
        reader.fault(at, format!("expected at least one {}", without_article(what)));
        None
    })
}

/// Creates a codec like [`selected`] that also accepts an empty list.
pub fn any_selected<T: PartialEq + 'static>(
    what: &'static str,
    one: Codec<T>,
    all: impl Fn(&Environment) -> Vec<(String, T)> + 'static,
) -> Codec<Vec<T>> {
    let Codec { form: Form { shape, accepts, nested, .. }, read, write, .. } = one;
    let shape = format!("{shape}, {{ matching = \"a regular expression\" }} or a list of these");
    let (expected, is_name) = (shape.clone(), Rc::clone(&accepts));
    let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
        let elements = at.items().unwrap_or_else(|| vec![at.clone()]);
        let mut read_one = |each: &Located<'_>| match each.object().is_some() {
            true => matching(what, &all, each, reader),
            false if is_name(each) => read(each, reader).map(|one| vec![one]),
            false => reader.expected(each, &expected),
        };
        let parts: Vec<Option<Vec<T>>> = elements.iter().map(&mut read_one).collect();
        let parts = parts.into_iter().collect::<Option<Vec<_>>>()?;
        let is_named = |place: &usize| elements[*place].object().is_none();
        for place in (0..parts.len()).filter(is_named) {
            let first = (0..place).filter(is_named).find(|&earlier| parts[earlier] == parts[place]);
            first.into_iter().for_each(|first| reader.repeated(&elements[place], first));
        }
        let mut values: Vec<T> = Vec::new();
        for value in parts.into_iter().flatten() {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Some(values)
    };
    let accepts = move |at: &Located<'_>| at.is_list() || at.object().is_some() || accepts(at);
    Codec::new(shape, accepts, read, list_writer(write)).nested(nested)
}

/// Returns the values whose names match the regular expression in a table.
fn matching<T>(
    what: &str,
    all: &impl Fn(&Environment) -> Vec<(String, T)>,
    at: &Located<'_>,
    reader: &mut Reader<'_>,
) -> Option<Vec<T>> {
    let table = TableAt::of(at)?;
    let pattern = table.get("matching");
    let none = pattern.is_none().then(|| table.missing::<()>("matching", reader));
    table.finish(reader);
    let at = pattern.filter(|_| none.is_none())?;
    let Some(pattern) = at.text() else { return reader.expected(&at, "a regular expression") };
    let wrong = |error| format!("invalid regular expression `{pattern}`: {error}");
    let regex = reader.value_or_report(&at, Regex::new(pattern).map_err(wrong))?;
    let named = all(reader.whole_environment()).into_iter().filter(|(name, _)| regex.is_match(name));
    let found: Vec<T> = named.map(|(_, value)| value).collect();
    if found.is_empty() {
        reader.fault(&at, format!("no {} matches `{pattern}`", without_article(what)));
        return None;
    }
    Some(found)
}
