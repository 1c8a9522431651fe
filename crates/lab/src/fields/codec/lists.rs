//! Codecs of lists, optional values and maps.

use super::super::docs::{Absent, TableDoc};
use super::super::reader::Reader;
use super::super::table::TableAt;
use super::{Codec, Form, Write};
use dfrsim_input::Located;
use std::collections::BTreeMap;
use std::rc::Rc;
use toml::Value;

/// Creates the codec of a list, which may be empty; a single value stands for a list of one.
pub fn list<T: 'static>(each: Codec<T>) -> Codec<Vec<T>> {
    let Codec { form: Form { shape, accepts, nested, .. }, read, write, .. } = each;
    let (shape, is_one) = (format!("{shape} or a list of them"), Rc::clone(&accepts));
    let expected = shape.clone();
    let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
        let elements = match at.items() {
            Some(elements) => elements,
            None if is_one(at) => vec![at.clone()],
            None => return reader.expected(at, &expected),
        };
        let values: Vec<Option<T>> = elements.iter().map(|each| read(each, reader)).collect();
        values.into_iter().collect()
    };
    Codec::new(shape, move |at| at.is_list() || accepts(at), read, list_writer(write)).nested(nested)
}

/// Returns a function that writes a list, given the function that writes one value.
pub(super) fn list_writer<T: 'static>(write: Box<Write<T>>) -> impl Fn(&Vec<T>) -> Option<Value> {
    move |values| Some(Value::Array(values.iter().filter_map(&write).collect()))
}

/// Creates the codec of one value or a non-empty list without duplicates.
pub fn one_or_many<T: PartialEq + 'static>(each: Codec<T>) -> Codec<Vec<T>> {
    list(each).nonempty().distinct()
}

impl<T: 'static> Codec<Vec<T>> {
    /// Requires at least one value.
    #[must_use]
    pub fn nonempty(self) -> Codec<Vec<T>> {
        let expected = format!("at least one: {}", self.shape());
        self.nonempty_or(move |at, reader| reader.expected(at, &expected))
    }
    /// Requires at least one value; calls `refuse` if there is none.
    pub(super) fn nonempty_or(
        self,
        refuse: impl Fn(&Located<'_>, &mut Reader<'_>) -> Option<Vec<T>> + 'static,
    ) -> Codec<Vec<T>> {
        let read = self.read;
        let read = move |at: &Located<'_>, reader: &mut Reader<'_>| match at.items() {
            Some(elements) if elements.is_empty() => refuse(at, reader),
            _ => read(at, reader),
        };
        Codec { read: Box::new(read), ..self }
    }
    /// Refuses elements that are equal, which would count once.
    #[must_use]
    pub fn distinct(self) -> Codec<Vec<T>>
    where
        T: PartialEq,
    {
        let read = self.read;
        let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
            let values = read(at, reader)?;
            let repeated = |place: usize| {
                let first = values[..place].iter().position(|earlier| *earlier == values[place])?;
                Some((place, first))
            };
            let elements = at.items().unwrap_or_default();
            for (place, first) in (0..values.len()).filter_map(repeated) {
                reader.repeated(elements.get(place).unwrap_or(at), first);
            }
            Some(values)
        };
        Codec { read: Box::new(read), ..self }
    }
}

/// Creates the codec of a value that may be absent.
pub fn optional<T: 'static>(codec: Codec<T>) -> Codec<Option<T>> {
    let Codec { form, read, write, .. } = codec;
    Codec {
        form: Form { absence: Absent::Unset, ..form },
        read: Box::new(move |at, reader| read(at, reader).map(Some)),
        write: Box::new(move |value| value.as_ref().and_then(&write)),
        absent: Box::new(|_, _, _| Some(None)),
    }
}

/// Creates the codec of a table whose keys the user chooses, such as `[instances.NAME]`; may be
/// absent.
pub fn map<T: 'static>(value: Codec<T>) -> Codec<BTreeMap<String, T>> {
    let Codec { form: Form { shape, nested, .. }, read, write, .. } = value;
    let shape = format!("a table from names to values, each {shape}");
    let expected = shape.clone();
    let read = move |at: &Located<'_>, reader: &mut Reader<'_>| {
        let Some(table) = TableAt::of(at) else { return reader.expected(at, &expected) };
        let entry = |(key, at): (&str, Located<'_>)| {
            if key.is_empty() || key.contains(char::is_control) {
                reader.fault(&at, "expected a non-empty key without control characters");
            }
            Some((key.to_owned(), read(&at, reader)?))
        };
        let values: Vec<_> = table.entries().into_iter().map(entry).collect();
        values.into_iter().collect()
    };
    let written = move |values: &BTreeMap<String, T>| {
        let written = values.iter().filter_map(|(key, value)| Some((key.clone(), write(value)?)));
        (!values.is_empty()).then(|| Value::Table(written.collect()))
    };
    let codec = Codec::new(shape, |at| at.object().is_some(), read, written);
    let named = |nested: TableDoc| TableDoc { heading: format!(".NAME{}", nested.heading), ..nested };
    let nested = nested.map(|nested| Rc::new(move || named(nested())) as Rc<dyn Fn() -> TableDoc>);
    codec.nested(nested).absent(Absent::Unset, |_, _, _| Some(BTreeMap::new()))
}
