//! Values of several shapes.

use super::super::at::ValueAt;
use super::super::docs::TableDoc;
use super::super::names::listed;
use super::super::reader::Reader;
use super::Codec;
use toml::Value;

/// See [`either`].
#[derive(Clone, Debug)]
pub struct Either<A, B, W> {
    first: A,
    second: B,
    is_first: W,
}

/// A value of one of two shapes that differ in their types, `"a text"` or `{ a = "table" }`. `is_first` says by which
/// of them a value is written.
pub fn either<T, A: Codec<T>, B: Codec<T>, W: Fn(&T) -> bool>(
    first: A,
    second: B,
    is_first: W,
) -> Either<A, B, W> {
    Either { first, second, is_first }
}

impl<T, A: Codec<T>, B: Codec<T>, W: Fn(&T) -> bool> Codec<T> for Either<A, B, W> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        if self.first.accepts(at) {
            self.first.read(at, reader)
        } else if self.second.accepts(at) {
            self.second.read(at, reader)
        } else {
            reader.expected(at, &self.shape())
        }
    }
    fn write(&self, value: &T) -> Option<Value> {
        if (self.is_first)(value) { self.first.write(value) } else { self.second.write(value) }
    }
    fn shape(&self) -> String {
        format!("{} or {}", self.first.shape(), self.second.shape())
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        self.first.accepts(at) || self.second.accepts(at)
    }
    fn nested(&self) -> Option<TableDoc> {
        self.first.nested().or_else(|| self.second.nested())
    }
}

/// See [`shorthand`].
#[derive(Clone, Debug)]
pub struct Shorthand<T, C> {
    names: Vec<(&'static str, T)>,
    full: C,
}

/// Names for some values of a codec; they are written in full:
/// `shorthand([("hpc2n", Annotation::Hpc2n(ClusterAssumptions::default()))], serde("an annotation"))`.
pub fn shorthand<T, C>(names: impl IntoIterator<Item = (&'static str, T)>, full: C) -> Shorthand<T, C> {
    Shorthand { names: names.into_iter().collect(), full }
}

impl<T: Clone, C: Codec<T>> Codec<T> for Shorthand<T, C> {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        match self.names.iter().find(|(name, _)| at.text() == Some(name)) {
            Some((_, value)) => Some(value.clone()),
            None if self.full.accepts(at) => self.full.read(at, reader),
            None => reader.expected(at, &self.shape()),
        }
    }
    fn write(&self, value: &T) -> Option<Value> {
        self.full.write(value)
    }
    fn shape(&self) -> String {
        format!("{} or {}", listed(self.names.iter().map(|(name, _)| *name), ", "), self.full.shape())
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.text().is_some() || self.full.accepts(at)
    }
    fn nested(&self) -> Option<TableDoc> {
        self.full.nested()
    }
}
