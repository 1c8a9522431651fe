//! The journal: rows that are finished while others are not.
//!
//! A line is the CRC-32 of a row and the row as it stands in `rows.csv`. Each line is written with one call, so a run
//! that is killed leaves at most one damaged line, at the end, and that row is computed again. The checksum covers
//! the names of the columns too: a journal with other columns is all damaged lines.

use crate::row::Row;
use crate::{RunError, table_file};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A journal to which rows are added.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

/// What was found in a journal.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Row>,
    /// Lines that cannot be used.
    pub(crate) damaged: usize,
}

impl Journal {
    /// Opens a journal, or begins one, to add to it.
    pub(crate) fn open(path: &Path) -> Result<Journal, RunError> {
        let open = || {
            let mut file = OpenOptions::new().append(true).create(true).open(path)?;
            if file.metadata()?.len() > 0 {
                // What was written before may lack its end; blank lines are skipped.
                file.write_all(b"\n")?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| RunError::io(path, error))?;
        Ok(Journal { path: path.to_owned(), file })
    }
    /// Adds rows and hands them to the system.
    pub(crate) fn append(&mut self, rows: &[Row]) -> Result<(), RunError> {
        rows.iter()
            .try_for_each(|row| self.file.write_all(line(row).as_bytes()))
            .map_err(|error| RunError::io(&self.path, error))
    }
}

fn line(row: &Row) -> String {
    let text = table_file::line(&row.write());
    format!("{:08x} {text}", checksum(text.trim_end()))
}

fn checksum(text: &str) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    Row::columns().for_each(|column| {
        hash.update(column.as_bytes());
        hash.update(b",");
    });
    hash.update(text.as_bytes());
    hash.finalize()
}

fn read_line(line: &str) -> Option<Row> {
    let (sum, text) = line.split_once(' ')?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    let fields = (checksum(text) == sum).then(|| table_file::fields(text)).flatten()?;
    Row::read(&fields.iter().collect::<Vec<_>>()).ok()
}

/// The rows of a journal; none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Found, RunError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::default()),
        Err(error) => return Err(RunError::io(path, error)),
    };
    let mut found = Found::default();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        match std::str::from_utf8(line).ok().and_then(read_line) {
            Some(row) => found.rows.push(row),
            None => found.damaged += 1,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Cell;
    use dfrsim_model::SimSpan;

    fn row(key: u64) -> Row {
        let cell = Cell {
            workload: "a, \"b\"".into(),
            instance: "whole".into(),
            load: Some(0.1),
            policy: "FCFS".into(),
            penalty_s: SimSpan::from_micros(1),
            period_s: None,
            packing: Some("cp".into()),
            drop: None,
            estimates: "exact".into(),
            overrun: "extend".into(),
            tau_s: SimSpan::from_secs(10),
            nodes: 1,
            jobs: 2,
            bound: 1.0 / 3.0,
        };
        Row { key: format!("{key:016x}").parse().unwrap(), cell, outcome: Err("it, failed".into()) }
    }

    #[test]
    fn damaged_and_cut_lines_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let rows = [row(1), row(2), row(3)];
        Journal::open(&path).unwrap().append(&rows).unwrap();
        assert_eq!(read(&path).unwrap(), Found { rows: rows.to_vec(), damaged: 0 });

        // One flipped digit in the second row, the third cut off, then a fourth behind it.
        let text = fs::read_to_string(&path).unwrap();
        let flipped = text.replace("0000000000000002", "0000000000000009");
        fs::write(&path, &flipped[..flipped.len() - 5]).unwrap();
        Journal::open(&path).unwrap().append(&[row(4)]).unwrap();
        assert_eq!(read(&path).unwrap(), Found { rows: vec![row(1), row(4)], damaged: 2 });
        fs::write(&path, b"\xff\xfe\n\0\0\0").unwrap();
        assert_eq!(read(&path).unwrap(), Found { rows: vec![], damaged: 2 });
        assert_eq!(read(&folder.path().join("none")).unwrap(), Found::default());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_file() {
        let mut journal = Journal::open(Path::new("/dev/full")).unwrap();
        let error = journal.append(&[row(1)]).unwrap_err().to_string();
        assert!(error.starts_with("/dev/full: ") && error.contains("space"), "{error}");
    }
}
