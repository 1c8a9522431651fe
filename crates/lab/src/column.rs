//! Columns of a file of comma-separated values, and the structures that they make up.

use dfrsim_model::SimSpan;

/// A value in a column. What is written reads back as the same value, and reads of anything else give nothing.
pub(crate) trait Value: Sized {
    fn write(&self) -> String;
    fn read(text: &str) -> Option<Self>;
    /// As a number, if it is one.
    fn number(&self) -> Option<f64>;
}

macro_rules! plain_values {
    ($($type:ty: $number:expr),+) => {
        $(impl Value for $type {
            fn write(&self) -> String {
                self.to_string()
            }
            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn number(&self) -> Option<f64> {
                let number: fn(&$type) -> Option<f64> = $number;
                number(self)
            }
        })+
    };
}
// The shortest decimals that read back as the same binary number are what the standard library prints; spans
// print as exact seconds.
plain_values!(
    u32: |&number| Some(number.into()),
    u64: |&number| Some(number as f64),
    usize: |&number| Some(number as f64),
    f64: |&number| Some(number),
    String: |_| None,
    SimSpan: |span| Some(span.as_secs_f64())
);

/// Nothing is an empty field.
impl<T: Value> Value for Option<T> {
    fn write(&self) -> String {
        self.as_ref().map(Value::write).unwrap_or_default()
    }
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::read(text).map(Some) }
    }
    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Value::number)
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

/// Defines a structure of which each field is a column of the same name.
macro_rules! columns {
    (
        $(#[$attribute:meta])*
        pub struct $type:ident {
            $($(#[$field_attribute:meta])* pub $field:ident: $value:ty,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $type {
            $($(#[$field_attribute])* pub $field: $value,)+
        }

        impl $type {
            /// The names of the columns, in their order.
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),+];

            /// The value in the column of this name as a number (spans in seconds); nothing if there is no such
            /// column, or no number in it.
            #[must_use]
            pub fn number(&self, column: &str) -> Option<f64> {
                match column {
                    $(stringify!($field) => $crate::column::Value::number(&self.$field),)+
                    _ => None,
                }
            }

            pub(crate) fn write(&self) -> impl Iterator<Item = String> {
                [$($crate::column::Value::write(&self.$field)),+].into_iter()
            }
            /// Reads one field after the other.
            pub(crate) fn read<'a>(
                mut fields: impl Iterator<Item = &'a str>,
            ) -> Result<Self, $crate::column::BadField> {
                Ok($type { $($field: $crate::column::read(stringify!($field), fields.next())?),+ })
            }
        }
    };
}
pub(crate) use columns;
