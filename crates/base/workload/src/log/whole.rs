//! Logs that are read whole, because their lines are not in order.

use super::error::LogError;
use super::header::Header;
use super::reader::Reader;
use super::record::Line;
use super::source::{ReadReport, Source};
use dfrsim_model::JobId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What jobs asked for beside processors and memory: names and numbers of units.
pub type Asked = BTreeMap<JobId, Vec<(String, u32)>>;

/// A log that has been read to its end without fault and sorted by submit time; equal times keep the file's order.
///
/// Clones share the lines, and begin where the original is.
#[derive(Clone, Debug)]
pub struct Whole {
    file: String,
    header: Header,
    report: ReadReport,
    lines: Arc<Vec<Line>>,
    asked: Arc<Asked>,
    /// How many lines have been given out.
    given: usize,
}

impl Whole {
    /// Reads a log to its end; its lines may have any order.
    ///
    /// # Errors
    /// [`LogError::Faults`].
    pub(crate) fn read(mut reader: Reader<'_>) -> Result<Whole, LogError> {
        let lines: Vec<Line> = reader.by_ref().collect();
        let (file, header) = (reader.file().to_owned(), reader.header().clone());
        Ok(Whole::new(file, header, reader.finish()?, lines))
    }
    /// Puts lines in order, and counts those that were not.
    pub(crate) fn new(file: String, header: Header, report: ReadReport, mut lines: Vec<Line>) -> Whole {
        let falls = lines.windows(2).filter(|pair| pair[1].record.submit < pair[0].record.submit);
        let report = ReadReport { out_of_order: falls.count() as u64, ..report };
        if report.out_of_order > 0 {
            lines.sort_by_key(|line| line.record.submit);
        }
        Whole { file, header, report, lines: Arc::new(lines), asked: Arc::default(), given: 0 }
    }
    /// All of its lines.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }
    pub(crate) fn with_asked(self, asked: Asked) -> Whole {
        Whole { asked: Arc::new(asked), ..self }
    }
    /// What jobs asked for beside processors and memory; only listings of Slurm say that.
    pub fn asked(&self) -> Arc<Asked> {
        Arc::clone(&self.asked)
    }
}

impl Iterator for Whole {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let line = self.lines.get(self.given)?.clone();
        self.given += 1;
        Some(line)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.lines.len() - self.given;
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
        Ok(self.report)
    }
}
