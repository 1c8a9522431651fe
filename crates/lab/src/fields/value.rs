//! Values of a scenario, each with its place.

use super::fault::Span;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// A value and its place.
#[derive(Clone, Debug)]
pub struct ValueAt<'a> {
    value: &'a DeValue<'a>,
    range: Range<usize>,
}

impl<'a> ValueAt<'a> {
    pub(super) fn new(spanned: &'a Spanned<DeValue<'a>>) -> ValueAt<'a> {
        ValueAt { value: spanned.get_ref(), range: spanned.span() }
    }
    /// The value itself.
    pub fn value(&self) -> &'a DeValue<'a> {
        self.value
    }
    /// Its place.
    pub fn span(&self) -> Span {
        self.range.clone().into()
    }
    /// A copy of the value with its place, for serde.
    pub(super) fn spanned(&self) -> Spanned<DeValue<'a>> {
        Spanned::new(self.range.clone(), self.value.clone())
    }
    /// What messages call the value: as it is written if that is short.
    pub fn found(&self) -> String {
        match self.value {
            DeValue::String(text) => format!("{:?}", text.as_ref()),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(time) => time.to_string(),
            DeValue::Array(array) if array.is_empty() => "an empty list".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        }
    }
    /// The text, if it is one.
    pub fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }
    /// The whole number, if it is one; `5.0` is one too.
    pub fn integer(&self) -> Option<i64> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.value {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => self.number().filter(|it| it.fract() == 0.0 && it.abs() <= EXACT).map(|it| it as i64),
        }
    }
    /// The finite number, if it is one.
    pub fn number(&self) -> Option<f64> {
        let number = match self.value {
            DeValue::Integer(_) => self.integer()? as f64,
            DeValue::Float(number) => number.as_str().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }
    /// The elements, if it is a list.
    pub fn elements(&self) -> Option<Vec<ValueAt<'a>>> {
        Some(self.value.as_array()?.iter().map(ValueAt::new).collect())
    }
}
