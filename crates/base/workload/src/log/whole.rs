//! Logs that are read completely and sorted.

use super::error::LogError;
use super::header::Header;
use super::reader::Reader;
use super::record::Line;
use super::source::{ReadReport, Source};
use std::sync::Arc;

/// Requests of jobs for resources other than processors and memory, as names and numbers of units.
pub type ResourceRequests = dfrsim_model::platform::classes::Asks;

/// A log that has been read to its end without errors and sorted by submit time; ties keep the order
/// of the file.
///
/// Clones share the lines, and continue at the current position of the original.
#[derive(Clone, Debug)]
pub struct Whole {
    file: String,
    header: Header,
    report: ReadReport,
    lines: Arc<Vec<Line>>,
    requests: Arc<ResourceRequests>,
    /// Number of lines that have been returned.
    position: usize,
}

impl Whole {
    /// Reads a log to its end; its lines may have any order.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`].
    pub(crate) fn read(mut reader: Reader<'_>) -> Result<Whole, LogError> {
        let lines: Vec<Line> = reader.by_ref().collect();
        let (file, header) = (reader.file().to_owned(), reader.header().clone());
        Ok(Whole::new(file, header, reader.finish()?, lines))
    }
    /// Sorts the lines, and counts those that were out of order.
    pub(crate) fn new(file: String, header: Header, report: ReadReport, mut lines: Vec<Line>) -> Whole {
        let falls = lines.windows(2).filter(|pair| pair[1].record.submit < pair[0].record.submit);
        let report = ReadReport { out_of_order: falls.count() as u64, ..report };
        if report.out_of_order > 0 {
            lines.sort_by_key(|line| line.record.submit);
        }
        Whole { file, header, report, lines: Arc::new(lines), requests: Arc::default(), position: 0 }
    }
    /// Returns all lines, sorted by submit time.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }
    pub(crate) fn with_requests(self, asked: ResourceRequests) -> Whole {
        Whole { requests: Arc::new(asked), ..self }
    }
    /// Returns the requests of the jobs for resources other than processors and memory. Only Slurm
    /// accounting has them.
    pub fn resource_requests(&self) -> Arc<ResourceRequests> {
        Arc::clone(&self.requests)
    }
}

impl Iterator for Whole {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let line = self.lines.get(self.position)?.clone();
        self.position += 1;
        Some(line)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.lines.len() - self.position;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Whole {}

impl Source for Whole {
    fn file(&self) -> &str {
        &self.file
    }
    fn header(&self) -> &Header {
        &self.header
    }
    fn end(&mut self) -> Result<ReadReport, LogError> {
        Ok(self.report.clone())
    }
}
