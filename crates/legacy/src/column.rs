//! Columns of a file of comma-separated values, and the structures that they make up.

use dfrsim_model::SimSpan;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers; spans of time are seconds.
    Number,
}

/// A value of a column, for formats that tell kinds apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(u64),
    /// A number. Spans are seconds, rounded to the nearest `f64`: to the microsecond for up to 285 years.
    Number(f64),
    /// Nothing; the column is of this kind.
    Missing(Kind),
}

impl Datum {
    /// The kind of its column.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Datum::Text(_) => Kind::Text,
            Datum::Integer(_) => Kind::Integer,
            Datum::Number(_) => Kind::Number,
            Datum::Missing(kind) => *kind,
        }
    }
    /// As a number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match *self {
            Datum::Integer(number) => Some(number as f64),
            Datum::Number(number) => Some(number),
            Datum::Text(_) | Datum::Missing(_) => None,
        }
    }
}

/// A value in a column. What is written reads back as the same value, and reads of anything else give nothing.
pub(crate) trait Value: Sized {
    const KIND: Kind;
    fn write(&self) -> String;
    fn read(text: &str) -> Option<Self>;
    fn datum(&self) -> Datum;
}

macro_rules! plain_values {
    ($($type:ty: $kind:ident = $datum:expr,)+) => {
        $(impl Value for $type {
            const KIND: Kind = Kind::$kind;
            fn write(&self) -> String {
                self.to_string()
            }
            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn datum(&self) -> Datum {
                let datum: fn(&$type) -> _ = $datum;
                Datum::$kind(datum(self))
            }
        })+
    };
}
// The shortest decimals that read back as the same binary number are what the standard library prints; spans
// print as exact seconds.
plain_values!(
    u32: Integer = |&count| count.into(),
    u64: Integer = |&count| count,
    usize: Integer = |&count| count as u64,
    f64: Number = |&number| number,
    String: Text = String::clone,
    SimSpan: Number = |span| span.as_secs_f64(),
);

/// Nothing is an empty field.
impl<T: Value> Value for Option<T> {
    const KIND: Kind = T::KIND;
    fn datum(&self) -> Datum {
        self.as_ref().map_or(Datum::Missing(T::KIND), Value::datum)
    }
    fn write(&self) -> String {
        self.as_ref().map(Value::write).unwrap_or_default()
    }
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read(text).map(Some) }
    }
}

/// A field that its column cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{column}: `{found}` cannot stand here")]
pub struct BadField {
    /// The name of the column.
    pub column: &'static str,
    /// What stands there; nothing if the line ends before.
    pub found: String,
}

/// The value of a field, which is missing if the line is too short.
pub(crate) fn read<T: Value>(column: &'static str, field: Option<&str>) -> Result<T, BadField> {
    field.and_then(T::read).ok_or_else(|| BadField { column, found: field.unwrap_or_default().to_owned() })
}

/// A structure of which each field is a column of the same name; [`columns!`] defines them.
pub(crate) trait Columns: Sized {
    /// The names of the columns, in their order.
    const COLUMNS: &'static [&'static str];
    /// The kinds of the columns.
    const KINDS: &'static [Kind];

    /// The values, in the order of the columns.
    fn data(&self) -> Vec<Datum>;
    /// The values as they are written.
    fn write(&self) -> Vec<String>;
    /// Reads one field after the other, as they were written.
    fn read<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Self, BadField>;

    /// The value in the column of this name as a number (spans in seconds); nothing if there is no such column, or no
    /// number in it.
    fn number(&self, column: &str) -> Option<f64> {
        let place = Self::COLUMNS.iter().position(|name| *name == column)?;
        self.data()[place].number()
    }
}

/// Defines a structure of columns.
macro_rules! columns {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $type:ident {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $value:ty,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility struct $type {
            $($(#[$field_attribute])* $field_visibility $field: $value,)+
        }

        impl $crate::column::Columns for $type {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),+];
            const KINDS: &'static [$crate::column::Kind] =
                &[$(<$value as $crate::column::Value>::KIND),+];

            fn data(&self) -> Vec<$crate::column::Datum> {
                vec![$($crate::column::Value::datum(&self.$field)),+]
            }
            fn write(&self) -> Vec<String> {
                vec![$($crate::column::Value::write(&self.$field)),+]
            }
            fn read<'a>(
                mut fields: impl Iterator<Item = &'a str>,
            ) -> Result<Self, $crate::column::BadField> {
                Ok($type { $($field: $crate::column::read(stringify!($field), fields.next())?),+ })
            }
        }
    };
}
pub(crate) use columns;
