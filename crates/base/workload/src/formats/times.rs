//! Times in the files of Slurm.

use crate::log::{MAX_SECONDS, unix_seconds};
use chrono::NaiveDateTime;
use chrono::format::{Item, Numeric, Pad, Parsed, parse};

/// Parts of a time. A format in a text would be parsed for each time, which takes a tenth of the
/// reading of a listing.
const fn parts(between: &'static str) -> [Item<'static>; 11] {
    const fn number(of: Numeric) -> Item<'static> {
        Item::Numeric(of, Pad::Zero)
    }
    [
        number(Numeric::Year),
        Item::Literal("-"),
        number(Numeric::Month),
        Item::Literal("-"),
        number(Numeric::Day),
        Item::Literal(between),
        number(Numeric::Hour),
        Item::Literal(":"),
        number(Numeric::Minute),
        Item::Literal(":"),
        number(Numeric::Second),
    ]
}

/// Parses a time into seconds since 1970, as if it were UTC: `2026-03-01T09:00:00`, or a number of
/// seconds. Data frames write a blank in place of the `T`.
pub fn timestamp(text: &str) -> Option<i64> {
    unix_seconds(text).or_else(|| {
        const WITH_LETTER: [Item<'static>; 11] = parts("T");
        const WITH_BLANK: [Item<'static>; 11] = parts(" ");
        let items = if text.contains('T') { &WITH_LETTER } else { &WITH_BLANK };
        let mut parsed = Parsed::new();
        parse(&mut parsed, text, items.iter()).ok()?;
        let date: NaiveDateTime = parsed.to_naive_datetime_with_offset(0).ok()?;
        Some(date.and_utc().timestamp()).filter(|seconds| seconds.unsigned_abs() <= MAX_SECONDS)
    })
}

/// Parses a duration into seconds, as in limits: `minutes`, `minutes:seconds`, `hours:minutes:seconds`,
/// `days-hours`, `days-hours:minutes` or `days-hours:minutes:seconds`.
pub fn duration(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (Some(days.parse::<u64>().ok()?), clock),
        None => (None, text),
    };
    let parts: Option<Vec<u64>> = clock.split(':').map(|part| part.parse().ok()).collect();
    let units: &[u64] = match (days, parts.as_ref()?.len()) {
        (Some(_), 1..=3) | (None, 3) => &[3_600, 60, 1],
        (None, 1..=2) => &[60, 1],
        _ => return None,
    };
    let within = parts?
        .iter()
        .zip(units)
        .try_fold(0_u64, |sum, (part, unit)| sum.checked_add(part.checked_mul(*unit)?));
    days.unwrap_or(0).checked_mul(86_400)?.checked_add(within?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_sacct() {
        assert_eq!(timestamp("1970-01-02T00:00:01"), Some(86_401));
        assert_eq!(timestamp("2024-02-29T12:00:00"), Some(1_709_208_000));
        assert_eq!(timestamp("2024-02-29 12:00:00"), Some(1_709_208_000));
        assert_eq!(timestamp("1709208000"), Some(1_709_208_000));
        for wrong in ["2023-02-29T12:00:00", "2024-01-01", "Unknown", "", "-5", "99999999999999"] {
            assert_eq!(timestamp(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_have_the_forms_of_slurm() {
        for (text, expected) in [
            ("0", 0),
            ("90", 5_400),
            ("2:30", 150),
            ("1:30:00", 5_400),
            ("7-0", 604_800),
            ("1-2:03", 93_780),
            ("1-2:03:04", 93_784),
        ] {
            assert_eq!(duration(text), Some(expected), "{text}");
        }
        for wrong in ["", "x", "1:2:3:4", "1-", "-1", "99999999999999999999"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
