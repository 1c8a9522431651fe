//! Dates in Coordinated Universal Time.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The second `unix` after the beginning of 1970 as `YYYY-MM-DD hh:mm:ss UTC`, in the proleptic Gregorian calendar.
///
/// Days become years by eras of 400 years, each 146,097 days long, and by years that begin on 1 March, so that the leap
/// day is the last one of its year (H. Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`).
pub(crate) fn date(unix: i64) -> String {
    let (days, second) = (unix.div_euclid(DAY) + 719_468, unix.rem_euclid(DAY));
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From GNU `date -u -d @SECONDS`: both ends of leap days, centuries with and without one, times before 1970.
    #[test]
    fn dates_are_those_of_gnu_date() {
        for (unix, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
            (-62_167_219_200, "0000-01-01 00:00:00 UTC"),
            (-2_203_891_201, "1900-02-28 23:59:59 UTC"),
            (-2_203_891_200, "1900-03-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_799, "2000-02-29 23:59:59 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_027_839_845, "2002-07-28 07:04:05 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
        ] {
            assert_eq!(date(unix), expected);
        }
    }
}
