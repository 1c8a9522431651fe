//! Times by calendar, as files of carbon intensities and prices have them.

/// Time zone of times that have no offset of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// Seconds by which clocks are ahead of UTC.
    Fixed(i64),
    /// Central European Time, with summer time by the rules of the European Union.
    Cet,
}

/// Time as written: seconds since 1970 on the clock, and its offset from UTC in seconds if it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClockTime {
    pub(super) seconds: i64,
    pub(super) offset: Option<i64>,
    /// True if only a date is given.
    pub(super) is_date: bool,
}

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Returns the days from 1970 to a date of the Gregorian calendar; `None` if there is no such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = lengths.get(usize::try_from(month - 1).ok()?)?;
    if !(1970..=9999).contains(&year) || !(1..=*length).contains(&day) {
        return None;
    }
    // Years are counted from March on, so that a leap day is the last day.
    let (shifted, from_march) = (if month > 2 { year } else { year - 1 }, (month + 9) % 12);
    let of_years = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400;
    Some(of_years + (from_march * 153 + 2) / 5 + day - 1 - 719_468)
}

/// Returns the year, month and day of a day since 1970.
fn date(day: i64) -> (i64, i64, i64) {
    let from = day + 719_468;
    let (era, of_era) = (from.div_euclid(146_097), from.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

/// Formats seconds since 1970 as a time in UTC.
pub(super) fn format_utc(seconds: i64) -> String {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / HOUR, of_day / 60 % 60, of_day % 60);
    let end = if second > 0 { format!(":{second:02}") } else { String::new() };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}{end}Z")
}

/// Parses a time: `2024-01-01 00:00:00`, `2024-01-01T00:00Z`, `2024-01-01T00:00+01:00`,
/// `01/01/2024 00:00`, `01.01.2024 00:00`, `01/01/2024 00:00:00 (CEST)`, the begin of an interval of such
/// times, or seconds or milliseconds since 1970.
pub(super) fn parse(text: &str) -> Option<ClockTime> {
    let text = text.split(" - ").next().unwrap_or_default().trim();
    if text.len() >= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = text.parse::<i64>().ok()?;
        let seconds = if text.len() >= 12 { seconds / 1_000 } else { seconds };
        return Some(ClockTime { seconds, offset: Some(0), is_date: false });
    }
    let (text, marker) = match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((text, marker)) => (text.trim(), Some(offset_of_zone(marker)?)),
        None => (text, None),
    };
    let (day, clock) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let numbers = |text: &str, by: char| -> Option<Vec<i64>> {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        text.split(by).map(|part| part.parse().ok().filter(|_| is_number(part))).collect()
    };
    let day = match day.chars().find(|letter| !letter.is_ascii_digit())? {
        '-' => numbers(day, '-').filter(|parts| parts.len() == 3).and_then(|it| days(it[0], it[1], it[2])),
        by @ ('/' | '.') => {
            numbers(day, by).filter(|parts| parts.len() == 3).and_then(|it| days(it[2], it[1], it[0]))
        }
        _ => None,
    }?;
    let clock = clock.trim();
    let (clock, own) = match clock.find(['Z', 'z', '+', '-']) {
        Some(at) => (clock[..at].trim(), Some(offset(clock[at..].trim())?)),
        None => (clock, None),
    };
    let seconds = if clock.is_empty() { 0 } else { time_of_day(clock)? };
    Some(ClockTime { seconds: day * DAY + seconds, offset: own.or(marker), is_date: clock.is_empty() })
}

/// Parses a time of day such as `13`, `13:30` or `13:30:00.000` into seconds.
pub(super) fn time_of_day(text: &str) -> Option<i64> {
    let whole = text.split('.').next().unwrap_or_default();
    let parts: Option<Vec<i64>> = whole.split(':').map(|part| part.trim().parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() <= 3)?;
    let is_right = parts.iter().zip([23, 59, 59]).all(|(part, most)| (0..=most).contains(part));
    is_right.then(|| parts.iter().zip([HOUR, 60, 1]).map(|(part, unit)| part * unit).sum())
}

/// Parses an offset such as `Z`, `+01:00`, `+0100` or `-5`.
fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..=15).contains(&hours) && (0..60).contains(&minutes)).then(|| sign * (hours * HOUR + minutes * 60))
}

/// Cities with Central European Time, as names of time zones have them.
const CET_CITIES: [&str; 24] = [
    "Amsterdam",
    "Belgrade",
    "Berlin",
    "Bratislava",
    "Brussels",
    "Budapest",
    "Copenhagen",
    "Ljubljana",
    "Luxembourg",
    "Madrid",
    "Malta",
    "Monaco",
    "Oslo",
    "Paris",
    "Prague",
    "Rome",
    "Sarajevo",
    "Skopje",
    "Stockholm",
    "Tirane",
    "Vienna",
    "Warsaw",
    "Zagreb",
    "Zurich",
];

/// Returns the seconds by which the clocks of a time zone are ahead of UTC at a time in seconds since 1970,
/// given its name, such as `Europe/Stockholm`, `CET` or `UTC+2`; `None` if the zone is not known.
#[must_use]
pub fn offset_of_place(name: &str, utc: i64) -> Option<i64> {
    let name = name.trim();
    let is_cet = { name.strip_prefix("Europe/") }.is_some_and(|city| CET_CITIES.contains(&city));
    if is_cet || matches!(name, "CET" | "MET" | "CET/CEST") {
        return Some(if is_summer(utc) { 2 * HOUR } else { HOUR });
    }
    match Zone::parse(name.strip_prefix("Etc/").unwrap_or(name)).filter(|_| !name.contains("Etc/GMT"))? {
        Zone::Fixed(offset) => Some(offset),
        Zone::Cet => None,
    }
}

/// Returns the offset of a time zone by its abbreviation.
fn offset_of_zone(name: &str) -> Option<i64> {
    match name.trim().to_ascii_uppercase().as_str() {
        "UTC" | "GMT" | "WET" => Some(0),
        "CET" | "MEZ" | "WEST" | "BST" => Some(HOUR),
        "CEST" | "MESZ" | "EET" => Some(2 * HOUR),
        "EEST" => Some(3 * HOUR),
        _ => None,
    }
}

impl Zone {
    /// Parses the name of a zone in the name of a column: `UTC`, `CET/CEST`, `GMT+1`.
    pub(super) fn parse(name: &str) -> Option<Zone> {
        let name = name.trim().to_ascii_uppercase();
        if matches!(name.as_str(), "CET/CEST" | "MEZ/MESZ") {
            return Some(Zone::Cet);
        }
        let behind = ["UTC", "GMT"].into_iter().find_map(|zone| name.strip_prefix(zone));
        match behind.map(str::trim).filter(|it| !it.is_empty()) {
            Some(behind) => offset(behind).map(Zone::Fixed),
            None => offset_of_zone(&name).map(Zone::Fixed),
        }
    }

    /// Returns the seconds since 1970 of a time on the clocks of the zone. A time that the clocks show
    /// twice is the `expected` one if that is one of them, else the first. `None` if the clocks skip it.
    pub(super) fn resolve(self, clock: i64, expected: Option<i64>) -> Option<i64> {
        match self {
            Zone::Fixed(offset) => Some(clock - offset),
            Zone::Cet => {
                let summer = Some(clock - 2 * HOUR).filter(|utc| is_summer(*utc));
                let winter = Some(clock - HOUR).filter(|utc| !is_summer(*utc));
                let both = || summer.into_iter().chain(winter);
                both().find(|utc| Some(*utc) == expected).or_else(|| both().next())
            }
        }
    }

    /// Returns whether the clocks of the zone show a time twice.
    pub(super) fn is_twice(self, clock: i64) -> bool {
        self == Zone::Cet && is_summer(clock - 2 * HOUR) && !is_summer(clock - HOUR)
    }
}

/// Returns whether it is summer time in the European Union: from 01:00 UTC of the last Sunday of March
/// to that of October.
fn is_summer(utc: i64) -> bool {
    let (year, ..) = date(utc.div_euclid(DAY));
    let change = |month| {
        let last = days(year, month, 31).unwrap_or(0);
        // The day 0 was a Thursday.
        (last - (last + 4).rem_euclid(7)) * DAY + HOUR
    };
    (change(3)..change(10)).contains(&utc)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> Option<String> {
        let ClockTime { seconds, offset, .. } = parse(text)?;
        Some(format_utc(seconds - offset.unwrap_or(0)))
    }

    #[test]
    fn zones_of_logs_have_offsets() {
        // 1 January and 1 July 2024, 00:00 UTC.
        let of = |name| [1_704_067_200, 1_719_792_000].map(|utc| offset_of_place(name, utc));
        assert_eq!(of("Europe/Stockholm"), [Some(HOUR), Some(2 * HOUR)]);
        assert_eq!((of("CET"), of("UTC")), ([Some(HOUR), Some(2 * HOUR)], [Some(0); 2]));
        assert_eq!((of("GMT+1"), of("UTC-07:30")), ([Some(HOUR); 2], [Some(-(7 * HOUR + HOUR / 2)); 2]));
        assert_eq!((of("Etc/UTC"), of("Asia/Tokyo"), of("Etc/GMT+1")), ([Some(0); 2], [None; 2], [None; 2]));
    }

    #[test]
    fn times_of_all_sources_are_read() {
        for (text, expected) in [
            ("2024-02-29 12:00:00", "2024-02-29T12:00Z"),
            ("2018-05-10T23:30Z", "2018-05-10T23:30Z"),
            ("2023-01-01T00:00+01:00", "2022-12-31T23:00Z"),
            ("2021-01-01T00:00:05.250+0000", "2021-01-01T00:00:05Z"),
            ("31/12/2024 23:00:00 - 01/01/2025 00:00:00", "2024-12-31T23:00Z"),
            ("27/10/2024 02:00:00 (CEST) - 27/10/2024 02:00:00 (CET)", "2024-10-27T00:00Z"),
            ("01.03.2023 00:15 - 01.03.2023 00:30", "2023-03-01T00:15Z"),
            ("1609459200", "2021-01-01T00:00Z"),
            ("1609459200000", "2021-01-01T00:00Z"),
            ("2000-03-01", "2000-03-01T00:00Z"),
        ] {
            assert_eq!(utc(text).as_deref(), Some(expected), "{text}");
        }
        for wrong in [
            "",
            "now",
            "2023-02-29 00:00",
            "13/13/2024 00:00",
            "2024-01-01 24:00",
            "12",
            "01/01/24 00:00",
            "2024-01-01 00:00 (PDT)",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    /// The clocks of 2024 change on 31 March and 27 October.
    #[test]
    fn summer_time_is_that_of_the_european_union() {
        let clock = |text: &str| parse(text).unwrap().seconds;
        let of = |text: &str| Zone::Cet.resolve(clock(text), None).map(format_utc);
        assert_eq!(of("2024-03-31 01:59").as_deref(), Some("2024-03-31T00:59Z"));
        assert_eq!((of("2024-03-31 02:00"), of("2024-03-31 02:59")), (None, None));
        assert_eq!(of("2024-03-31 03:00").as_deref(), Some("2024-03-31T01:00Z"));
        let (twice, winter) = (clock("2024-10-27 02:30"), clock("2024-10-27 01:30"));
        assert!(Zone::Cet.is_twice(twice) && !Zone::Cet.is_twice(winter));
        assert_eq!(of("2024-10-27 02:30").as_deref(), Some("2024-10-27T00:30Z"));
        let second = Zone::Cet.resolve(twice, Some(winter));
        assert_eq!(second.map(format_utc).as_deref(), Some("2024-10-27T01:30Z"));
        assert_eq!(Zone::parse("GMT+1"), Some(Zone::Fixed(3_600)));
        assert_eq!((Zone::parse("cet/cest"), Zone::parse("PST")), (Some(Zone::Cet), None));
    }

    proptest::proptest! {
        #[test]
        fn dates_are_those_of_the_calendar(day in 0..100_000_i64) {
            let (year, month, of_month) = date(day);
            proptest::prop_assert_eq!(days(year, month, of_month), Some(day));
        }
    }
}
