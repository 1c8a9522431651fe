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
    Row::read(&fields.iter().collect::<Vec<_>>())
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
