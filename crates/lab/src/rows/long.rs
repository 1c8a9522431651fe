//! Long layout: one row per line.

use super::{bad_header, bad_line, file_name};
use crate::column::{AnyRow, Column, ReadRow, Row, RowType, read_row};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{AnyRecord, FRAME_COLUMNS, Record, Unfinished};
use crate::study::{
    InstanceContext, InstanceRows, Journaling, Origin, Outcome, RowFile, RowResult, RowSet, RowStore,
    RowTexts, RunIdentity, RunRows, VariantColumns,
};
use crate::text::csv as csv_text;
use csv::StringRecord;
use rustc_hash::FxHashMap;
use std::any::Any;

/// Rows in long layout: one row per line.
#[derive(Clone, Debug, PartialEq)]
pub struct Long<R> {
    /// All records, in the order of the scenario.
    pub records: Vec<Record<R>>,
}

impl<R: Row> Long<R> {
    /// Iterates over the rows of successful runs.
    pub fn ok(&self) -> impl Iterator<Item = &R> {
        self.records.iter().filter_map(|record| record.outcome.as_ref().ok())
    }
    /// Iterates over the rows of type `T`, one of the structures of columns.
    pub fn of<T: Any>(&self) -> impl Iterator<Item = &T> {
        self.ok().filter_map(|row| row.columns().downcast_ref())
    }
}

fn header(columns: &[Column]) -> Vec<String> {
    let own = columns.iter().map(|column| column.name);
    FRAME_COLUMNS.into_iter().chain(own).map(str::to_owned).collect()
}

fn known_fields(run: &RunIdentity<'_>) -> Vec<String> {
    run.known().map(|(_, value)| value.to_owned()).collect()
}

/// Earlier records by the key of their variant. Records from journals may be incomplete, hence
/// `None` for missing rows.
type RecordsByKey = FxHashMap<Key, Vec<Option<AnyRecord>>>;

/// Concrete type of outcomes and of the rows of instances.
type Records = Vec<AnyRecord>;

/// Largest number of rows of one variant; prevents a damaged count from allocating memory for
/// billions of rows.
const MAX_ROWS: usize = 100_000;

/// Store for rows of any type in long layout.
struct LongRowStore {
    row_types: &'static [RowType],
    read_row: ReadRow,
    earlier: RecordsByKey,
    loaded: RecordsByKey,
}

fn records(outcome: &Outcome) -> &Records {
    outcome.downcast_ref().expect("an outcome in long layout")
}

fn of_instance(part: &InstanceRows) -> &Records {
    part.downcast_ref().expect("rows of an instance in long layout")
}

impl LongRowStore {
    fn read(&self, row_type: usize, fields: &[&str]) -> Option<AnyRecord> {
        AnyRecord::read(self.row_types, self.read_row, row_type, fields)
    }
    /// Loads a record of a row file; returns whether it is valid.
    fn load_row(&mut self, file: usize, fields: &[&str]) -> bool {
        let Some(record) = self.read(file, fields) else { return false };
        self.loaded.entry(record.key).or_insert_with(|| Vec::with_capacity(1)).push(Some(record));
        true
    }
    /// Loads a record of a journal; returns whether it is valid.
    fn load_journaled(&mut self, fields: &[&str]) -> bool {
        let [key, place, count, row_type, rest @ ..] = fields else { return false };
        let (Ok(place), Ok(count), Ok(row_type)) = (place.parse::<usize>(), count.parse(), row_type.parse())
        else {
            return false;
        };
        if place >= count || count > MAX_ROWS {
            return false;
        }
        let line: Vec<&str> = std::iter::once(*key).chain(rest.iter().copied()).collect();
        let Some(record) = self.read(row_type, &line) else { return false };
        let known = self.loaded.entry(record.key).or_default();
        if known.len() != count {
            // Most variants have one row; the default capacity of four would take most of the memory
            // of a large sweep.
            *known = Vec::with_capacity(count);
            known.resize_with(count, || None);
        }
        known[place] = Some(record);
        true
    }
}

impl RowStore for LongRowStore {
    fn journaling(&self) -> Journaling {
        Journaling::Runs
    }

    fn files(&self) -> Vec<RowFile> {
        let file = |each: &RowType| RowFile { name: file_name(each), header: header(each.columns) };
        self.row_types.iter().map(file).collect()
    }

    fn journal_header(&self) -> Vec<String> {
        let own = ["key", "place", "count", "type"].map(str::to_owned).into_iter();
        own.chain(self.files().into_iter().flat_map(|file| file.header.into_iter().skip(1))).collect()
    }

    fn journal(&self, _: Key, outcomes: &[Outcome]) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        for records in outcomes.iter().map(records) {
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

    fn load(
        &mut self,
        origin: Origin,
        header: &[String],
        records: &mut dyn Iterator<Item = StringRecord>,
    ) -> usize {
        let is_own = match origin {
            Origin::Journal => header == self.journal_header(),
            Origin::File(file) => header == self.files()[file].header,
        };
        let mut take = |record: &StringRecord| {
            let fields: Vec<&str> = record.iter().collect();
            match origin {
                Origin::Journal => self.load_journaled(&fields),
                Origin::File(file) => self.load_row(file, &fields),
            }
        };
        records.filter(|record| !is_own || !take(record)).count()
    }

    fn commit(&mut self, is_usable: bool) {
        for (key, records) in std::mem::take(&mut self.loaded).into_iter().filter(|_| is_usable) {
            let known = self.earlier.entry(key).or_default();
            if records.iter().all(Option::is_some) || known.len() != records.len() {
                *known = records;
            } else {
                known.iter_mut().zip(records).for_each(|(known, record)| *known = record.or(known.take()));
            }
        }
    }

    fn earlier(&self, run: &RunIdentity<'_>) -> Option<Outcome> {
        let known = self.earlier.get(&run.key)?.iter();
        let mut records: Records =
            known.map(|record| record.as_ref().map(AnyRecord::copy)).collect::<Option<_>>()?;
        for record in &mut records {
            match &mut record.outcome {
                Ok(row) => run.set_known(row.as_mut(), self.row_types),
                Err(unfinished) => unfinished.fields = known_fields(run),
            }
        }
        Some(Box::new(records))
    }

    fn outcome(&self, run: &RunIdentity<'_>, rows: RunRows) -> Outcome {
        let key = run.key;
        let records: Records = match rows {
            Ok(mut rows) => {
                // Rows must have the order of the files, as they are read back from them.
                rows.sort_by_key(|row| row.row_type());
                rows.iter_mut().for_each(|row| run.set_known(row.as_mut(), self.row_types));
                rows.into_iter().map(|row| Record { key, outcome: Ok(row) }).collect()
            }
            Err(failure) => {
                let unfinished = Unfinished { row_type: run.row_type, fields: known_fields(run), failure };
                vec![Record { key, outcome: Err(unfinished) }]
            }
        };
        Box::new(records)
    }

    fn results<'a>(&self, outcome: &'a Outcome) -> Vec<RowResult<'a>> {
        let result = |record: &'a AnyRecord| {
            let (message, primary) = match &record.outcome {
                Ok(row) => {
                    let columns = self.row_types[row.row_type()].columns;
                    let primary = columns.iter().position(Column::is_primary);
                    ("", primary.and_then(|place| row.number(place)))
                }
                Err(unfinished) => (unfinished.failure.message.as_str(), None),
            };
            RowResult { status: record.status(), message, primary }
        };
        records(outcome).iter().map(result).collect()
    }

    fn part(&self, _: &InstanceContext<'_>, outcomes: Vec<Outcome>) -> InstanceRows {
        let records = |outcome: Outcome| *outcome.downcast::<Records>().expect("an outcome in long layout");
        Box::new(outcomes.into_iter().flat_map(records).collect::<Records>())
    }

    fn drop_earlier(&mut self, is_known: &dyn Fn(Key) -> bool) -> usize {
        let earlier = std::mem::take(&mut self.earlier);
        earlier.iter().filter(|(key, _)| !is_known(**key)).map(|(_, records)| records.len()).sum()
    }

    fn write(&self, parts: &[InstanceRows]) -> Vec<String> {
        let mut texts: Vec<String> =
            self.files().into_iter().map(|file| csv_text::line(&file.header)).collect();
        for record in parts.iter().flat_map(of_instance) {
            texts[record.row_type()] += &csv_text::line(&record.write());
        }
        texts
    }
}

impl<R: Row> RowSet for Long<R> {
    type Row = R;

    fn store(_: &dyn Fn() -> Vec<VariantColumns>) -> Box<dyn RowStore> {
        let (earlier, taken) = (RecordsByKey::default(), RecordsByKey::default());
        Box::new(LongRowStore { row_types: R::TYPES, read_row: read_row::<R>, earlier, loaded: taken })
    }

    fn from_parts(_: Box<dyn RowStore>, parts: Vec<InstanceRows>) -> Self {
        let records =
            |part: InstanceRows| *part.downcast::<Records>().expect("rows of an instance in long layout");
        Long { records: parts.into_iter().flat_map(records).map(typed).collect() }
    }

    fn read(files: &RowTexts) -> Result<Self, String> {
        let records = read(R::TYPES, read_row::<R>, files)?;
        Ok(Long { records: records.into_iter().map(typed).collect() })
    }

    fn frames(files: &RowTexts) -> Result<Vec<DataFrame>, String> {
        frames(R::TYPES, files)
    }
}

/// Downcasts a record to the row type of its study.
fn typed<R: Row>(record: AnyRecord) -> Record<R> {
    let row = |row: Box<dyn AnyRow>| {
        let row: Box<dyn Any> = row;
        *row.downcast().expect("a row of this study")
    };
    Record { key: record.key, outcome: record.outcome.map(row) }
}

fn read(row_types: &[RowType], read_row: ReadRow, files: &RowTexts) -> Result<Records, String> {
    let mut records = Vec::new();
    for (place, row_type) in row_types.iter().enumerate() {
        let name = file_name(row_type);
        let Some(text) = files.get(&name) else { continue };
        for (number, line) in csv_text::records(text).enumerate().skip(1) {
            let fields: Vec<&str> = line.iter().collect();
            let record = AnyRecord::read(row_types, read_row, place, &fields);
            records.push(record.ok_or_else(|| bad_line(&name, number + 1))?);
        }
    }
    Ok(records)
}

fn frames(row_types: &'static [RowType], files: &RowTexts) -> Result<Vec<DataFrame>, String> {
    let mut frames: Vec<DataFrame> = row_types.iter().map(DataFrame::new).collect();
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
