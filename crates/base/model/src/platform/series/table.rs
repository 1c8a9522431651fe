//! Reader of series with times by calendar.

use super::calendar::{self, ClockTime, Zone, format_utc};
use super::columns::{self, Columns, ValueColumn};
use super::{EnergySeries, MAX_CARBON, MAX_PRICE, MIN_PRICE};
use crate::{SimSpan, SimTime};
use dfrsim_input::{Fault, Faults};

/// Number of lines among which that of the names is looked for.
const HEADER_LINES: usize = 5;
/// Number of names in a note.
const SHOWN: usize = 8;

/// Series with times by calendar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalendarSeries {
    /// Starts of the intervals in seconds since 1970, in ascending order and equally far apart.
    begins: Vec<i64>,
    carbon: Vec<u64>,
    price: Vec<i64>,
    /// Statements about the columns that were read and their units.
    notes: Vec<String>,
}

/// Values of a line: milligrams and millionths for a kilowatt-hour.
type Values = (Option<u64>, Option<i64>);

/// Cells of a line, and its number.
struct Line {
    number: usize,
    cells: Vec<String>,
}

/// Splits a line into cells; a cell in quotes may have delimiters.
fn cells(line: &str, delimiter: char) -> Vec<String> {
    let (mut all, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if letter == delimiter && !is_quoted => all.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    all.push(cell);
    // Spreadsheets put a line that they did not split into quotes, with its own quotes doubled.
    if let ([_], Some(inner)) = (&all[..], line.trim().strip_prefix('"').and_then(|it| it.strip_suffix('"')))
        && inner.contains("\"\"")
    {
        return cells(&inner.replace("\"\"", "\""), delimiter);
    }
    all.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Splits a text into lines with cells, without empty ones.
fn lines(text: &str) -> (Vec<Line>, char) {
    let text = text.trim_start_matches('\u{feff}');
    let start: String = text.lines().take(HEADER_LINES).collect();
    let count = |delimiter: &char| start.matches(*delimiter).count();
    let delimiter = ['\t', ';', ','].into_iter().max_by_key(count).unwrap_or(',');
    let full = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    (full.map(|(line, number)| Line { number, cells: cells(line, delimiter) }).collect(), delimiter)
}

/// Finds the line of the names, with a line of units below it added to them; returns the columns and the
/// place of the first line of values.
fn header(lines: &[Line]) -> Option<(Columns, usize)> {
    let at = lines.iter().take(HEADER_LINES).position(|line| columns::is_header(&line.cells))?;
    let mut names = lines[at].cells.clone();
    let below = lines.get(at + 1);
    let time = Columns::of(names.clone())?.time;
    let is_unit = below.is_some_and(|line| line.cells.get(time).is_none_or(String::is_empty));
    if let Some(units) = below.filter(|_| is_unit) {
        for (name, unit) in names.iter_mut().zip(&units.cells).filter(|(_, unit)| !unit.is_empty()) {
            name.push(' ');
            name.push_str(unit);
        }
    }
    Some((Columns::of(names)?, at + 1 + usize::from(is_unit)))
}

/// Returns whether a file has times by calendar.
pub(super) fn is_calendar(text: &str) -> bool {
    header(&lines(text).0).is_some()
}

/// Returns whether a file has times by calendar with carbon intensities or prices.
pub(super) fn has_values(text: &str) -> bool {
    header(&lines(text).0).is_some_and(|(columns, _)| columns.carbon.is_some() || columns.price.is_some())
}

/// Returns whether a cell stands for no value.
fn is_empty(cell: &str) -> bool {
    matches!(cell.to_ascii_lowercase().as_str(), "" | "-" | "n/a" | "n/e" | "nan" | "null" | "none")
}

/// Reader of the lines of a file.
struct TableReader<'a> {
    file: &'a str,
    columns: Columns,
    has_decimal_comma: bool,
    faults: Vec<Fault>,
    series: CalendarSeries,
    span: i64,
    /// Lines of other auctions, of hours that clocks skip, and of hours that they show twice.
    others: usize,
    skipped: usize,
    twice: usize,
    /// Lines without values at the end.
    without_end: usize,
    area: Option<String>,
}

/// Parses a series; `file` is the name in messages.
///
/// # Errors
///
/// Returns the errors of all invalid lines.
pub(super) fn parse(file: &str, text: &str) -> Result<CalendarSeries, Faults> {
    let (lines, delimiter) = lines(text);
    let Some((columns, first)) = header(&lines) else {
        return Err(Fault::of_file(file, EXPECTED).into());
    };
    if columns.carbon.is_none() && columns.price.is_none() {
        let others = columns.names.iter().enumerate().filter(|(at, _)| *at != columns.time);
        let names: Vec<String> = others.map(|(_, name)| format!("`{name}`")).collect();
        let reason = format!(
            "expected a column of carbon intensities or of prices that names its unit, such as `carbon_g_per_kwh` or `price_eur_per_mwh`; found {}",
            names.join(", ")
        );
        let line = lines.get(first.saturating_sub(1)).map(|line| line.number);
        return Err(Fault { line, ..Fault::of_file(file, reason) }.into());
    }
    // An export of a year that has not ended has lines without values at its end.
    let places: Vec<usize> = columns.carbon.iter().chain(&columns.price).map(|it| it.place).collect();
    let has_value =
        |line: &Line| places.iter().any(|at| line.cells.get(*at).is_some_and(|cell| !is_empty(cell)));
    let end = lines.iter().rposition(has_value).map_or(lines.len(), |last| last + 1).max(first);
    let without_end = lines.len() - end;
    let lines = &lines[..end];
    let sequence = columns.sequence.and_then(|at| chosen_sequence(&lines[first..], at));
    let mut reader = TableReader {
        file,
        columns,
        has_decimal_comma: delimiter != ',',
        faults: Vec::new(),
        series: CalendarSeries::default(),
        span: 0,
        others: 0,
        skipped: 0,
        twice: 0,
        without_end: 0,
        area: None,
    };
    for line in &lines[first..] {
        let of_line = reader.columns.sequence.and_then(|at| line.cells.get(at));
        if sequence.as_ref().is_some_and(|chosen| of_line.is_some_and(|it| it != chosen)) {
            reader.others += 1;
            continue;
        }
        reader.read(line);
    }
    reader.without_end = without_end;
    reader.finish(sequence)
}

/// Description of what a file should have.
pub(super) const EXPECTED: &str = "expected a header with from_s and at least one of g_per_kwh and price_per_kwh, \
     or a column of times such as `Datetime (UTC)` with one of carbon intensities or prices";

/// Chooses among the auctions of a file: the first one by name, which is the day-ahead auction of ENTSO-E.
fn chosen_sequence(lines: &[Line], at: usize) -> Option<String> {
    lines.iter().filter_map(|line| line.cells.get(at)).filter(|it| !it.is_empty()).min().cloned()
}

impl TableReader<'_> {
    fn fault(&mut self, line: &Line, reason: String) {
        self.faults.push(Fault { line: Some(line.number), ..Fault::of_file(self.file, reason) });
    }

    /// Reads a line.
    fn read(&mut self, line: &Line) {
        let Some(values) = self.values(line) else { return };
        let Some(begin) = self.begin(line, values) else { return };
        if !self.check_area(line) {
            return;
        }
        let (Some(carbon), Some(price)) = (
            self.columns.carbon.as_ref().map_or(Some(None), |_| values.0.map(Some)),
            self.columns.price.as_ref().map_or(Some(None), |_| values.1.map(Some)),
        ) else {
            return self.fault(line, format!("expected a value at {}, found none", format_utc(begin)));
        };
        if let Some(&last) = self.series.begins.last() {
            if self.series.begins.len() == 1 {
                self.span = begin - last;
            }
            if begin - last != self.span || self.span <= 0 {
                let expected = match self.span {
                    ..=0 => "a later time".to_owned(),
                    span => format_utc(last + span),
                };
                let found = format_utc(begin);
                self.fault(
                    line,
                    format!("the time is {found}, expected {expected}: the lines are equally far apart"),
                );
            }
        }
        self.series.begins.push(begin);
        self.series.carbon.extend(carbon);
        self.series.price.extend(price);
    }

    /// Reads the values of a line; `None` if one of them is invalid.
    fn values(&mut self, line: &Line) -> Option<Values> {
        let (carbon, price) = (self.columns.carbon.clone(), self.columns.price.clone());
        let carbon = match carbon {
            Some(column) => self.value(line, &column, (0.0, MAX_CARBON))?,
            None => None,
        };
        let price = match price {
            Some(column) => self.value(line, &column, (MIN_PRICE, MAX_PRICE))?,
            None => None,
        };
        Some((carbon.map(|it| (it * 1e3).round() as u64), price.map(|it| (it * 1e6).round() as i64)))
    }

    /// Reads a value for a kilowatt-hour; `Some(None)` if the cell is empty.
    fn value(&mut self, line: &Line, column: &ValueColumn, (least, most): (f64, f64)) -> Option<Option<f64>> {
        let cell = line.cells.get(column.place).map_or("", String::as_str);
        if is_empty(cell) {
            return Some(None);
        }
        let plain = match self.has_decimal_comma && cell.contains(',') {
            true => cell.replace('.', "").replace(',', "."),
            false => cell.to_owned(),
        };
        let value = plain.parse::<f64>().ok().map(|value| value * column.factor);
        let value = value.filter(|value| (least..=most).contains(value));
        if value.is_none() {
            let (least, most, unit) = (least / column.factor, most / column.factor, &column.unit);
            self.fault(
                line,
                format!("expected a number of {unit} between {least:.0} and {most:.0}, found `{cell}`"),
            );
        }
        value.map(Some)
    }

    /// Reads the time of a line; `None` if it is invalid, or if clocks skip it and it has no values.
    fn begin(&mut self, line: &Line, values: Values) -> Option<i64> {
        let cell = line.cells.get(self.columns.time).map_or("", String::as_str);
        let Some(time) = calendar::parse(cell) else {
            self.fault(line, format!("expected a time such as 2024-01-01T00:00Z, found `{cell}`"));
            return None;
        };
        let ClockTime { mut seconds, offset, is_date } = time;
        if let Some(at) = self.columns.hour.filter(|_| is_date) {
            let cell = line.cells.get(at).map_or("", String::as_str);
            match calendar::time_of_day(cell) {
                Some(of_day) => seconds += of_day,
                None => {
                    self.fault(line, format!("expected a time of day such as 13:00, found `{cell}`"));
                    return None;
                }
            }
        }
        if let Some(offset) = offset {
            return Some(seconds - offset);
        }
        let zone = self.columns.zone.unwrap_or(Zone::Fixed(0));
        let expected = self.series.begins.last().map(|last| last + self.span);
        self.twice += usize::from(zone.is_twice(seconds));
        let begin = zone.resolve(seconds, expected);
        match begin {
            Some(_) => {}
            None if values == (None, None) => self.skipped += 1,
            None => {
                self.fault(line, format!("there is no time `{cell}`: clocks skip this hour for summer time"));
            }
        }
        begin
    }

    /// Checks that all lines are of the same area.
    fn check_area(&mut self, line: &Line) -> bool {
        let Some(area) = self.columns.area.and_then(|at| line.cells.get(at)).cloned() else { return true };
        let first = self.area.get_or_insert_with(|| area.clone()).clone();
        let is_same = first == area;
        if !is_same {
            self.fault(line, format!("expected lines of one area, found those of {first} and {area}"));
        }
        is_same
    }

    fn finish(mut self, sequence: Option<String>) -> Result<CalendarSeries, Faults> {
        if self.faults.is_empty() && self.series.begins.len() < 2 {
            let reason = "expected at least two lines, whose distance is that of all";
            self.faults.push(Fault::of_file(self.file, reason));
        }
        if !self.faults.is_empty() {
            return Err(Faults(self.faults));
        }
        let Columns { names, time, hour, zone, carbon, price, .. } = &self.columns;
        let value = |(column, unit): (&ValueColumn, &str)| {
            let from = match (column.is_assumed, column.unit == unit) {
                (true, _) => format!("assumed to be {}", column.unit),
                (false, true) => return format!("`{}` as {unit}", names[column.place]),
                (false, false) => format!("converted from {}", column.unit),
            };
            format!("`{}` as {unit} ({from})", names[column.place])
        };
        let per_kwh = price.as_ref().map_or(String::new(), |it| {
            format!("{}/kWh", it.unit.split(['/', ' ']).next().unwrap_or_default())
        });
        let read = carbon.iter().map(|it| (it, "g/kWh")).chain(price.iter().map(|it| (it, per_kwh.as_str())));
        let read: Vec<String> = read.map(value).collect();
        let zone = match zone {
            Some(Zone::Cet) => ", Central European Time",
            Some(Zone::Fixed(0)) => ", UTC",
            Some(Zone::Fixed(_)) => "",
            None => ", UTC unless they have an offset",
        };
        let used: Vec<usize> =
            [Some(*time), carbon.as_ref().map(|it| it.place), price.as_ref().map(|it| it.place)]
                .into_iter()
                .flatten()
                .collect();
        let is_unused = |at: &usize| !used.contains(at) && *hour != Some(*at) && !names[*at].is_empty();
        let unused: Vec<&str> = (0..names.len()).filter(is_unused).map(|at| names[at].as_str()).collect();
        let more = unused.len().saturating_sub(SHOWN);
        let unused = match (unused.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!("; not used: {}", unused.join(", ")),
            _ => format!("; not used: {} and {more} more", unused[..SHOWN].join(", ")),
        };
        let mut notes =
            vec![format!("read times from `{}`{zone}, and {}{unused}", names[*time], read.join(" and "))];
        if self.others > 0 {
            let chosen = sequence.unwrap_or_default();
            notes.push(format!(
                "lines of auctions other than `{chosen}`, which are not used: {}",
                self.others
            ));
        }
        if self.skipped > 0 {
            notes.push(format!("lines without a value of hours that clocks skip: {}", self.skipped));
        }
        if self.without_end > 0 {
            notes.push(format!(
                "lines without a value at the end, before which the series ends: {}",
                self.without_end
            ));
        }
        if self.twice > 0 {
            notes
                .push(format!("lines of hours that clocks show twice, taken in their order: {}", self.twice));
        }
        self.series.notes = notes;
        Ok(self.series)
    }
}

impl CalendarSeries {
    /// Returns the series with times from the origin of a log on, which is at this number of seconds since
    /// 1970, and statements about what was read. Intervals that end before the origin are left out.
    ///
    /// # Errors
    ///
    /// The series ends before the log begins.
    pub fn from_origin(&self, origin: i64) -> Result<(EnergySeries, Vec<String>), String> {
        let CalendarSeries { begins, carbon, price, notes } = self;
        let span = begins.get(1).zip(begins.first()).map_or(0, |(second, first)| second - first);
        let left_out = begins.partition_point(|begin| begin + span <= origin);
        if left_out == begins.len() {
            let end = begins.last().map_or(origin, |last| last + span);
            return Err(format!(
                "the series ends at {}, before the log begins at {}",
                format_utc(end),
                format_utc(origin)
            ));
        }
        let time = |begin: &i64| SimTime::from_secs(u64::try_from(begin - origin).unwrap_or(0));
        let mut notes = notes.clone();
        notes.push(format!("second 0 of the log is at {}", format_utc(origin)));
        if left_out > 0 {
            notes.push(format!("lines before that, which are not used: {left_out}"));
        }
        let series = EnergySeries {
            begins: begins[left_out..].iter().map(time).collect(),
            span: SimSpan::from_secs(u64::try_from(span).unwrap_or(0)),
            end: begins.last().map_or(SimTime::ZERO, |last| time(&(last + span))),
            carbon: carbon.get(left_out..).unwrap_or_default().to_vec(),
            price: price.get(left_out..).unwrap_or_default().to_vec(),
        };
        Ok((series, notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<CalendarSeries, String> {
        parse("x.csv", text).map_err(|error| error.to_string())
    }

    /// Values are milligrams, or millionths of money, for a kilowatt-hour.
    #[test]
    fn files_of_all_sources_are_read() {
        let maps = "Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),Carbon Intensity gCO₂eq/kWh (LCA),Data Source\n\
             2023-01-01 00:00:00,Utopia,Utopia,UT,312.5,350.1,example\n2023-01-01 01:00:00,Utopia,Utopia,UT,300,340,example\n";
        let series = of(maps).unwrap();
        assert_eq!((&series.carbon[..], series.begins[0]), (&[312_500, 300_000][..], 1_672_531_200));
        assert_eq!(
            series.notes,
            ["read times from `Datetime (UTC)`, UTC, and `Carbon Intensity gCO₂eq/kWh (direct)` as g/kWh; \
              not used: Country, Zone Name, Zone Id, Carbon Intensity gCO₂eq/kWh (LCA), Data Source"]
        );
        let british = "\u{feff}Datetime (UTC),Actual Carbon Intensity (gCO2/kWh),Forecast Carbon Intensity (gCO2/kWh),Index\r\n\
             2018-05-10T23:30Z,211,212,moderate\r\n2018-05-11T00:00Z,205,204,moderate\r\n";
        assert_eq!(of(british).unwrap().carbon, [211_000, 205_000]);
        let auction = "\"MTU (CET/CEST)\",\"Area\",\"Sequence\",\"Day-ahead Price (EUR/MWh)\",\"Intraday Price (EUR/MWh)\"\n\
             \"01/01/2024 00:00:00 - 01/01/2024 01:00:00\",\"BZN|UT\",\"Sequence 1\",\"-0.5\",\"\"\n\
             \"01/01/2024 00:00:00 - 01/01/2024 00:15:00\",\"BZN|UT\",\"Sequence 2\",\"7\",\"\"\n\
             \"01/01/2024 01:00:00 - 01/01/2024 02:00:00\",\"BZN|UT\",\"Sequence 1\",\"80.25\",\"\"\n";
        let series = of(auction).unwrap();
        assert_eq!((&series.price[..], series.begins[0]), (&[-500, 80_250][..], 1_704_063_600));
        assert!(
            series.notes[0].contains(
                "Central European Time, and `Day-ahead Price (EUR/MWh)` as EUR/kWh (converted from EUR/MWh)"
            ),
            "{:?}",
            series.notes
        );
        assert_eq!(series.notes[1], "lines of auctions other than `Sequence 1`, which are not used: 1");
        let chart = "\"Date (GMT+1)\",\"Load\",\"Day Ahead Auction (UT)\"\n\"\",\"Power (MW)\",\"Price (EUR/MWh, EUR/tCO2)\"\n\
             2023-01-01T00:00+01:00,100,-5.17\n2023-01-01T01:00+01:00,101,1\n";
        let series = of(chart).unwrap();
        assert_eq!((&series.price[..], series.begins[0]), (&[-5_170, 1_000][..], 1_672_527_600));
        let quoted: String = "MTU (CET/CEST),\"Day-ahead Price [EUR/MWh]\",\"BZN|UT\"\n01.01.2022 00:00 - 01.01.2022 01:00,\"61.84\",\"\"\n01.01.2022 01:00 - 01.01.2022 02:00,\"7\",\"\"\n"
            .lines()
            .map(|line| format!("\"{}\"\r\n", line.replace('"', "\"\"")))
            .collect();
        assert_eq!(of(&quoted).unwrap().price, [61_840, 7_000]);
        let unended = of(
            "datetime,ci\n2024-01-01 00:00,5\n2024-01-01 01:00,6\n2024-01-01 02:00,\n2024-01-01 03:00,-\n",
        )
        .unwrap();
        assert_eq!(unended.carbon, [5_000, 6_000]);
        assert_eq!(unended.notes[1], "lines without a value at the end, before which the series ends: 2");
        let titled = format!("Prices of Utopia,,\n{chart}");
        assert_eq!(of(&titled).unwrap().price, series.price);
        let marginal = "timestamp,MOER,MOER version\n2019-01-01T00:00:00+00:00,1000,3.0\n2019-01-01T00:05:00+00:00,0,3.0\n";
        let series = of(marginal).unwrap();
        assert_eq!(series.carbon, [453_592, 0]);
        assert!(series.notes[0].contains("`MOER` as g/kWh (assumed to be lb/MWh)"), "{:?}", series.notes);
        let german = "Datum von;Datum bis;Utopia [€/MWh] Originalauflösungen\n01.06.2023 00:00;01.06.2023 01:00;1.099,02\n01.06.2023 01:00;01.06.2023 02:00;98,30\n";
        let series = of(german).unwrap();
        assert_eq!((&series.price[..], series.begins[0]), (&[1_099_020, 98_300][..], 1_685_570_400));
        let plain = "date,hour,ci\n2024-01-01,00:00,61.36\n2024-01-01,01:00,59.98\n";
        assert_eq!(of(plain).unwrap().begins, [1_704_067_200, 1_704_070_800]);
    }

    /// Clocks skip the hour from 02:00 on of 31 March 2024, and show that of 27 October 2024 twice.
    #[test]
    fn local_times_are_resolved_or_refused() {
        let of_hours = |day: &str, hours: &[&str]| {
            let line = |hour: &&str| format!("{day}/2024 {hour},5\n");
            of(&format!(
                "MTU (CET/CEST),Day-ahead Price [EUR/MWh]\n{}",
                hours.iter().map(line).collect::<String>()
            ))
        };
        let spring = of_hours("31/03", &["00:00", "01:00", "03:00", "04:00"]).unwrap();
        assert_eq!(spring.begins.len(), 4);
        let error = of_hours("31/03", &["00:00", "01:00", "02:00", "03:00"]).unwrap_err();
        assert!(
            error.contains("x.csv:4: there is no time `31/03/2024 02:00`: clocks skip this hour"),
            "{error}"
        );
        let empty = "MTU (CET/CEST),Day-ahead Price [EUR/MWh]\n31/03/2024 01:00,5\n31/03/2024 02:00,-\n31/03/2024 03:00,5\n";
        assert!(of(empty).unwrap().notes[1].contains("hours that clocks skip: 1"));
        let autumn = of_hours("27/10", &["01:00", "02:00", "02:00", "03:00"]).unwrap();
        assert_eq!(autumn.begins.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>(), [3_600; 3]);
        assert!(autumn.notes[1].contains("show twice, taken in their order: 2"), "{:?}", autumn.notes);
        let error = of_hours("27/10", &["00:00", "01:00", "02:00", "03:00"]).unwrap_err();
        assert!(
            error.contains("x.csv:5: the time is 2024-10-27T02:00Z, expected 2024-10-27T01:00Z"),
            "{error}"
        );
        let marked = of_hours("27/10", &["02:00:00 (CEST)", "02:00:00 (CET)", "03:00:00"]).unwrap();
        assert_eq!(marked.begins[1] - marked.begins[0], 3_600);
    }

    #[test]
    fn gaps_and_other_faults_are_named() {
        for (text, found) in [
            ("a,b\n1,2\n", "expected a header with from_s"),
            (
                "datetime,price\n2024-01-01,5\n",
                "x.csv:1: expected a column of carbon intensities or of prices that names its unit, such as `carbon_g_per_kwh` or `price_eur_per_mwh`; found `price`",
            ),
            ("datetime,ci\n2024-01-01 00:00,5\n", "expected at least two lines"),
            (
                "datetime,ci\n2024-01-01 00:00,5\n2024-01-01 01:00,5\n2024-01-01 03:00,5\n",
                "x.csv:4: the time is 2024-01-01T03:00Z, expected 2024-01-01T02:00Z",
            ),
            ("datetime,ci\n2024-01-01 00:00,5\n2024-01-01 00:00,5\n", "expected a later time"),
            (
                "datetime,ci\n2024-01-01 00:00,5\n2024-01-01 01:00,\n2024-01-01 02:00,5\n",
                "x.csv:3: expected a value at 2024-01-01T01:00Z, found none",
            ),
            (
                "datetime,ci\n2024-01-01 00:00,much\n",
                "expected a number of g/kWh between 0 and 100000, found `much`",
            ),
            (
                "datetime,price_eur_mwh\n2024-01-01 00:00,-1e9\n",
                "expected a number of EUR/MWh between -100000 and 100000",
            ),
            ("datetime,ci\nyesterday,5\n", "expected a time such as 2024-01-01T00:00Z, found `yesterday`"),
            (
                "datetime,zone_name,ci\n2024-01-01 00:00,DE,5\n2024-01-01 00:00,FR,5\n",
                "expected lines of one area, found those of DE and FR",
            ),
            ("date,hour,ci\n2024-01-01,noon,5\n", "expected a time of day such as 13:00, found `noon`"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(found), "{error}");
        }
    }

    /// The log begins a quarter of an hour into the second interval.
    #[test]
    fn times_are_relative_to_the_log() {
        let series = of("datetime,ci\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n2024-01-01 02:00,3\n").unwrap();
        let (found, notes) = series.from_origin(1_704_067_200 + 4_500).unwrap();
        assert_eq!(
            (found.begins, found.carbon),
            (vec![SimTime::ZERO, SimTime::from_secs(2_700)], vec![2_000, 3_000])
        );
        assert_eq!(found.end, SimTime::from_secs(6_300));
        assert_eq!(
            notes[1..],
            ["second 0 of the log is at 2024-01-01T01:15Z", "lines before that, which are not used: 1"]
        );
        let error = series.from_origin(1_704_078_000).unwrap_err();
        assert_eq!(error, "the series ends at 2024-01-01T03:00Z, before the log begins at 2024-01-01T03:00Z");
        let later = series.from_origin(1_704_067_100).unwrap().0;
        assert_eq!(later.begins[0], SimTime::from_secs(100));
    }
}
