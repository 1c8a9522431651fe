//! Series of the carbon intensity and the price of energy over time.
//!
//! A CSV file has a header line with the column `from_s` and at least one of `g_per_kwh` (carbon
//! dioxide) and `price_per_kwh`:
//!
//! ```text
//! from_s,g_per_kwh,price_per_kwh
//! 0,320.5,0.25
//! 3600,298,0.21
//! ```
//!
//! Times are seconds from the origin of the workload on (second 0 of its log). All lines are equally
//! far apart, and the last one holds for as long as the others; a series with a gap is refused, as is
//! one that does not cover a run.
//!
//! Files with times by calendar are recognised by the names of their columns: exports of Electricity Maps,
//! the National Grid ESO, WattTime, ENTSO-E, Energy-Charts and SMARD, and others whose columns name their
//! units. The start of the log says where its seconds begin.

mod calendar;
mod columns;
mod table;

pub use calendar::offset_of_place;
pub use table::CalendarSeries;

use crate::{SimSpan, SimTime};
use dfrsim_input::{Faults, Input, Located, Reader, read_text};
use std::path::Path;

/// Largest carbon intensity in grams for a kilowatt-hour, and largest price of one.
const MAX_CARBON: f64 = 1e5;
const MAX_PRICE: f64 = 100.0;
/// Smallest price of a kilowatt-hour: those of auctions may be negative.
const MIN_PRICE: f64 = -MAX_PRICE;

/// Values for a kilowatt-hour over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnergySeries {
    /// Starts of the intervals, in ascending order. All are equally long, but the first may have begun
    /// before the log.
    pub begins: Vec<SimTime>,
    /// Length of each interval.
    pub span: SimSpan,
    /// End of the last interval.
    pub end: SimTime,
    /// Milligrams of carbon dioxide for a kilowatt-hour in each interval; empty if they are unknown.
    pub carbon: Vec<u64>,
    /// Price of a kilowatt-hour in millionths in each interval; empty if it is unknown.
    pub price: Vec<i64>,
}

impl EnergySeries {
    /// Returns the first time and the end of the series.
    pub fn covers(&self) -> (SimTime, SimTime) {
        (self.begins.first().copied().unwrap_or(SimTime::ZERO), self.end)
    }
    /// Iterates over the intervals between two times: the index of each and the microseconds in it.
    pub fn intervals(&self, from: SimTime, until: SimTime) -> impl Iterator<Item = (usize, u64)> {
        let first = self.begins.partition_point(|begin| *begin <= from).saturating_sub(1);
        let of = move |(at, &begin): (usize, &SimTime)| {
            let end = self.begins.get(at + 1).copied().unwrap_or(self.end);
            (at, end.min(until).saturating_since(begin.max(from)).micros())
        };
        let inside = self.begins.iter().enumerate().skip(first).take_while(move |it| *it.1 < until);
        inside.map(of)
    }
    /// Sums the carbon intensities over a time, in milligrams for a kilowatt-hour times microseconds.
    fn carbon_between(&self, from: SimTime, until: SimTime) -> u128 {
        let of = |(at, span): (usize, u64)| {
            u128::from(self.carbon.get(at).copied().unwrap_or(0)) * u128::from(span)
        };
        self.intervals(from, until).map(of).sum()
    }
    /// Returns the time at which a job of a length has to start so that the mean carbon intensity while it
    /// runs is the least: the first one from `earliest` on and at most `slack` later. `None` if the
    /// intensities do not cover a run that starts at `earliest`. A start is not considered if they do not
    /// cover the run.
    #[must_use]
    pub fn greenest_start(&self, earliest: SimTime, slack: SimSpan, length: SimSpan) -> Option<SimTime> {
        let (first, end) = self.covers();
        let until = |start: SimTime| start.saturating_add(length);
        if self.carbon.is_empty() || earliest < first || until(earliest) > end {
            return None;
        }
        let latest = earliest.saturating_add(slack);
        // The mean is least where the run begins or ends with an interval, or at the limits.
        let begins = self.begins.iter().copied().chain([end]);
        let near = begins.skip_while(|begin| *begin < earliest).take_while(|begin| *begin <= until(latest));
        let near: Vec<SimTime> = near.collect();
        let ends = near.iter().filter(|begin| **begin >= until(earliest));
        let starts = ends.map(|begin| SimTime::from_micros(begin.micros() - length.micros()));
        let starts = near.iter().copied().chain(starts).chain([earliest, latest]);
        let possible = starts.filter(|&start| start <= latest && until(start) <= end);
        possible.min_by_key(|&start| (self.carbon_between(start, until(start)), start))
    }
}

/// Series as a file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedSeries {
    /// Times are seconds from the origin of the workload on.
    Relative(EnergySeries),
    /// Times are those of the calendar.
    Calendar(CalendarSeries),
}

impl ParsedSeries {
    /// Returns the series for a log whose second 0 is at this number of seconds since 1970, if that is
    /// known, and statements about what was read.
    ///
    /// # Errors
    ///
    /// Times by calendar need the start of the log, and must not all be before it.
    pub fn of_log(&self, origin: Option<i64>) -> Result<(EnergySeries, Vec<String>), String> {
        match (self, origin) {
            (ParsedSeries::Relative(series), _) => Ok((series.clone(), Vec::new())),
            (ParsedSeries::Calendar(series), Some(origin)) => series.from_origin(origin),
            (ParsedSeries::Calendar(_), None) => Err(
                "its times are those of the calendar, and the log does not say when it begins (`UnixStartTime` in its header); \
                 give it a start, or the series a column `from_s` with seconds from the origin of the log on"
                    .to_owned(),
            ),
        }
    }
}

/// Reads a series.
///
/// # Errors
///
/// Returns all errors if the file cannot be read, has invalid values, or has a gap.
pub fn read(path: &Path) -> Result<ParsedSeries, Faults> {
    let (file, text) = (path.display().to_string(), read_text(path)?);
    let first = text.lines().next().unwrap_or_default();
    let is_relative = first.split(',').any(|name| name.trim().trim_matches('"') == "from_s");
    match !is_relative && table::is_calendar(&text) {
        true => table::parse(&file, &text).map(ParsedSeries::Calendar),
        false => parse(&file, &text).map(ParsedSeries::Relative),
    }
}

/// Returns whether a text, or its start, is a series with times by calendar.
#[must_use]
pub fn is_calendar(text: &str) -> bool {
    table::has_values(text)
}

/// Parses a series in CSV; `file` is the name in messages.
///
/// # Errors
///
/// Returns the errors of all invalid lines.
pub fn parse(file: &str, text: &str) -> Result<EnergySeries, Faults> {
    let input = Input::csv(file, text);
    let mut reader = Reader::default();
    let has = |name: &str| input.columns().is_some_and(|columns| columns.iter().any(|it| it == name));
    let known = ["from_s", "g_per_kwh", "price_per_kwh"];
    let is_known = |column: &String| known.contains(&column.as_str());
    let are_known = input.columns().is_some_and(|columns| columns.iter().all(is_known));
    if !are_known || !has("from_s") || !(has("g_per_kwh") || has("price_per_kwh")) {
        reader.fault(&input.root(), table::EXPECTED);
        return reader.finish(None);
    }
    let (has_carbon, has_price) = (has("g_per_kwh"), has("price_per_kwh"));
    let mut series = EnergySeries::default();
    for at in reader.records(&input).into_iter().flatten() {
        series.add(&mut reader, &at, (has_carbon, has_price));
    }
    if series.begins.len() < 2 {
        reader.fault(&input.root(), "expected at least two lines, whose distance is that of all");
    }
    series.end = series.begins.last().map_or(SimTime::ZERO, |last| last.saturating_add(series.span));
    reader.finish(Some(series))
}

impl EnergySeries {
    /// Adds a line.
    fn add(&mut self, reader: &mut Reader, at: &Located<'_>, (has_carbon, has_price): (bool, bool)) {
        let Some(line) = reader.object(at, &["from_s", "g_per_kwh", "price_per_kwh"]) else { return };
        let from: Option<SimTime> = reader.field(&line, "from_s").and_then(|at| reader.from_text(&at));
        let mut value = |name: &str, factor: f64, least: f64, most: f64| {
            let at = reader.field(&line, name)?;
            let text = at.text().map_or_else(|| at.found(), str::to_owned);
            let value = text.trim().parse::<f64>().ok().filter(|value| (least..=most).contains(value));
            if value.is_none() {
                reader.fault(&at, format!("expected a number between {least} and {most}, found `{text}`"));
            }
            Some((value? * factor).round())
        };
        let carbon = if has_carbon { value("g_per_kwh", 1e3, 0.0, MAX_CARBON) } else { None };
        let price = if has_price { value("price_per_kwh", 1e6, MIN_PRICE, MAX_PRICE) } else { None };
        let Some(from) = from else { return };
        if let Some(&last) = self.begins.last() {
            let span = from.saturating_since(last);
            if self.begins.len() == 1 {
                self.span = span;
            }
            if span.is_zero() || span != self.span {
                let expected = last.saturating_add(self.span);
                let rises =
                    if self.span.is_zero() { "a later time".to_owned() } else { expected.to_string() };
                reader.fault(
                    at,
                    format!("from_s is {from}, expected {rises}: the lines are equally far apart"),
                );
            }
        }
        self.begins.push(from);
        self.carbon.extend(carbon.map(|carbon| carbon as u64));
        self.price.extend(price.map(|price| price as i64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_have_values_for_each_interval() {
        let text = "from_s,g_per_kwh,price_per_kwh\n0,300.5,0.25\n10,200,0.5\n20,0,1\n";
        let series = parse("ci.csv", text).unwrap();
        assert_eq!((&series.carbon[..], series.price[1]), (&[300_500, 200_000, 0][..], 500_000));
        assert_eq!(series.covers(), (SimTime::ZERO, SimTime::from_secs(30)));
        let parts = |from, until| {
            let [from, until] = [from, until].map(SimTime::from_secs);
            series.intervals(from, until).map(|(at, span)| (at, span / 1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(parts(5, 25), [(0, 5), (1, 10), (2, 5)]);
        assert_eq!((parts(10, 20), parts(12, 13)), (vec![(1, 10)], vec![(1, 1)]));
    }

    /// Intervals of 10 s with 5, 3, 3, 1 and 4 g. A run of 15 s from 10 s on is best from 20 s (3 and half
    /// of 1: 35 in g * s); with more time from 25 s (15 + 10 = 25); a run of 10 s from 30 s. What is not
    /// covered is not considered.
    #[test]
    fn the_greenest_start_begins_or_ends_with_an_interval() {
        let series = parse("ci.csv", "from_s,g_per_kwh\n0,5\n10,3\n20,3\n30,1\n40,4\n").unwrap();
        let start = |from, slack, length| {
            let [slack, length] = [slack, length].map(SimSpan::from_secs);
            series.greenest_start(SimTime::from_secs(from), slack, length).map(|it| it.micros() / 1_000_000)
        };
        assert_eq!([start(10, 10, 15), start(10, 100, 15)], [Some(20), Some(25)]);
        assert_eq!([start(0, 100, 10), start(0, 0, 10), start(0, 10, 5)], [Some(30), Some(0), Some(10)]);
        assert_eq!([start(30, 100, 20), start(40, 9, 11)], [Some(30), None]);
    }

    proptest::proptest! {
        /// Tries each second.
        #[test]
        fn no_other_start_is_greener(
            values in proptest::collection::vec(0..9_u64, 2..8), from in 0..30_u64, slack in 0..40_u64, length in 1..25_u64,
        ) {
            let lines: String = (0..).zip(&values).map(|(at, value)| format!("{},{value}\n", 5 * at)).collect();
            let series = parse("ci.csv", &format!("from_s,g_per_kwh\n{lines}")).unwrap();
            let end = 5 * values.len() as u64;
            let sum = |start: u64| (start..start + length).map(|at| values[(at / 5) as usize]).sum::<u64>();
            let best = (from..=from + slack).filter(|start| start + length <= end).min_by_key(|start| (sum(*start), *start));
            let found = series.greenest_start(SimTime::from_secs(from), SimSpan::from_secs(slack), SimSpan::from_secs(length));
            let best = best.filter(|_| from + length <= end);
            proptest::prop_assert_eq!(found, best.map(SimTime::from_secs));
        }
    }

    #[test]
    fn gaps_and_wrong_values_are_named() {
        for (text, found) in [
            ("from_s\n0\n10\n", "expected a header"),
            ("from_s,g_per_kwh,x\n0,1,2\n", "expected a header"),
            ("from_s,g_per_kwh\n0,1\n", "at least two lines"),
            ("from_s,g_per_kwh\n0,1\n10,1\n30,1\n", "ci.csv:4"),
            ("from_s,g_per_kwh\n0,1\n10,1\n10,1\n", "expected 20"),
            ("from_s,g_per_kwh\n5,1\n5,1\n", "expected a later time"),
            ("from_s,price_per_kwh\n0,1\n10,-101\n", "found `-101`"),
            ("from_s,g_per_kwh\n0,1\n10,-1\n", "found `-1`"),
            ("from_s,price_per_kwh\n0,much\n10,1\n", "found `much`"),
        ] {
            let error = parse("ci.csv", text).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
