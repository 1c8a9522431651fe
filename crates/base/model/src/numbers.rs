//! Serialization of quantities as JSON numbers (times and spans in seconds, shares and yields as
//! fractions), and counts in words.

use crate::{Share, SimSpan, SimTime, Yield};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

macro_rules! numbers {
    ($($type:ty: $number:path,)+) => {
        $(
            impl Serialize for $type {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_f64($number(*self))
                }
            }

            impl JsonSchema for $type {
                fn inline_schema() -> bool {
                    true
                }
                fn schema_name() -> Cow<'static, str> {
                    f64::schema_name()
                }
                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    f64::json_schema(generator)
                }
            }
        )+
    };
}
numbers!(
    SimTime: SimTime::as_secs_f64,
    SimSpan: SimSpan::as_secs_f64,
    Share: Share::as_f64,
    Yield: Yield::as_f64,
);

/// Formats a count with a noun, in the plural if the count is not 1.
///
/// ```
/// use dfrsim_model::counted;
/// assert_eq!([0, 1, 2].map(|count| counted(count, "pool")), ["0 pools", "1 pool", "2 pools"]);
/// ```
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Computes the greatest common divisor by Euclid's algorithm; returns the other number if one is 0.
pub fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Returns whether a field has its default value and can be omitted.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_parts_are_numbers() {
        let values = (SimTime::from_micros(2_500_000), SimSpan::from_secs(3), Share::ONE, Yield::ZERO);
        assert_eq!(serde_json::to_string(&values).unwrap(), "[2.5,3.0,1.0,0.0]");
    }
}
