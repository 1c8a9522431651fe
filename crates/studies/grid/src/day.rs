//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

/// A day (UTC), as in `1998-05-01`, by its number from 1970-01-01 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(i64);

/// The days of the years before one, from year 1 on.
const fn before(year: i64) -> i64 {
    let years = year - 1;
    years * 365 + years / 4 - years / 100 + years / 400
}

const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => before(year + 1) - before(year) - 337,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Day {
    /// The day of a second since 1970 (UTC).
    pub(crate) const fn of_second(second: i64) -> Day {
        Day(second.div_euclid(86_400))
    }
    /// Its first second since 1970 (UTC).
    pub(crate) const fn second(self) -> i64 {
        self.0 * 86_400
    }
}

impl FromStr for Day {
    type Err = String;
    fn from_str(text: &str) -> Result<Day, String> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |part: &str, digits: usize| {
            let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<i64>().ok().filter(|_| is_number)
        };
        let read = || {
            let [year, month, day] = parts[..] else { return None };
            let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
            let is_day = year > 0 && (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
            let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
            is_day.then(|| Day(before(year) - before(1970) + months + day - 1))
        };
        read().ok_or_else(|| format!("expected a day as in 1998-05-01, found `{text}`"))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut year, mut left) = (1, self.0 + before(1970));
        while left >= before(year + 1) {
            year += 1;
        }
        left -= before(year);
        let mut month = 1;
        while left >= days_of(year, month) {
            left -= days_of(year, month);
            month += 1;
        }
        write!(f, "{year:04}-{month:02}-{:02}", left + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // SDSC SP2 begins in second 893,466,664: on April 25, 1998 (UTC).
        for (text, number) in [
            ("1970-01-01", 0),
            ("1998-04-25", 893_466_664 / 86_400),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("1969-12-31", -1),
            ("2100-12-31", 47_846),
        ] {
            assert_eq!((text.parse(), Day(number).to_string().as_str()), (Ok(Day(number)), text));
        }
        for wrong in
            ["1998-4-25", "1998-02-29", "1900-02-29", "1998-13-01", "0000-01-01", "+998-01-01", "today"]
        {
            assert!(wrong.parse::<Day>().is_err(), "{wrong}");
        }
        assert_eq!(Day::of_second(-1).second(), -86_400);
    }
}
