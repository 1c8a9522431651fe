//! Reading a file through before it is simulated.

use super::stream::JobStream;
use super::{Log, Options, Report, reader};
use crate::log::{Header, LogError, Order, Source as _, Whole};
use dfrsim_model::{Job, SimTime};
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
    span: Option<(SimTime, SimTime)>,
}

impl Survey {
    pub(super) fn of(
        path: &Path,
        options: &Options,
        log: Log,
        whole: Option<Whole>,
    ) -> Result<Survey, LogError> {
        let header = log.header().clone();
        let mut jobs = JobStream::new(log, options);
        let mut span = None;
        for Job { submit, .. } in jobs.by_ref() {
            span = Some((span.map_or(submit, |(first, _)| first), submit));
        }
        let report = jobs.finish()?;
        Ok(Survey { path: path.to_owned(), options: *options, whole, header, report, span })
    }
    /// The comment lines at the top of the log.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }
    /// What was met. [`JobStream::finish`] gives the same unless the file was changed in between.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }
    /// The first and the last submit time of its jobs; `None` if it has none.
    #[must_use]
    pub const fn span(&self) -> Option<(SimTime, SimTime)> {
        self.span
    }
    /// The jobs, from the beginning. What is to be done with them must be valid even if [`JobStream::finish`] then fails,
    /// which happens only if the file has been changed.
    ///
    /// # Errors
    /// [`LogError::Open`].
    pub fn jobs(&self) -> Result<JobStream<Log>, LogError> {
        let log = match &self.whole {
            Some(whole) => Log::Whole(Box::new(whole.clone())),
            None => Log::Streamed(Box::new(reader(&self.path, &self.options, Order::Sorted)?)),
        };
        Ok(JobStream::new(log, &self.options))
    }
}
