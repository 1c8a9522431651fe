//! Rows, a line each.

use super::{bad_header, bad_line, file_name};
use crate::column::{Column, Row, RowType};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{FRAME_COLUMNS, Failure, Record, Unfinished};
use crate::study::{Journaling, OnInstance, Origin, RowFile, RowResult, RowSet, RowTexts, RunOf, Study};
use crate::text::csv as csv_text;
use csv::StringRecord;
use std::collections::BTreeMap;

/// Rows, a line each.
#[derive(Clone, Debug, PartialEq)]
pub struct Long<R> {
    /// All records, in the order of the scenario.
    pub records: Vec<Record<R>>,
}

impl<R: Row> Long<R> {
    /// The rows of runs that have one.
    pub fn ok(&self) -> impl Iterator<Item = &R> {
        self.records.iter().filter_map(|record| record.outcome.as_ref().ok())
    }
}

fn header(columns: &[Column]) -> Vec<String> {
    let own = columns.iter().map(|column| column.name);
    FRAME_COLUMNS.into_iter().chain(own).map(str::to_owned).collect()
}

fn files<R: Row>() -> Vec<RowFile> {
    let file = |each: &RowType| RowFile { name: file_name(each), header: header(each.columns) };
    R::TYPES.iter().map(file).collect()
}

fn journal_header<R: Row>() -> Vec<String> {
    let own = ["key", "place", "count", "type"].map(str::to_owned).into_iter();
    own.chain(files::<R>().into_iter().flat_map(|file| file.header.into_iter().skip(1))).collect()
}

fn known_fields<S: Study>(run: &RunOf<'_, S>) -> Vec<String> {
    run.known().map(|(_, value)| value.to_owned()).collect()
}

/// Earlier rows of [`Long`], by the key of their variant; those of journals may not be complete.
#[derive(Debug)]
pub struct EarlierRecords<R>(BTreeMap<Key, Vec<Option<Record<R>>>>);

impl<R> Default for EarlierRecords<R> {
    fn default() -> Self {
        EarlierRecords(BTreeMap::new())
    }
}

/// The most rows of one variant; a damaged count must not make room for billions.
const MAX_ROWS: usize = 100_000;

impl<R: Row> EarlierRecords<R> {
    /// Takes a record of a journal; whether it could be used.
    fn take(&mut self, fields: &[&str]) -> bool {
        let [key, place, count, row_type, rest @ ..] = fields else { return false };
        let (Ok(place), Ok(count), Ok(row_type)) = (place.parse::<usize>(), count.parse(), row_type.parse())
        else {
            return false;
        };
        if place >= count || count > MAX_ROWS {
            return false;
        }
        let line: Vec<&str> = std::iter::once(*key).chain(rest.iter().copied()).collect();
        let Some(record) = Record::<R>::read(row_type, &line) else { return false };
        let known = self.0.entry(record.key).or_default();
        if known.len() != count {
            // Most have one row: room for four would be most of the memory of a large sweep.
            *known = Vec::with_capacity(count);
            known.resize_with(count, || None);
        }
        known[place] = Some(record);
        true
    }
}

impl<S: Study> RowSet<S> for Long<S::Row> {
    const JOURNALING: Journaling = Journaling::Runs;
    type Layout = ();
    type Earlier = EarlierRecords<S::Row>;
    type Outcome = Vec<Record<S::Row>>;
    type Part = Vec<Record<S::Row>>;

    fn layout(_: &S) {}

    fn files((): &()) -> Vec<RowFile> {
        files::<S::Row>()
    }

    fn journal_header((): &()) -> Vec<String> {
        journal_header::<S::Row>()
    }

    fn journal((): &(), _: Key, outcomes: &[Self::Outcome]) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        for records in outcomes {
            for (place, record) in records.iter().enumerate() {
                let mut fields = vec![
                    record.key.to_string(),
                    place.to_string(),
                    records.len().to_string(),
                    record.row_type().to_string(),
                ];
                fields.extend(record.write().into_iter().skip(1));
                lines.push(fields);
            }
        }
        lines
    }

    fn take(
        (): &(),
        earlier: &mut Self::Earlier,
        origin: Origin,
        header: &[String],
        records: impl Iterator<Item = StringRecord>,
    ) -> usize {
        let is_own = match origin {
            Origin::Journal => header == journal_header::<S::Row>(),
            Origin::File(file) => header == files::<S::Row>()[file].header,
        };
        let mut take = |record: &StringRecord| {
            let fields: Vec<&str> = record.iter().collect();
            match origin {
                Origin::Journal => earlier.take(&fields),
                Origin::File(file) => {
                    let record = Record::<S::Row>::read(file, &fields);
                    let mut add = |record: Record<S::Row>| {
                        let known = earlier.0.entry(record.key).or_insert_with(|| Vec::with_capacity(1));
                        known.push(Some(record));
                    };
                    record.map(&mut add).is_some()
                }
            }
        };
        records.filter(|record| !is_own || !take(record)).count()
    }

    fn absorb(earlier: &mut Self::Earlier, other: Self::Earlier) {
        for (key, records) in other.0 {
            let known = earlier.0.entry(key).or_default();
            if records.iter().all(Option::is_some) || known.len() != records.len() {
                *known = records;
            } else {
                known.iter_mut().zip(records).for_each(|(known, record)| *known = record.or(known.take()));
            }
        }
    }

    fn earlier((): &(), earlier: &Self::Earlier, run: &RunOf<'_, S>) -> Option<Self::Outcome> {
        let mut records: Vec<Record<S::Row>> =
            earlier.0.get(&run.key)?.iter().cloned().collect::<Option<_>>()?;
        for record in &mut records {
            match &mut record.outcome {
                Ok(row) => run.on.study.rename(run.on.at, run.variant, row),
                Err(unfinished) => unfinished.fields = known_fields(run),
            }
        }
        Some(records)
    }

    fn outcome((): &(), run: &RunOf<'_, S>, rows: Result<Vec<S::Row>, Failure>) -> Self::Outcome {
        let key = run.key;
        match rows {
            Ok(mut rows) => {
                // In the order of the files, in which they are read again.
                rows.sort_by_key(Row::row_type);
                rows.into_iter().map(|row| Record { key, outcome: Ok(row) }).collect()
            }
            Err(failure) => {
                let row_type = run.on.study.row_type(run.variant);
                let fields = known_fields(run);
                vec![Record { key, outcome: Err(Unfinished { row_type, fields, failure }) }]
            }
        }
    }

    fn results(outcome: &Self::Outcome) -> impl Iterator<Item = RowResult<'_>> {
        outcome.iter().map(|record| {
            let (message, primary) = match &record.outcome {
                Ok(row) => {
                    let columns = S::Row::TYPES[row.row_type()].columns;
                    let primary = columns.iter().position(Column::is_primary);
                    ("", primary.and_then(|place| row.number(place)))
                }
                Err(unfinished) => (unfinished.failure.message.as_str(), None),
            };
            RowResult { status: record.status(), message, primary }
        })
    }

    fn foreign(earlier: &Self::Earlier, is_known: &dyn Fn(Key) -> bool) -> usize {
        earlier.0.iter().filter(|(key, _)| !is_known(**key)).map(|(_, records)| records.len()).sum()
    }

    fn part((): &(), _: &OnInstance<'_, S>, outcomes: Vec<Self::Outcome>) -> Self::Part {
        outcomes.into_iter().flatten().collect()
    }

    fn from_parts((): (), parts: Vec<Self::Part>) -> Self {
        Long { records: parts.into_iter().flatten().collect() }
    }

    fn write(&self) -> Vec<String> {
        let mut texts: Vec<String> =
            files::<S::Row>().into_iter().map(|file| csv_text::line(&file.header)).collect();
        for record in &self.records {
            texts[record.row_type()] += &csv_text::line(&record.write());
        }
        texts
    }

    fn read(files: &RowTexts) -> Result<Self, String> {
        let mut records = Vec::new();
        for (place, row_type) in S::Row::TYPES.iter().enumerate() {
            let name = file_name(row_type);
            let Some(text) = files.get(&name) else { continue };
            for (number, line) in csv_text::records(text).enumerate().skip(1) {
                let fields: Vec<&str> = line.iter().collect();
                records.push(Record::read(place, &fields).ok_or_else(|| bad_line(&name, number + 1))?);
            }
        }
        Ok(Long { records })
    }

    fn frames(files: &RowTexts) -> Result<Vec<DataFrame>, String> {
        let mut frames: Vec<DataFrame> = S::Row::TYPES.iter().map(DataFrame::new).collect();
        for frame in &mut frames {
            let name = file_name(frame.row_type);
            let Some(text) = files.get(&name) else { continue };
            let mut lines = csv_text::records(text).enumerate();
            if !lines.next().is_some_and(|(_, found)| found.iter().eq(header(frame.columns()))) {
                return Err(bad_header(&name));
            }
            for (number, line) in lines {
                let fields = || line.iter().skip(FRAME_COLUMNS.len());
                let status = line.get(1).and_then(|status| status.parse().ok());
                let outcome = status.zip(line.get(2));
                if !outcome.is_some_and(|(status, message)| frame.push(status, message, fields())) {
                    return Err(bad_line(&name, number + 1));
                }
            }
        }
        Ok(frames)
    }
}
