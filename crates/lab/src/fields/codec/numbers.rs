//! Numbers, spans of time, and truth values.

use super::super::at::ValueAt;
use super::super::reader::Reader;
use super::Codec;
use dfrsim_model::{Share, SimSpan, Yield};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::ops::{Bound, RangeBounds};
use std::time::Duration;
use toml::Value;
use toml::de::DeValue;

/// Types of whole numbers.
pub trait Integer: Copy {
    /// The number as TOML has it; the nearest that it can have.
    fn to_toml(self) -> i64;
    /// The number, if the type has it.
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

/// See [`count`].
#[derive(Clone, Debug)]
pub struct Count {
    what: String,
    least: i64,
    most: i64,
}

/// A whole number in a range, as any type of whole numbers: `count("a number of nodes", 1, u32::MAX)`.
pub fn count(what: impl Into<String>, least: impl Integer, most: impl Integer) -> Count {
    Count { what: what.into(), least: least.to_toml(), most: most.to_toml() }
}

/// The seed of something random.
#[must_use]
pub fn seed() -> Count {
    count("a seed", 0, i64::MAX)
}

impl<T: Integer> Codec<T> for Count {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<T> {
        let number = at.integer().filter(|number| (self.least..=self.most).contains(number));
        number.and_then(T::from_toml).or_else(|| reader.expected(at, &Codec::<T>::shape(self)))
    }
    fn write(&self, value: &T) -> Option<Value> {
        Some(Value::Integer(value.to_toml()))
    }
    fn shape(&self) -> String {
        let Count { what, least, most } = self;
        // Nobody needs to be told the range of TOML's integers.
        if *most == i64::MAX {
            format!("{what} from {least}")
        } else {
            format!("{what} from {least} to {most}")
        }
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        at.integer().is_some()
    }
}

/// See [`number`].
#[derive(Clone, Debug)]
pub struct Number {
    what: String,
    least: Bound<f64>,
    most: Bound<f64>,
}

/// A finite number in a range: `number("a load", 0.0..=1.0)`; also as [`Yield`] and [`Share`].
pub fn number(what: impl Into<String>, range: impl RangeBounds<f64>) -> Number {
    Number { what: what.into(), least: range.start_bound().cloned(), most: range.end_bound().cloned() }
}

/// A finite number above 0.
pub fn positive(what: impl Into<String>) -> Number {
    number(what, (Bound::Excluded(0.0), Bound::Unbounded))
}

/// A number from 0 to 1.
pub fn fraction(what: impl Into<String>) -> Number {
    number(what, 0.0..=1.0)
}

/// A number above 0, at most 1.
pub fn positive_fraction(what: impl Into<String>) -> Number {
    number(what, (Bound::Excluded(0.0), Bound::Included(1.0)))
}

impl Number {
    fn has(&self, number: f64) -> bool {
        (self.least, self.most).contains(&number)
    }
    fn within(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<f64> {
        let number = at.number().filter(|&number| self.has(number));
        number.or_else(|| reader.expected(at, &self.described()))
    }
    fn described(&self) -> String {
        let least = match self.least {
            Bound::Included(least) => format!(" from {least}"),
            Bound::Excluded(least) => format!(" above {least}"),
            Bound::Unbounded => String::new(),
        };
        let most = match (self.most, self.least) {
            (Bound::Included(most), Bound::Included(_)) => format!(" to {most}"),
            (Bound::Included(most), Bound::Excluded(_)) => format!(", at most {most}"),
            (Bound::Included(most), Bound::Unbounded) => format!(" of at most {most}"),
            (Bound::Excluded(most), _) => format!(" below {most}"),
            (Bound::Unbounded, _) => String::new(),
        };
        format!("{}{least}{most}", self.what)
    }
}

/// A whole number is written without a point.
fn written(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = number.fract() == 0.0 && number.abs() <= EXACT;
    Some(if whole { Value::Integer(number as i64) } else { Value::Float(number) })
}

/// A codec for another type by way of an `f64`.
macro_rules! by_number {
    ($codec:ident as $type:ty, |$read:ident, $at:ident, $reader:ident| $body:expr, |$value:ident| $write:expr) => {
        impl Codec<$type> for $codec {
            fn read(&self, $at: &ValueAt<'_>, $reader: &mut Reader<'_>) -> Option<$type> {
                let $read = self;
                $body
            }
            fn write(&self, $value: &$type) -> Option<Value> {
                written($write)
            }
            fn shape(&self) -> String {
                self.described()
            }
            fn accepts(&self, at: &ValueAt<'_>) -> bool {
                at.number().is_some()
            }
        }
    };
}

by_number!(Number as f64, |codec, at, reader| codec.within(at, reader), |value| *value);
by_number!(
    Number as Yield,
    |codec, at, reader| {
        // A number above 0 must not become 0, which may be out of range.
        let found = Some(Yield::nearest(codec.within(at, reader)?));
        found.filter(|found| codec.has(found.as_f64())).or_else(|| reader.expected(at, &codec.described()))
    },
    |value| shortest(value.as_f64(), |decimal| Yield::nearest(decimal) == *value)
);
by_number!(
    Number as Share,
    |codec, at, reader| {
        let share = Share::try_from_f64(codec.within(at, reader)?);
        share.filter(|share| codec.has(share.as_f64())).or_else(|| reader.expected(at, &codec.described()))
    },
    |value| shortest(value.as_f64(), |decimal| Share::try_from_f64(decimal) == Some(*value))
);

/// The number with the fewest decimals near a fraction that reads as the same, so that 0.01 is written as it was.
fn shortest(fraction: f64, same: impl Fn(f64) -> bool) -> f64 {
    const MOST_DECIMALS: i32 = 9;
    let decimals = (0..=MOST_DECIMALS).flat_map(|decimals| {
        let scale = 10_f64.powi(decimals);
        [(fraction * scale).round() / scale, (fraction * scale).ceil() / scale]
    });
    decimals.into_iter().find(|&decimal| same(decimal)).unwrap_or(fraction)
}

/// See [`seconds`].
#[derive(Clone, Debug)]
pub struct Seconds(Number);

/// A number of seconds in a range, at most 500 years; as [`SimSpan`] or [`Duration`].
pub fn seconds(range: impl RangeBounds<f64>) -> Seconds {
    let Number { what, least, most } = number("a number of seconds", range);
    let least = if least == Bound::Unbounded { Bound::Included(0.0) } else { least };
    Seconds(Number { what, least, most })
}

/// Some time: a number of seconds above 0.
#[must_use]
pub fn positive_seconds() -> Seconds {
    seconds((Bound::Excluded(0.0), Bound::Unbounded))
}

impl Seconds {
    fn span(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<SimSpan> {
        let span = SimSpan::try_from_secs_f64(self.0.within(at, reader)?);
        if span.is_none() {
            reader.fault(at, format!("expected at most 500 years in seconds, found {}", at.found()));
        }
        let positive = matches!(self.0.least, Bound::Excluded(0.0));
        match span {
            Some(SimSpan::ZERO) if positive => {
                reader.expected(at, "a number of seconds that is not 0 in microseconds")
            }
            span => span,
        }
    }
    fn described(&self) -> String {
        self.0.described()
    }
}

by_number!(Seconds as SimSpan, |codec, at, reader| codec.span(at, reader), |value| value.as_secs_f64());
by_number!(
    Seconds as Duration,
    |codec, at, reader| Some(Duration::from_micros(codec.span(at, reader)?.micros())),
    |value| value.as_secs_f64()
);

/// See [`boolean`].
#[derive(Clone, Copy, Debug)]
pub struct Boolean;

/// `true` or `false`.
#[must_use]
pub fn boolean() -> Boolean {
    Boolean
}

impl Codec<bool> for Boolean {
    fn read(&self, at: &ValueAt<'_>, reader: &mut Reader<'_>) -> Option<bool> {
        at.value().as_bool().or_else(|| reader.expected(at, &self.shape()))
    }
    fn write(&self, value: &bool) -> Option<Value> {
        Some(Value::Boolean(*value))
    }
    fn shape(&self) -> String {
        "`true` or `false`".into()
    }
    fn accepts(&self, at: &ValueAt<'_>) -> bool {
        matches!(at.value(), DeValue::Boolean(_))
    }
}
