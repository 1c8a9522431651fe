//! Values of types that are not made for scenarios.

use super::super::names::listed;
use super::super::reader::Reader;
use super::{Codec, Form};
use dfrsim_input::{Located, Misread};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::rc::Rc;
use toml::Value;

/// A codec of two functions, for what no other codec does.
pub fn with<T>(
    read: impl Fn(&Located<'_>, &mut Reader<'_>) -> Option<T> + 'static,
    write: impl Fn(&T) -> Value + 'static,
    shape: impl Into<String>,
) -> Codec<T> {
    Codec::new(shape, |_| true, read, move |value| Some(write(value)))
}

/// A value made of what another codec reads, or refused with a message, and the way back:
/// `via(positive("a speed"), Speed::try_from_f64, |speed: &Speed| speed.as_f64())`.
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
            reader.value_of(at, make(between))
        }),
        write: Box::new(move |value| write(&back(value))),
        absent: Box::new(move |name, table, reader| {
            let made = make_absent(absent(name, table, reader)?);
            made.map_err(|error| reader.fault_at(table.span(), error.to_string())).ok()
        }),
    }
}

/// A value of a type that serde reads and writes.
pub fn serde<T: Serialize + DeserializeOwned>(shape: impl Into<String>) -> Codec<T> {
    let read = |at: &Located<'_>, reader: &mut Reader<'_>| {
        let refuse = |Misread { span, message, .. }| reader.fault_at(&span, message);
        at.parse().map_err(|wrong| wrong.into_iter().for_each(refuse)).ok()
    };
    // What TOML has no way to write is an absent value.
    Codec::new(shape, |_| true, read, |value: &T| Value::try_from(value).ok())
}

/// Names for some values of a codec; they are written in full:
/// `shorthand([("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))], serde("an annotation"))`.
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
