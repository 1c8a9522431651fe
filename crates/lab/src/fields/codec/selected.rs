//! Names, and regular expressions that select some of all names.

use super::super::environment::Environment;
use super::super::names::bare;
use super::super::reader::Reader;
use super::super::table::TableAt;
use super::lists::written;
use super::{Codec, Form};
use dfrsim_input::Located;
use regex_lite::Regex;
use std::rc::Rc;

/// `"EASY"`, `{ matching = "^EASY" }`, or a list of these: each value once, at least one. `one` reads a name, `all` gives
/// the names and the values that regular expressions select from.
pub fn selected<T: PartialEq + 'static>(
    what: &'static str,
    one: Codec<T>,
    all: impl Fn(&Environment) -> Vec<(String, T)> + 'static,
) -> Codec<Vec<T>> {
    any_selected(what, one, all).nonempty_or(move |at, reader| {
        reader.fault(at, format!("expected at least one {}", bare(what)));
        None
    })
}

/// As [`selected`], but an empty list is right too.
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
        Some(parts.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    };
    let accepts = move |at: &Located<'_>| at.is_list() || at.object().is_some() || accepts(at);
    Codec::new(shape, accepts, read, written(write)).nested(nested).distinct()
}

/// The values whose names match the expression of a table.
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
    let wrong = |error| format!("`{pattern}` is not a regular expression: {error}");
    let regex = reader.value_of(&at, Regex::new(pattern).map_err(wrong))?;
    let named = all(reader.whole_environment()).into_iter().filter(|(name, _)| regex.is_match(name));
    let found: Vec<T> = named.map(|(_, value)| value).collect();
    if found.is_empty() {
        reader.fault(&at, format!("no {} matches `{pattern}`", bare(what)));
        return None;
    }
    Some(found)
}
