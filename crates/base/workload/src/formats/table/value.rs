//! Conversion of the texts of a table: times, durations, amounts of memory.

use crate::log::MAX_SECONDS;
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use dfrsim_model::named;

/// Format of times.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TimeFormat {
    /// A number since 1970 or since the beginning of the table, of which this many are a second.
    Number(f64),
    /// A format of chrono's `strftime`.
    Pattern(String),
    /// Seconds, or a date and time in the order of ISO 8601.
    Any,
}

/// Forms of a date and time in the order of ISO 8601.
const DATES: [&str; 5] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y/%m/%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
];

impl TimeFormat {
    /// Parses a format: `unix`, `unix-ms`, `unix-us`, `any`, or a pattern with `%`.
    pub(super) fn parse(text: &str) -> Option<TimeFormat> {
        Some(match text {
            "unix" => TimeFormat::Number(1.0),
            "unix-ms" => TimeFormat::Number(1e3),
            "unix-us" => TimeFormat::Number(1e6),
            "unix-ns" => TimeFormat::Number(1e9),
            "any" => TimeFormat::Any,
            pattern if pattern.contains('%') && is_pattern(pattern) => {
                TimeFormat::Pattern(pattern.to_owned())
            }
            _ => return None,
        })
    }

    /// Converts a time to seconds since 1970, or since the beginning of the table.
    pub(super) fn seconds(&self, text: &str) -> Option<f64> {
        let seconds = match self {
            TimeFormat::Number(per_second) => text.parse::<f64>().ok()? / per_second,
            TimeFormat::Pattern(pattern) => of_pattern(text, pattern)?,
            TimeFormat::Any => text.parse::<f64>().ok().or_else(|| of_date(text))?,
        };
        (seconds.abs() <= MAX_SECONDS as f64).then_some(seconds)
    }

    /// Describes the valid values.
    pub(super) fn expected(&self) -> String {
        match self {
            TimeFormat::Number(1.0) => "a number of seconds".to_owned(),
            TimeFormat::Number(per_second) => format!("a number of 1/{per_second} seconds"),
            TimeFormat::Pattern(pattern) => format!("a time of the form `{pattern}`"),
            TimeFormat::Any => "a time such as 2026-03-01T09:00:00, or a number of seconds".to_owned(),
        }
    }
}

/// Returns whether chrono knows all parts of a pattern.
fn is_pattern(pattern: &str) -> bool {
    chrono::format::StrftimeItems::new(pattern).all(|item| item != chrono::format::Item::Error)
}

fn of_pattern(text: &str, pattern: &str) -> Option<f64> {
    if let Ok(with_zone) = DateTime::parse_from_str(text, pattern) {
        return Some(with_zone.timestamp() as f64);
    }
    if let Ok(local) = NaiveDateTime::parse_from_str(text, pattern) {
        return Some(seconds(local));
    }
    NaiveDate::parse_from_str(text, pattern).ok()?.and_hms_opt(0, 0, 0).map(seconds)
}

fn of_date(text: &str) -> Option<f64> {
    if let Ok(with_zone) = DateTime::parse_from_rfc3339(text) {
        return Some(with_zone.timestamp() as f64);
    }
    let text = text.trim_end_matches("UTC").trim_end_matches('Z').trim_end();
    let with_zone = DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f%#z").ok();
    let local = || DATES.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
    with_zone.map(|time| time.timestamp() as f64).or_else(|| local().map(seconds))
}

fn seconds(time: NaiveDateTime) -> f64 {
    time.and_utc().timestamp() as f64
}

named! {
    /// Unit of a column with durations or memory.
    pub(super) enum Unit as "unit" {
        Nanosecond = "ns",
        Microsecond = "us",
        Millisecond = "ms",
        Second = "s",
        Minute = "min",
        Hour = "h",
        Day = "d",
        Byte = "B",
        Kilobyte = "KB" | "KiB" | "kB",
        Megabyte = "MB" | "MiB",
        Gigabyte = "GB" | "GiB",
        Terabyte = "TB" | "TiB",
    }
}

impl Unit {
    /// Returns the seconds, or the kilobytes (of 1,024 bytes), of one unit.
    pub(super) const fn factor(self) -> f64 {
        match self {
            Unit::Nanosecond => 1e-9,
            Unit::Microsecond => 1e-6,
            Unit::Millisecond => 1e-3,
            Unit::Second | Unit::Kilobyte => 1.0,
            Unit::Minute => 60.0,
            Unit::Hour => 3_600.0,
            Unit::Day => 86_400.0,
            Unit::Byte => 1.0 / 1024.0,
            Unit::Megabyte => 1024.0,
            Unit::Gigabyte => 1_048_576.0,
            Unit::Terabyte => 1_073_741_824.0,
        }
    }
    pub(super) const fn is_of_time(self) -> bool {
        matches!(
            self,
            Unit::Nanosecond
                | Unit::Microsecond
                | Unit::Millisecond
                | Unit::Second
                | Unit::Minute
                | Unit::Hour
                | Unit::Day
        )
    }
}

/// Converts a duration to seconds: a number of units, or `[days-]hours:minutes:seconds`, or
/// `days days hours:minutes:seconds`.
pub(super) fn duration(text: &str, unit: Unit) -> Option<f64> {
    if !text.contains(':') {
        return number(text).map(|number| number * unit.factor());
    }
    let (days, clock) = match text.split_once(" days ").or_else(|| text.split_once(" day ")) {
        Some((days, clock)) => (days, clock),
        None => text.split_once('-').unwrap_or(("0", text)),
    };
    let clock = clock.trim_start_matches(", ");
    let parts: Vec<f64> = clock.split(':').map(number).collect::<Option<_>>()?;
    let of_clock = parts.iter().fold(0.0, |sum, part| sum * 60.0 + part);
    let is_clock = (2..=3).contains(&parts.len()) && parts.iter().all(|part| *part >= 0.0);
    let days = number(days.trim())?;
    is_clock.then_some(days * 86_400.0 + of_clock)
}

/// Converts an amount of memory to kilobytes: a number of units, or one with its own unit, such as
/// `4G` and `4096 MB`.
pub(super) fn memory(text: &str, unit: Option<Unit>) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let own = text[digits.len()..].to_ascii_uppercase();
    let amount = number(digits.trim_end())?;
    let factor = match own.trim_end_matches('B').trim_end_matches('I') {
        "" if own.is_empty() => unit?.factor(),
        "" => Unit::Byte.factor(),
        "K" => 1.0,
        "M" => Unit::Megabyte.factor(),
        "G" => Unit::Gigabyte.factor(),
        "T" => Unit::Terabyte.factor(),
        _ => return None,
    };
    Some(amount * factor)
}

/// Parses a finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_many_forms() {
        let nine = 1_772_355_600.0;
        for text in [
            "1772355600",
            "1772355600.0",
            "2026-03-01T09:00:00",
            "2026-03-01 09:00:00",
            "2026-03-01 09:00:00.25",
            "2026-03-01T09:00:00Z",
            "2026-03-01 09:00:00 UTC",
            "2026-03-01T10:00:00+01:00",
            "2026-03-01 10:00:00+01:00",
            "2026/03/01 09:00:00",
        ] {
            assert_eq!(TimeFormat::Any.seconds(text), Some(nine), "{text}");
        }
        for (format, text) in [
            ("unix-ms", "1772355600000"),
            ("%m/%d/%Y %H:%M:%S", "03/01/2026 09:00:00"),
            ("%d.%m.%Y %H:%M %z", "01.03.2026 10:00 +0100"),
        ] {
            assert_eq!(TimeFormat::parse(format).unwrap().seconds(text), Some(nine), "{text}");
        }
        assert_eq!(TimeFormat::parse("%Y-%m-%d").unwrap().seconds("1970-01-02"), Some(86_400.0));
        for wrong in ["", "x", "2026-02-30 09:00:00", "1e300", "NaN"] {
            assert_eq!(TimeFormat::Any.seconds(wrong), None, "{wrong}");
        }
        for wrong in ["", "unix-min", "%Q", "seconds"] {
            assert_eq!(TimeFormat::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations_and_memory_have_units() {
        for (text, unit, seconds) in [
            ("90", Unit::Second, 90.0),
            ("1.5", Unit::Minute, 90.0),
            ("00:01:30", Unit::Minute, 90.0),
            ("1-00:01:30", Unit::Second, 86_490.0),
            ("1 days 00:01:30", Unit::Second, 86_490.0),
            ("1:30", Unit::Hour, 90.0),
        ] {
            assert_eq!(duration(text, unit), Some(seconds), "{text}");
        }
        for wrong in ["", "x", "1:2:3:4", "a-1:00", "inf"] {
            assert_eq!(duration(wrong, Unit::Second), None, "{wrong}");
        }
        for (text, unit, kilobytes) in [
            ("4", Some(Unit::Megabyte), 4096.0),
            ("4G", None, 4_194_304.0),
            ("4 GiB", Some(Unit::Megabyte), 4_194_304.0),
            ("2048B", None, 2.0),
        ] {
            assert_eq!(memory(text, unit), Some(kilobytes), "{text}");
        }
        for wrong in ["", "4", "4X", "G", "4GG"] {
            assert_eq!(memory(wrong, None), None, "{wrong}");
        }
    }
}
