//! Values of types that are not made for scenarios.

use super::super::at::{TableAt, ValueAt};
use super::super::docs::{Absent, TableDoc};
use super::super::names::explained;
use super::super::reader::Reader;
use super::Codec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::marker::PhantomData;
use toml::Value;
use toml::de::ValueDeserializer;

/// See [`with`].
#[derive(Clone, Debug)]
pub struct With<R, W> {
    read: R,
    write: W,
    shape: String,
}

/// A codec of two functions, for what no other codec does.
pub fn with<T, R, W>(read: R, write: W, shape: impl Into<String>) -> With<R, W>
where
    R: Fn(&ValueAt<'_>, &mut Reader<'_>) -> Option<T>,
    W: Fn(&T) -> Value,
{
    With { read, write, shape: shape.into() }
}

impl<T, R, W> Codec<T> for With<R, W>
where
    R: Fn(&ValueAt<'_>, &mut Reader<'_>) -> Option<T>,
    W: Fn(&T) -> Value,
{
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        (self.read)(at, reader)
    }
    fn write(&self, value: &T) -> Option<Value> {
        Some((self.write)(value))
    }
    fn shape(&self) -> String {
        self.shape.clone()
    }
}

/// See [`via`].
#[derive(Debug)]
pub struct Via<A, C, R, W> {
    codec: C,
    read: R,
    write: W,
    between: PhantomData<fn() -> A>,
}

/// A value made of what another codec reads, or refused with a message, and the way back:
/// `via(positive("a speed"), Speed::try_from_f64, |speed: &Speed| speed.as_f64())`.
pub fn via<A, T, E, C, R, W>(codec: C, read: R, write: W) -> Via<A, C, R, W>
where
    C: Codec<A>,
    E: Display,
    R: Fn(A) -> Result<T, E>,
    W: Fn(&T) -> A,
{
    Via { codec, read, write, between: PhantomData }
}

impl<A, T, E, C, R, W> Codec<T> for Via<A, C, R, W>
where
    C: Codec<A>,
    E: Display,
    R: Fn(A) -> Result<T, E>,
    W: Fn(&T) -> A,
{
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        let between = self.codec.read(at, reader)?;
        reader.value_of(at, (self.read)(between))
    }
    fn write(&self, value: &T) -> Option<Value> {
        self.codec.write(&(self.write)(value))
    }
    fn shape(&self) -> String {
        self.codec.shape()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        self.codec.accepts(at)
    }
    fn absent(&self, name: &str, table: &TableAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        let between = self.codec.absent(name, table, reader)?;
        let made = (self.read)(between).map_err(|error| reader.fault_at(table.span(), error.to_string()));
        made.ok()
    }
    fn absence(&self) -> Absent {
        self.codec.absence()
    }
    fn nested(&self) -> Option<TableDoc> {
        self.codec.nested()
    }
}

/// See [`serde`](serde()).
#[derive(Clone, Debug)]
pub struct FromSerde {
    shape: String,
}

/// A value of a type that serde reads and writes: only the first of its faults is found.
pub fn serde(shape: impl Into<String>) -> FromSerde {
    FromSerde { shape: shape.into() }
}

impl<T: Serialize + DeserializeOwned> Codec<T> for FromSerde {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        let value = T::deserialize(ValueDeserializer::from(at.spanned()));
        let refuse = |error: toml::de::Error| {
            let span = error.span().map_or_else(|| at.span(), Into::into);
            reader.fault_at(&span, explained(error.message()));
        };
        value.map_err(refuse).ok()
    }
    fn write(&self, value: &T) -> Option<Value> {
        // What TOML has no way to write is an absent value.
        Value::try_from(value).ok()
    }
    fn shape(&self) -> String {
        self.shape.clone()
    }
}
