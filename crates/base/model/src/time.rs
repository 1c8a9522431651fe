//! Simulated time: integer microseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Sub};

const MICROS: u64 = 1_000_000;

/// Point in simulated time, in microseconds after the origin of the workload (second 0 of its log).
///
/// An addition beyond `u64::MAX` (584,000 years) panics; readers reject times that could come near
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// Duration in simulated time, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimSpan(u64);

impl SimTime {
    /// Origin of the workload.
    pub const ZERO: SimTime = SimTime(0);
    /// Largest time, later than every event.
    pub const MAX: SimTime = SimTime(u64::MAX);

    /// Creates a time from whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        SimTime(seconds * MICROS)
    }
    /// Creates a time from microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        SimTime(micros)
    }
    /// Returns the microseconds since the origin.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }
    /// Returns the seconds since the origin for statistics and output, rounded to the nearest `f64`.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / MICROS as f64
    }
    /// Returns the span from `earlier` to this time.
    ///
    /// # Panics
    ///
    /// Panics if `earlier` is later, which is a bug of the caller.
    #[must_use]
    pub fn since(self, earlier: SimTime) -> SimSpan {
        SimSpan(self.0.checked_sub(earlier.0).expect("a span cannot be negative"))
    }
    /// Returns the span from `earlier` to this time, or zero if `earlier` is later.
    #[must_use]
    pub fn saturating_since(self, earlier: SimTime) -> SimSpan {
        SimSpan(self.0.saturating_sub(earlier.0))
    }
    /// Returns the time `span` later, or [`SimTime::MAX`] on overflow.
    #[must_use]
    pub fn saturating_add(self, span: SimSpan) -> SimTime {
        SimTime(self.0.saturating_add(span.0))
    }
}

impl SimSpan {
    /// Span of zero.
    pub const ZERO: SimSpan = SimSpan(0);
    /// Longest span.
    pub const MAX: SimSpan = SimSpan(u64::MAX);

    /// Creates a span from whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        SimSpan(seconds * MICROS)
    }
    /// Creates a span from microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        SimSpan(micros)
    }
    /// Converts seconds to the nearest microsecond; `None` if they are negative, not finite, or
    /// above 500 years.
    pub fn try_from_secs_f64(seconds: f64) -> Option<Self> {
        (0.0..=1.6e10).contains(&seconds).then(|| SimSpan((seconds * MICROS as f64).round() as u64))
    }
    /// Returns the length in microseconds.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }
    /// Returns the sum of two spans, or [`SimSpan::MAX`] on overflow.
    #[must_use]
    pub fn saturating_add(self, other: SimSpan) -> SimSpan {
        SimSpan(self.0.saturating_add(other.0))
    }
    /// Returns the length in seconds for statistics and output, rounded to the nearest `f64`.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / MICROS as f64
    }
    /// Returns whether the span is empty.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// Multiplies the span by a factor, to the nearest microsecond, saturating at [`SimSpan::MAX`].
    #[must_use]
    pub fn scaled(self, factor: f64) -> SimSpan {
        SimSpan((self.0 as f64 * factor).round() as u64)
    }
}

impl Add<SimSpan> for SimTime {
    type Output = SimTime;
    fn add(self, span: SimSpan) -> SimTime {
        SimTime(self.0.checked_add(span.0).expect("simulated time stays below 584,000 years"))
    }
}

impl Add for SimSpan {
    type Output = SimSpan;
    fn add(self, other: SimSpan) -> SimSpan {
        SimSpan(self.0.checked_add(other.0).expect("spans stay below 584,000 years"))
    }
}

impl AddAssign for SimSpan {
    fn add_assign(&mut self, other: SimSpan) {
        *self = *self + other;
    }
}

impl Sub for SimSpan {
    type Output = SimSpan;
    fn sub(self, other: SimSpan) -> SimSpan {
        SimSpan(self.0.checked_sub(other.0).expect("a span cannot be negative"))
    }
}

impl Sub for SimTime {
    type Output = SimSpan;
    /// Returns [`SimTime::since`], which panics if `earlier` is later.
    fn sub(self, earlier: SimTime) -> SimSpan {
        self.since(earlier)
    }
}

impl Div<u64> for SimSpan {
    type Output = SimSpan;
    /// Returns a part of the span, rounded down to the microsecond; panics if `parts` is 0.
    fn div(self, parts: u64) -> SimSpan {
        SimSpan(self.0 / parts)
    }
}

/// Writes seconds with as many decimals as necessary, at most six: `12`, `0.5`.
fn write_seconds(micros: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (seconds, rest) = (micros / MICROS, micros % MICROS);
    if rest == 0 {
        return write!(f, "{seconds}");
    }
    let decimals = format!("{rest:06}");
    write!(f, "{seconds}.{}", decimals.trim_end_matches('0'))
}

impl fmt::Display for SimTime {
    /// Writes the exact seconds: `12`, `0.5`. Parsing the text returns an equal time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_seconds(self.0, f)
    }
}

impl fmt::Display for SimSpan {
    /// Writes the exact seconds: `12`, `0.5`. Parsing the text returns an equal span.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_seconds(self.0, f)
    }
}

/// Parses seconds, up to 500 years, and returns microseconds; decimals after the sixth are cut off.
fn parse_micros(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && decimals.is_empty() || !digits(whole) || !digits(decimals) || whole.len() > 11 {
        return None;
    }
    let seconds = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    if seconds > 16_000_000_000 {
        return None;
    }
    let micros = decimals.bytes().chain(std::iter::repeat(b'0')).take(6);
    Some(micros.fold(seconds, |value, digit| value * 10 + u64::from(digit - b'0')))
}

crate::parses!(SimTime, "expected a number of seconds such as 90 or 0.5, found `{text}`", |text| {
    parse_micros(text).map(SimTime)
});
crate::parses!(SimSpan, "expected a number of seconds such as 90 or 0.5, found `{text}`", |text| {
    parse_micros(text).map(SimSpan)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_subtracted_and_spans_divided() {
        assert_eq!(SimTime::from_secs(5) - SimTime::from_secs(2), SimSpan::from_secs(3));
        assert_eq!(SimSpan::from_secs(1) / 3, SimSpan::from_micros(333_333));
    }

    #[test]
    fn seconds_print_and_parse_exactly() {
        for (text, micros) in [("0", 0), ("12", 12_000_000), ("0.5", 500_000), ("3.000001", 3_000_001)] {
            assert_eq!(text.parse::<SimTime>().unwrap().micros(), micros);
            assert_eq!(SimSpan::from_micros(micros).to_string(), text);
        }
        assert_eq!("246.00".parse::<SimSpan>().unwrap(), SimSpan::from_secs(246));
        assert_eq!("0.1234567".parse::<SimSpan>().unwrap().micros(), 123_456);
    }

    /// A thousand of the largest parsed values can be added without overflow.
    #[test]
    fn the_range_has_room_and_its_end_is_reported() {
        let most: SimSpan = "16000000000.999999".parse().unwrap();
        assert_eq!(most.micros(), 16_000_000_000_999_999);
        let sum = (0..1_000).fold(SimTime::ZERO, |at, _| at + most);
        assert_eq!(sum.micros(), 16_000_000_000_999_999_000);
        assert!(sum.to_string().parse::<SimTime>().is_err(), "further than 500 years");
        let end = SimTime::MAX;
        assert_eq!(end.saturating_add(SimSpan::from_micros(1)), end);
        assert_eq!(end.since(SimTime::ZERO), SimSpan::MAX);
        assert_eq!(SimTime::ZERO.saturating_since(end), SimSpan::ZERO);
        assert_eq!(SimSpan::MAX.scaled(2.0), SimSpan::MAX);
        assert_eq!(SimSpan::from_secs(1).scaled(f64::INFINITY), SimSpan::MAX);
        let beyond = std::panic::catch_unwind(|| end + SimSpan::from_micros(1));
        assert!(beyond.is_err(), "never a wrong time");
        let fifty_years = SimTime::from_secs(50 * 366 * 86_400) + SimSpan::from_micros(1);
        assert_eq!(fifty_years.to_string(), "1581120000.000001");
        assert_eq!(fifty_years.to_string().parse(), Ok(fifty_years));
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in ["", ".", "-1", "1e3", "1.5.2", "nan", "99999999999999", "17000000000", "١"] {
            assert!(text.parse::<SimTime>().is_err(), "{text}");
        }
        assert_eq!(SimSpan::try_from_secs_f64(f64::NAN), None);
        assert_eq!(SimSpan::try_from_secs_f64(-0.1), None);
        assert_eq!(SimSpan::try_from_secs_f64(0.25), Some(SimSpan::from_micros(250_000)));
    }
}
