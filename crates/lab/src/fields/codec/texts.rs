//! Texts and names.

use super::super::at::ValueAt;
use super::super::names::{listed, nearest};
use super::super::reader::Reader;
use super::Codec;
use std::fmt::Display;
use std::str::FromStr;
use toml::Value;

/// See [`text`] and [`name`].
#[derive(Clone, Debug)]
pub struct TextLine {
    what: String,
    any: bool,
}

/// Any text.
#[must_use]
pub fn text() -> TextLine {
    TextLine { what: "a text".into(), any: true }
}

/// The name of something, which goes into tables: not empty, without control characters.
pub fn name(of: impl Display) -> TextLine {
    TextLine { what: format!("the name of {of}, without control characters"), any: false }
}

impl Codec<String> for TextLine {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<String> {
        let right = |text: &&str| self.any || !text.is_empty() && !text.contains(char::is_control);
        at.text().filter(right).map(str::to_owned).or_else(|| reader.expected(at, &self.shape()))
    }
    fn write(&self, value: &String) -> Option<Value> {
        Some(Value::String(value.clone()))
    }
    fn shape(&self) -> String {
        self.what.clone()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.text().is_some()
    }
}

/// See [`named`].
#[derive(Clone, Debug)]
pub struct Named {
    what: String,
}

/// A value of a type that reads and writes its own names: `named("a policy")`. Of a wrong name the fault is what
/// [`FromStr`] says.
pub fn named(what: impl Into<String>) -> Named {
    Named { what: what.into() }
}

impl<T: FromStr<Err: Display> + Display> Codec<T> for Named {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        match at.text() {
            Some(name) => reader.value_of(at, name.parse()),
            None => reader.expected(at, &Codec::<T>::shape(self)),
        }
    }
    fn write(&self, value: &T) -> Option<Value> {
        Some(Value::String(value.to_string()))
    }
    fn shape(&self) -> String {
        format!("the name of {}", self.what)
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.text().is_some()
    }
}

/// See [`choice`].
#[derive(Clone, Debug)]
pub struct Choice<T> {
    names: Vec<(&'static str, T)>,
}

/// One of a few values, by names given here: `choice([("extend", Overrun::Extend), ("kill", Overrun::Kill)])`.
pub fn choice<T>(names: impl IntoIterator<Item = (&'static str, T)>) -> Choice<T> {
    Choice { names: names.into_iter().collect() }
}

impl<T: Clone + PartialEq> Codec<T> for Choice<T> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        let names = || self.names.iter().map(|(name, _)| *name);
        let chosen = self.names.iter().find(|(name, _)| at.text() == Some(name));
        if chosen.is_none() {
            let meant = at.text().and_then(|wrong| nearest(wrong, names()));
            let hint = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            reader.fault(at, format!("expected {}, found {}{hint}", self.shape(), at.found()));
        }
        chosen.map(|(_, value)| value.clone())
    }
    fn write(&self, value: &T) -> Option<Value> {
        let chosen = self.names.iter().find(|(_, each)| each == value);
        chosen.map(|(name, _)| Value::String((*name).to_owned()))
    }
    fn shape(&self) -> String {
        listed(self.names.iter().map(|(name, _)| *name), " or ")
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.text().is_some()
    }
}
