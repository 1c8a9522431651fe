//! Journal of finished records of an unfinished run.
//!
//! A line is the CRC-32 of a record, followed by the record. The records of a run are written with
//! one call, so a run that is killed leaves at most one damaged line, at the end, whose rows are
//! computed again. The checksum also covers the names of the columns: if the columns have changed,
//! all lines count as damaged.

use crate::RunError;
use crate::error::none_if_missing;
use crate::text::csv as csv_text;
use csv::StringRecord;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A journal that is open for appending.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    checksum: Checksum,
}

/// Records of a journal whose lines are undamaged.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct JournalContents {
    pub(crate) records: Vec<StringRecord>,
    /// Number of unusable lines.
    pub(crate) damaged: usize,
}

/// Checksum of records with fixed columns.
struct Checksum(crc32fast::Hasher);

impl Checksum {
    fn with_columns(columns: &[impl AsRef<str>]) -> Checksum {
        let mut hash = crc32fast::Hasher::new();
        columns.iter().for_each(|column| hash.update(format!("{},", column.as_ref()).as_bytes()));
        Checksum(hash)
    }
    fn of(&self, text: &str) -> u32 {
        let mut hash = self.0.clone();
        hash.update(text.as_bytes());
        hash.finalize()
    }
    fn line(&self, record: &[String]) -> String {
        let text = csv_text::line(record);
        format!("{:08x} {text}", self.of(text.trim_end_matches('\n')))
    }
    fn record(&self, line: &str) -> Option<StringRecord> {
        let (sum, text) = line.split_once(' ')?;
        let sum = u32::from_str_radix(sum, 16).ok()?;
        (self.of(text) == sum).then(|| csv_text::fields(text)).flatten()
    }
}

impl Journal {
    /// Opens or creates a journal of records with these columns, for appending.
    pub(crate) fn open(path: &Path, columns: &[impl AsRef<str>]) -> Result<Journal, RunError> {
        if path.is_symlink() {
            return Err(RunError::Link { path: path.to_owned() });
        }
        let open = || {
            let mut file = OpenOptions::new().append(true).create(true).open(path)?;
            if file.metadata()?.len() > 0 {
                // The last line may be incomplete; blank lines are skipped by the reader.
                file.write_all(b"\n")?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| RunError::io(path, error))?;
        Ok(Journal { path: path.to_owned(), file, checksum: Checksum::with_columns(columns) })
    }
    /// Appends records and passes them to the operating system.
    pub(crate) fn append(&mut self, records: impl IntoIterator<Item = Vec<String>>) -> Result<(), RunError> {
        let lines: String = records.into_iter().map(|record| self.checksum.line(&record)).collect();
        self.file.write_all(lines.as_bytes()).map_err(|error| RunError::io(&self.path, error))
    }
}

/// Reads the records of a journal with these columns; empty if the file does not exist.
pub(crate) fn read(path: &Path, columns: &[impl AsRef<str>]) -> Result<JournalContents, RunError> {
    let bytes = none_if_missing(fs::read(path)).map_err(|error| RunError::io(path, error))?;
    let Some(bytes) = bytes else { return Ok(JournalContents::default()) };
    let checksum = Checksum::with_columns(columns);
    let mut found = JournalContents::default();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        match std::str::from_utf8(line).ok().and_then(|line| checksum.record(line)) {
            Some(record) => found.records.push(record),
            None => found.damaged += 1,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 3] = ["key", "name", "outcome"];

    fn record(key: u64) -> Vec<String> {
        vec![format!("{key:016x}"), "a, \"b\"".to_owned(), "it, failed".to_owned()]
    }
    fn records(keys: &[u64]) -> Vec<StringRecord> {
        keys.iter().map(|&key| StringRecord::from(record(key))).collect()
    }

    #[test]
    fn damaged_and_cut_lines_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        Journal::open(&path, &COLUMNS).unwrap().append([1, 2, 3].map(record)).unwrap();
        let found = |keys, damaged| JournalContents { records: records(keys), damaged };
        assert_eq!(read(&path, &COLUMNS).unwrap(), found(&[1, 2, 3], 0));
        assert_eq!(read(&path, &["key", "name", "result"]).unwrap(), found(&[], 3), "other columns");

        // The second record has one flipped digit, the third is cut off, and a fourth follows.
        let text = fs::read_to_string(&path).unwrap();
        let flipped = text.replace("0000000000000002", "0000000000000009");
        fs::write(&path, &flipped[..flipped.len() - 5]).unwrap();
        Journal::open(&path, &COLUMNS).unwrap().append([record(4)]).unwrap();
        assert_eq!(read(&path, &COLUMNS).unwrap(), found(&[1, 4], 2));
        fs::write(&path, b"\xff\xfe\n\0\0\0").unwrap();
        assert_eq!(read(&path, &COLUMNS).unwrap(), found(&[], 2));
        assert_eq!(read(&folder.path().join("none"), &COLUMNS).unwrap(), JournalContents::default());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let mut journal = Journal::open(Path::new("/dev/full"), &COLUMNS).unwrap();
        let error = journal.append([record(1)]).unwrap_err().to_string();
        assert!(error.starts_with("/dev/full: ") && error.contains("space"), "{error}");
    }
}
