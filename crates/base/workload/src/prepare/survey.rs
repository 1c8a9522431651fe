//! Survey of a file: a complete reading before the simulation.

use super::stream::JobStream;
use super::{Log, Options, Report, reader};
use crate::load::OfferedWork;
use crate::log::{Header, LogError, Order, Source as _, Whole};
use dfrsim_model::Job;
use std::path::{Path, PathBuf};

/// A file that was read completely and is valid. Its properties are known before any of its jobs is
/// simulated, and its jobs can be streamed.
#[derive(Debug)]
pub struct Survey {
    path: PathBuf,
    options: Options,
    /// The log if it had to be read completely, as it is not in order or can be read only once.
    whole: Option<Whole>,
    header: Header,
    report: Report,
    offered: OfferedWork,
    /// All jobs, if they are few, in blocks. Each block is freed after its jobs have been returned.
    kept: Option<Vec<Vec<Job>>>,
}

/// Approximate maximum number of jobs that are kept, in about 30 MB. A file with more jobs is read
/// again, so that memory use is bounded.
const MAX_KEPT_JOBS: usize = 1 << 19;

const BLOCK_JOBS: usize = 1 << 12;

impl Survey {
    pub(super) fn of(
        path: &Path,
        options: &Options,
        log: Log,
        whole: Option<Whole>,
    ) -> Result<Survey, LogError> {
        let header = log.header().clone();
        let mut jobs = JobStream::new(log, options);
        let mut offered = OfferedWork::default();
        let mut kept = Some(Vec::<Vec<Job>>::new());
        for job in jobs.by_ref() {
            offered.add(&job);
            kept = kept.filter(|blocks| blocks.len() <= MAX_KEPT_JOBS / BLOCK_JOBS);
            if let Some(blocks) = &mut kept {
                match blocks.last_mut() {
                    Some(block) if block.len() < BLOCK_JOBS => block.push(job),
                    _ => {
                        let mut block = Vec::with_capacity(BLOCK_JOBS);
                        block.push(job);
                        blocks.push(block);
                    }
                }
            }
        }
        let report = jobs.finish()?;
        Ok(Survey { path: path.to_owned(), options: options.clone(), whole, header, report, offered, kept })
    }
    /// Returns the comment lines at the top of the log.
    pub const fn header(&self) -> &Header {
        &self.header
    }
    /// Returns the counts. [`JobStream::finish`] returns the same ones unless the file has changed
    /// in between.
    pub const fn report(&self) -> &Report {
        &self.report
    }
    /// Returns the total work of the jobs, for the offered load.
    pub const fn offered(&self) -> &OfferedWork {
        &self.offered
    }
    /// Takes the kept jobs, from the first one; `None` if there were too many to keep, or if they
    /// have already been taken. In that case use [`Survey::jobs`], which reads them again.
    pub fn take_kept(&mut self) -> Option<impl Iterator<Item = Job> + use<>> {
        Some(self.kept.take()?.into_iter().flatten())
    }
    /// Reads the jobs and their records again, from the first one. Results must be valid even if
    /// [`JobStream::finish`] fails afterwards, which happens only if the file has changed.
    ///
    /// # Errors
    ///
    /// [`LogError::Open`].
    pub fn jobs(&self) -> Result<JobStream<Log>, LogError> {
        let log: Log = match &self.whole {
            Some(whole) => Box::new(whole.clone()),
            None => Box::new(reader(&self.path, &self.options, Order::Sorted)?),
        };
        Ok(JobStream::new(log, &self.options))
    }
}
