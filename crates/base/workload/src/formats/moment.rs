//! Times in the files of Slurm.

use crate::log::{MAX_SECONDS, unix_seconds};
use chrono::NaiveDateTime;

/// Parses a time into seconds since 1970, as if it were UTC: `2026-03-01T09:00:00`, or a number of
/// seconds. Data frames write a blank in place of the `T`.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    unix_seconds(text).or_else(|| {
        let format = if text.contains('T') { "%Y-%m-%dT%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
        let date = NaiveDateTime::parse_from_str(text, format).ok()?;
        Some(date.and_utc().timestamp()).filter(|seconds| seconds.unsigned_abs() <= MAX_SECONDS)
    })
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
}
