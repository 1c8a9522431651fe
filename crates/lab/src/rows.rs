//! How the rows of a study are kept, in memory and in files.

use crate::column::{Column, Row, RowType};
use crate::data::DataFrame;
use crate::key::Key;
use crate::record::{FRAME_COLUMNS, Record};
use crate::study::Study;
use std::collections::BTreeMap;

/// The rows of a variant on an instance: what a run gave, or an earlier one left.
pub struct Outcome<R> {
    /// The place of the variant among those of the instance.
    pub variant: usize,
    /// Its rows, or the record of its failure; at least one, all with the same key.
    pub records: Vec<Record<R>>,
}

/// When records go to the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Journaling {
    /// When a run has finished.
    Runs,
    /// When all runs on an instance have finished.
    Instances,
}

/// A file of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFile {
    /// Its name in the folder of the results.
    pub name: String,
    /// The names of its columns.
    pub header: Vec<String>,
}

/// How rows are laid out: [`Long`], a line a row, or wide, a line an instance.
pub trait RowSet<S: Study>: Sized + Send + Sync {
    /// When records go to the journal; also what [`status`](crate::RunStatus) counts.
    const JOURNALING: Journaling;
    /// Rows of earlier runs.
    type Earlier: Default + Sync;
    /// The rows of one instance.
    type Part: Send + Sync;

    /// The files.
    fn files(study: &S) -> Vec<RowFile>;
    /// The columns of the journal. The first one is the key: of a variant or of an instance, as the journaling is.
    fn journal_header(study: &S) -> Vec<String>;
    /// The journal's records of outcomes: of one variant, or of all of an instance.
    fn journal(study: &S, at: usize, instance: Key, outcomes: &[Outcome<S::Row>]) -> Vec<Vec<String>>;
    /// Takes a record of a journal; whether it could be used.
    fn take_journal(study: &S, earlier: &mut Self::Earlier, fields: &[&str]) -> bool;
    /// Takes a record of a file (by its place) with this header; whether it could be used.
    fn take_row(
        study: &S,
        earlier: &mut Self::Earlier,
        file: usize,
        header: &[&str],
        fields: &[&str],
    ) -> bool;
    /// Adds the earlier rows of another file or folder.
    fn absorb(earlier: &mut Self::Earlier, other: Self::Earlier);
    /// The earlier rows of a variant, if all of them are known. Labels are those of the present scenario.
    fn earlier(
        study: &S,
        earlier: &Self::Earlier,
        at: usize,
        instance: Key,
        variant: (&S::Variant, Key),
    ) -> Option<Vec<Record<S::Row>>>;
    /// How many keys of earlier rows do not belong to any of these runs.
    fn foreign(earlier: &Self::Earlier, is_known: &dyn Fn(Key) -> bool) -> usize;
    /// The rows of an instance, with outcomes in the order of the variants.
    fn part(study: &S, at: usize, instance: Key, outcomes: Vec<Outcome<S::Row>>) -> Self::Part;
    /// All rows, from the parts in the order of the instances.
    fn from_parts(study: &S, parts: Vec<Self::Part>) -> Self;
    /// The lines of each file, in the order of [`RowSet::files`].
    fn write(&self, study: &S) -> Vec<Vec<Vec<String>>>;
    /// The rows of a folder: for each file its name, header and lines.
    ///
    /// # Errors
    /// In one line, if they are not rows of this study.
    fn read(files: &[ReadFile]) -> Result<Self, String>;
    /// The rows of a folder column by column, in the order of the types.
    ///
    /// # Errors
    /// In one line, if they are not rows of this study.
    fn frames(files: &[ReadFile]) -> Result<Vec<DataFrame>, String>;
}

/// A file of rows that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadFile {
    /// Its name.
    pub name: String,
    /// Its header.
    pub header: Vec<String>,
    /// Its lines.
    pub lines: Vec<Vec<String>>,
}

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

/// The file of a type of rows.
#[must_use]
pub fn file_name(row_type: &RowType) -> String {
    if row_type.name.is_empty() { "rows.csv".to_owned() } else { format!("rows/{}.csv", row_type.name) }
}

fn header(columns: &[Column]) -> Vec<String> {
    let own = columns.iter().map(|column| column.name);
    FRAME_COLUMNS.into_iter().chain(own).map(str::to_owned).collect()
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

impl<S: Study> RowSet<S> for Long<S::Row> {
    const JOURNALING: Journaling = Journaling::Runs;
    type Earlier = EarlierRecords<S::Row>;
    type Part = Vec<Record<S::Row>>;

    fn files(_: &S) -> Vec<RowFile> {
        let file = |each: &RowType| RowFile { name: file_name(each), header: header(each.columns) };
        S::Row::TYPES.iter().map(file).collect()
    }

    fn journal_header(study: &S) -> Vec<String> {
        let own = ["key", "place", "count", "type"].map(str::to_owned).into_iter();
        let files = <Self as RowSet<S>>::files(study);
        own.chain(files.into_iter().flat_map(|file| file.header.into_iter().skip(1))).collect()
    }

    fn journal(_: &S, _: usize, _: Key, outcomes: &[Outcome<S::Row>]) -> Vec<Vec<String>> {
        let mut lines = Vec::new();
        for Outcome { records, .. } in outcomes {
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

    fn take_journal(_: &S, earlier: &mut Self::Earlier, fields: &[&str]) -> bool {
        let [key, place, count, row_type, rest @ ..] = fields else { return false };
        let (Ok(place), Ok(count), Ok(row_type)) = (place.parse::<usize>(), count.parse(), row_type.parse())
        else {
            return false;
        };
        if place >= count || count > MAX_ROWS {
            return false;
        }
        let line: Vec<&str> = std::iter::once(*key).chain(rest.iter().copied()).collect();
        let Some(record) = Record::<S::Row>::read(row_type, &line) else { return false };
        let known = earlier.0.entry(record.key).or_default();
        if known.len() != count {
            known.clear();
            known.resize_with(count, || None);
        }
        known[place] = Some(record);
        true
    }

    fn take_row(
        study: &S,
        earlier: &mut Self::Earlier,
        file: usize,
        header: &[&str],
        fields: &[&str],
    ) -> bool {
        let files = <Self as RowSet<S>>::files(study);
        if !header.iter().eq(files[file].header.iter()) {
            return false;
        }
        let Some(record) = Record::<S::Row>::read(file, fields) else { return false };
        earlier.0.entry(record.key).or_default().push(Some(record));
        true
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

    fn earlier(
        study: &S,
        earlier: &Self::Earlier,
        at: usize,
        _: Key,
        (variant, key): (&S::Variant, Key),
    ) -> Option<Vec<Record<S::Row>>> {
        let mut records: Vec<Record<S::Row>> = earlier.0.get(&key)?.iter().cloned().collect::<Option<_>>()?;
        for record in &mut records {
            if let Ok(row) = &mut record.outcome {
                study.rename(at, variant, row);
            }
        }
        Some(records)
    }

    fn foreign(earlier: &Self::Earlier, is_known: &dyn Fn(Key) -> bool) -> usize {
        earlier.0.iter().filter(|(key, _)| !is_known(**key)).map(|(_, records)| records.len()).sum()
    }

    fn part(_: &S, _: usize, _: Key, outcomes: Vec<Outcome<S::Row>>) -> Self::Part {
        outcomes.into_iter().flat_map(|outcome| outcome.records).collect()
    }

    fn from_parts(_: &S, parts: Vec<Self::Part>) -> Self {
        Long { records: parts.concat() }
    }

    fn write(&self, _: &S) -> Vec<Vec<Vec<String>>> {
        let mut files = vec![Vec::new(); S::Row::TYPES.len()];
        for record in &self.records {
            files[record.row_type()].push(record.write());
        }
        files
    }

    fn read(files: &[ReadFile]) -> Result<Self, String> {
        let mut records = Vec::new();
        for (place, row_type) in S::Row::TYPES.iter().enumerate() {
            let name = file_name(row_type);
            let Some(file) = files.iter().find(|file| file.name == name) else { continue };
            for (number, line) in file.lines.iter().enumerate() {
                let fields: Vec<&str> = line.iter().map(String::as_str).collect();
                let record = Record::read(place, &fields)
                    .ok_or_else(|| format!("{name}: line {}: is not a row of this study", number + 2))?;
                records.push(record);
            }
        }
        Ok(Long { records })
    }

    fn frames(files: &[ReadFile]) -> Result<Vec<DataFrame>, String> {
        let mut frames: Vec<DataFrame> = S::Row::TYPES.iter().map(DataFrame::new).collect();
        for frame in &mut frames {
            let name = file_name(frame.row_type);
            let Some(file) = files.iter().find(|file| file.name == name) else { continue };
            if file.header != header(frame.columns()) {
                return Err(format!("{name}: line 1: these are not the columns of this study's rows"));
            }
            for (number, line) in file.lines.iter().enumerate() {
                let added = match &line[..] {
                    [_, status, message, fields @ ..] => status
                        .parse()
                        .is_ok_and(|status| frame.push(status, message, fields.iter().map(String::as_str))),
                    _ => false,
                };
                if !added {
                    return Err(format!("{name}: line {}: is not a row of this study", number + 2));
                }
            }
        }
        Ok(frames)
    }
}
