//! Reading a file through before it is simulated.

use super::stream::JobStream;
use super::{Log, Options, Report, reader};
use crate::load::Offered;
use crate::log::{Header, LogError, Order, Source as _, Whole};
use dfrsim_model::Job;
use std::path::{Path, PathBuf};

/// A file that was read through once and is good to its end: what it holds is known before any of its jobs is simulated,
/// and its jobs can be streamed.
#[derive(Debug)]
pub struct Survey {
    path: PathBuf,
    options: Options,
    /// The log if it had to be read whole: it is not in order, or it can be read only once.
    whole: Option<Whole>,
    header: Header,
    report: Report,
    offered: Offered,
    /// All of its jobs, if they are few, in blocks, each of which is given back when its jobs have been handed out.
    kept: Option<Vec<Vec<Job>>>,
}

/// About the most jobs that are kept, in some 30 MB. The file of more is read again, so that memory does not grow with it.
const MOST_KEPT: usize = 1 << 19;

const BLOCK: usize = 1 << 12;

impl Survey {
    pub(super) fn of(
        path: &Path,
        options: &Options,
        log: Log,
        whole: Option<Whole>,
    ) -> Result<Survey, LogError> {
        let header = log.header().clone();
        let mut jobs = JobStream::new(log, options);
        let mut offered = Offered::default();
        let mut kept = Some(Vec::<Vec<Job>>::new());
        for job in jobs.by_ref() {
            offered.add(&job);
            kept = kept.filter(|blocks| blocks.len() <= MOST_KEPT / BLOCK);
            if let Some(blocks) = &mut kept {
                match blocks.last_mut() {
                    Some(block) if block.len() < BLOCK => block.push(job),
                    _ => {
                        let mut block = Vec::with_capacity(BLOCK);
                        block.push(job);
                        blocks.push(block);
                    }
                }
            }
        }
        let report = jobs.finish()?;
        Ok(Survey { path: path.to_owned(), options: *options, whole, header, report, offered, kept })
    }
    /// The comment lines at the top of the log.
    pub const fn header(&self) -> &Header {
        &self.header
    }
    /// What was met. [`JobStream::finish`] gives the same unless the file was changed in between.
    pub const fn report(&self) -> &Report {
        &self.report
    }
    /// What its jobs ask for.
    pub const fn offered(&self) -> &Offered {
        &self.offered
    }
    /// Hands out its jobs, from the beginning; `None` if they were too many to be kept, or are handed out already: then
    /// [`Survey::jobs`] reads them again.
    pub fn take_kept(&mut self) -> Option<impl Iterator<Item = Job> + use<>> {
        Some(self.kept.take()?.into_iter().flatten())
    }
    /// The jobs with their records, from the beginning, read again. What is to be done with them must be valid even if [`JobStream::finish`] then fails,
    /// which happens only if the file has been changed.
    ///
    /// # Errors
    /// [`LogError::Open`].
    pub fn jobs(&self) -> Result<JobStream<Log>, LogError> {
        let log: Log = match &self.whole {
            Some(whole) => Box::new(whole.clone()),
            None => Box::new(reader(&self.path, &self.options, Order::Sorted)?),
        };
        Ok(JobStream::new(log, &self.options))
    }
}
