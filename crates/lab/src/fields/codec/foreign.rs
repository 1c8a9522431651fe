//! Codecs of types that are defined elsewhere.

use super::super::names::listed;
use super::super::reader::Reader;
use super::{Codec, Form};
use dfrsim_input::{DeserializeError, Located};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::rc::Rc;
use toml::Value;

/// Creates a codec from two functions, for values that no other codec fits.
pub fn with<T>(
    read: impl Fn(&Located<'_>, &mut Reader<'_>) -> Option<T> + 'static,
    write: impl Fn(&T) -> Value + 'static,
    shape: impl Into<String>,
) -> Codec<T> {
    Codec::new(shape, |_| true, read, move |value| Some(write(value)))
}

/// Creates a codec that converts the value of another codec, possibly refusing it with a message,
/// and back: `via(positive("a speed"), Speed::try_from_f64, |speed: &Speed| speed.as_f64())`.
pub fn via<A: 'static, T: 'static, E: Display>(
    codec: Codec<A>,
    make: impl Fn(A) -> Result<T, E> + 'static,
    back: impl Fn(&T) -> A + 'static,
) -> Codec<T> {
    let Codec { form, read, write, absent } = codec;
    let make = Rc::new(make);
    let make_absent = Rc::clone(&make);
    Codec {
        form,
        read: Box::new(move |at, reader| {
            let between = read(at, reader)?;
            reader.value_or_report(at, make(between))
        }),
        write: Box::new(move |value| write(&back(value))),
        absent: Box::new(move |name, table, reader| {
            let made = make_absent(absent(name, table, reader)?);
            made.map_err(|error| reader.fault_at(table.span(), error.to_string())).ok()
        }),
    }
}

/// Creates the codec of a type that serde reads and writes.
pub fn serde<T: Serialize + DeserializeOwned>(shape: impl Into<String>) -> Codec<T> {
    let read = |at: &Located<'_>, reader: &mut Reader<'_>| {
        let refuse = |DeserializeError { span, message, .. }| reader.fault_at(&span, message);
        at.parse().map_err(|wrong| wrong.into_iter().for_each(refuse)).ok()
    };
    // A value that TOML cannot represent is written as an absent field.
    Codec::new(shape, |_| true, read, |value: &T| Value::try_from(value).ok())
}

/// Adds names for some values of a codec; these values are written in full: `shorthand([("hpc2n",
/// Annotation::Hpc2n(ClusterAssumptions::default()))], serde("an annotation"))`.
pub fn shorthand<T: Clone + 'static>(
    names: impl IntoIterator<Item = (&'static str, T)>,
    full: Codec<T>,
) -> Codec<T> {
    let names: Vec<(&str, T)> = names.into_iter().collect();
    let Codec { form: Form { shape, accepts, .. }, read, .. } = full;
    let shape = format!("{} or {shape}", listed(names.iter().map(|(name, _)| *name), ", "));
    let (expected, is_full) = (shape.clone(), Rc::clone(&accepts));
    Codec {
        form: Form { shape, accepts: Rc::new(move |at| at.text().is_some() || accepts(at)), ..full.form },
        read: Box::new(move |at, reader| match names.iter().find(|(name, _)| at.text() == Some(name)) {
            Some((_, value)) => Some(value.clone()),
            None if is_full(at) => read(at, reader),
            None => reader.expected(at, &expected),
        }),
        ..full
    }
}
