//! Codecs of texts and names.

use super::super::environment::Environment;
use super::super::names::{listed, nearest};
use super::Codec;
use std::fmt::Display;
use std::str::FromStr;
use toml::Value;

/// Creates the codec of any text.
pub fn text() -> Codec<String> {
    line("a text".into(), |_| true)
}

/// Creates the codec of a text of one line. With a line break in it, a title of a received scenario
/// could imitate the output of the program.
pub fn one_line() -> Codec<String> {
    line("a text of one line".into(), |text| !text.contains(char::is_control))
}

/// Largest length of a name, in characters.
const LONGEST_NAME: usize = 200;
/// Characters that a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// Creates the codec of a name that goes into tables and file names: 1 to 200 characters, without
/// control characters, and not beginning like a spreadsheet formula.
pub fn name(of: impl Display) -> Codec<String> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().count() <= LONGEST_NAME
            && !text.contains(char::is_control)
            && !text.starts_with(FORMULA)
    };
    let shape = format!(
        "the name of {of}: 1 to {LONGEST_NAME} characters, no control characters, not beginning with = + - or @"
    );
    line(shape, is_name)
}

fn line(shape: String, is_right: fn(&str) -> bool) -> Codec<String> {
    let text = |value: &String| Value::String(value.clone());
    Codec::scalar(
        shape,
        |at| at.text().map(str::to_owned),
        move |text: String| is_right(&text).then_some(text),
        text,
    )
}

/// Creates the codec of a type that parses and prints its own names: `named("a policy")`. The error
/// of a wrong name is that of [`FromStr`].
pub fn named<T: FromStr<Err: Display> + Display>(what: impl Display) -> Codec<T> {
    parsed(what, |name, _| name.parse())
}

/// Creates the codec of a named value that is looked up in the environment.
pub fn parsed<T: Display, E: Display>(
    what: impl Display,
    parse: impl Fn(&str, &Environment) -> Result<T, E> + 'static,
) -> Codec<T> {
    looked_up(format!("the name of {what}"), parse)
}

/// Creates the codec of a type with a notation of its own: `written("a power cap such as \"38kW\"")`. The
/// error of a wrong text is that of [`FromStr`].
pub fn written<T: FromStr<Err: Display> + Display>(shape: impl Display) -> Codec<T> {
    looked_up(shape.to_string(), |text, _| text.parse())
}

/// Creates the codec of a text that is parsed.
fn looked_up<T: Display, E: Display>(
    shape: String,
    parse: impl Fn(&str, &Environment) -> Result<T, E> + 'static,
) -> Codec<T> {
    let expected = shape.clone();
    Codec::new(
        shape,
        |at| at.text().is_some(),
        move |at, reader| match at.text() {
            Some(name) => reader.value_or_report(at, parse(name, reader.whole_environment())),
            None => reader.expected(at, &expected),
        },
        |value: &T| Some(Value::String(value.to_string())),
    )
}

/// Creates the codec of one of several values, by the names given here: `choice([("extend",
/// Overrun::Extend), ("kill", Overrun::Kill)])`.
pub fn choice<T: Clone + PartialEq + 'static>(
    names: impl IntoIterator<Item = (&'static str, T)>,
) -> Codec<T> {
    let (names, values): (Vec<&'static str>, Vec<T>) = names.into_iter().unzip();
    let Codec { form, read, write, .. } = place(names);
    let written = values.clone();
    Codec {
        form,
        read: Box::new(move |at, reader| Some(values[read(at, reader)?].clone())),
        write: Box::new(move |value| write(&written.iter().position(|each| each == value)?)),
        absent: Box::new(|name, table, reader| table.missing(name, reader)),
    }
}

/// Creates the codec of one of these names, as its index.
fn place(names: Vec<&'static str>) -> Codec<usize> {
    let (shape, written) = (listed(names.iter().copied(), " or "), names.clone());
    let expected = shape.clone();
    Codec::new(
        shape,
        |at| at.text().is_some(),
        move |at, reader| {
            let chosen = names.iter().position(|name| at.text() == Some(name));
            if chosen.is_none() {
                let meant = at.text().and_then(|wrong| nearest(wrong, names.iter().copied()));
                let hint = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
                reader.fault(at, format!("expected {expected}, found {}{hint}", at.found()));
            }
            chosen
        },
        move |&place: &usize| Some(Value::String(written[place].to_owned())),
    )
}
