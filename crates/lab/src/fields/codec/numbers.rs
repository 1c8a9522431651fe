//! Codecs of numbers, durations and booleans.

use super::super::reader::Reader;
use super::{Codec, Form};
use dfrsim_input::Located;
use dfrsim_model::{Share, SimSpan, Yield};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::ops::{Bound, RangeBounds};
use toml::Value;

/// Integer types.
pub trait Integer: Copy {
    /// Converts to the integer type of TOML; too large values become its maximum.
    fn to_toml(self) -> i64;
    /// Converts from TOML; `None` if the type cannot represent the number.
    fn from_toml(number: i64) -> Option<Self>;
}

macro_rules! integers {
    ($($plain:ident),+; $($nonzero:ident of $inner:ident),+) => {
        $(impl Integer for $plain {
            fn to_toml(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
            fn from_toml(number: i64) -> Option<$plain> {
                number.try_into().ok()
            }
        })+
        $(impl Integer for $nonzero {
            fn to_toml(self) -> i64 {
                self.get().to_toml()
            }
            fn from_toml(number: i64) -> Option<$nonzero> {
                $inner::from_toml(number).and_then($nonzero::new)
            }
        })+
    };
}

integers!(u8, u16, u32, u64, usize, i32, i64; NonZeroU32 of u32, NonZeroU64 of u64, NonZeroUsize of usize);

/// Creates the codec of an integer in a range, for any integer type: `count("a number of nodes", 1,
/// u32::MAX)`.
#[expect(clippy::redundant_closure_for_method_calls, reason = "a path has one lifetime only")]
pub fn count<T: Integer>(what: impl Into<String>, least: impl Integer, most: impl Integer) -> Codec<T> {
    let (what, least, most) = (what.into(), least.to_toml(), most.to_toml());
    // The largest integer of TOML is no limit worth mentioning.
    let end = if most == i64::MAX { String::new() } else { format!(" to {most}") };
    Codec::scalar(
        format!("{what} from {least}{end}"),
        |at| at.integer(),
        move |number| T::from_toml(number).filter(|_| (least..=most).contains(&number)),
        |value: &T| Value::Integer(value.to_toml()),
    )
}

/// Creates the codec of a random seed.
pub fn seed() -> Codec<u64> {
    count("a seed", 0, i64::MAX)
}

/// Number types with a fractional part.
pub trait Real: Sized {
    /// Converts from a number to the nearest value; `None` if there is none.
    fn from_f64(number: f64) -> Option<Self>;
    /// Converts to a number.
    fn as_number(&self) -> f64;
}

impl Real for f64 {
    fn from_f64(number: f64) -> Option<f64> {
        Some(number)
    }
    fn as_number(&self) -> f64 {
        *self
    }
}
impl Real for Yield {
    fn from_f64(number: f64) -> Option<Yield> {
        Some(Yield::nearest(number))
    }
    fn as_number(&self) -> f64 {
        shortest(self.as_f64(), |decimal| Yield::nearest(decimal) == *self)
    }
}
impl Real for Share {
    fn from_f64(number: f64) -> Option<Share> {
        Share::try_from_f64(number)
    }
    fn as_number(&self) -> f64 {
        shortest(self.as_f64(), |decimal| Share::try_from_f64(decimal) == Some(*self))
    }
}

/// Finds the shortest decimal number that reads back as the same fraction, so that 0.01 is written
/// as 0.01.
fn shortest(fraction: f64, same: impl Fn(f64) -> bool) -> f64 {
    const MAX_DECIMALS: i32 = 9;
    let decimals = (0..=MAX_DECIMALS).flat_map(|decimals| {
        let scale = 10_f64.powi(decimals);
        [(fraction * scale).round() / scale, (fraction * scale).ceil() / scale]
    });
    decimals.into_iter().find(|&decimal| same(decimal)).unwrap_or(fraction)
}

/// Creates the codec of a finite number in a range: `number("a load", 0.0..=1.0)`; also for
/// [`Yield`] and [`Share`].
#[expect(clippy::redundant_closure_for_method_calls, reason = "a path has one lifetime only")]
pub fn number<T: Real>(what: impl Into<String>, range: impl RangeBounds<f64>) -> Codec<T> {
    let (what, range) = (what.into(), (range.start_bound().cloned(), range.end_bound().cloned()));
    Codec::scalar(
        describe_range(&what, range),
        |at| at.number(),
        move |number| {
            let value = T::from_f64(number).filter(|_| range.contains(&number))?;
            // A small positive number may round to 0, which may be out of range.
            range.contains(&value.as_number()).then_some(value)
        },
        |value: &T| number_to_toml(value.as_number()),
    )
}

/// Creates the codec of a finite number above 0.
pub fn positive<T: Real>(what: impl Into<String>) -> Codec<T> {
    number(what, (Bound::Excluded(0.0), Bound::Unbounded))
}

/// Creates the codec of a number from 0 to 1.
pub fn fraction<T: Real>(what: impl Into<String>) -> Codec<T> {
    number(what, 0.0..=1.0)
}

/// Creates the codec of a number above 0 and at most 1.
pub fn positive_fraction<T: Real>(what: impl Into<String>) -> Codec<T> {
    number(what, (Bound::Excluded(0.0), Bound::Included(1.0)))
}

fn describe_range(what: &str, range: (Bound<f64>, Bound<f64>)) -> String {
    let least = match range.0 {
        Bound::Included(least) => format!(" from {least}"),
        Bound::Excluded(least) => format!(" above {least}"),
        Bound::Unbounded => String::new(),
    };
    let most = match (range.1, range.0) {
        (Bound::Included(most), Bound::Included(_)) => format!(" to {most}"),
        (Bound::Included(most), Bound::Excluded(_)) => format!(", at most {most}"),
        (Bound::Included(most), Bound::Unbounded) => format!(" of at most {most}"),
        (Bound::Excluded(most), _) => format!(" below {most}"),
        (Bound::Unbounded, _) => String::new(),
    };
    format!("{what}{least}{most}")
}

/// Writes an integral number without a decimal point.
fn number_to_toml(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = number.fract() == 0.0 && number.abs() <= EXACT;
    if whole { Value::Integer(number as i64) } else { Value::Float(number) }
}

/// Creates the codec of a duration in seconds, in a range and at most 500 years.
pub fn seconds(range: impl RangeBounds<f64>) -> Codec<SimSpan> {
    let least = match range.start_bound().cloned() {
        Bound::Unbounded => Bound::Included(0.0),
        least => least,
    };
    let in_range = number("a number of seconds", (least, range.end_bound().cloned()));
    let Codec { form: Form { shape, accepts, .. }, read, .. } = in_range;
    let read = move |at: &Located<'_>, reader: &mut Reader<'_>| match SimSpan::try_from_secs_f64(read(
        at, reader,
    )?) {
        None => reader.expected(at, "at most 500 years, in seconds"),
        Some(SimSpan::ZERO) if least == Bound::Excluded(0.0) => {
            reader.expected(at, "a number of seconds of at least one microsecond")
        }
        span => span,
    };
    Codec::new(shape, move |at| accepts(at), read, |span: &SimSpan| Some(number_to_toml(span.as_secs_f64())))
}

/// Creates the codec of a positive duration in seconds.
pub fn positive_seconds() -> Codec<SimSpan> {
    seconds((Bound::Excluded(0.0), Bound::Unbounded))
}

/// Creates the codec of a boolean.
#[expect(clippy::redundant_closure_for_method_calls, reason = "a path has one lifetime only")]
pub fn boolean() -> Codec<bool> {
    Codec::scalar("`true` or `false`", |at| at.boolean(), Some, |value: &bool| Value::Boolean(*value))
}
