//! A file of jobs that has been opened, of which only the header is known.

use super::stream::JobStream;
use super::survey::Survey;
use super::{Format, Log, Options, Report, read_whole, reader};
use crate::log::{Header, Line, LogError, Order, Source as _, Whole};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of jobs whose header has been read. What is done with its jobs may depend on that.
pub struct Opened {
    path: PathBuf,
    options: Options,
    log: Log,
    /// The log if it cannot be streamed; it shares its lines with `log`.
    whole: Option<Whole>,
}

impl Opened {
    /// Opens a file: to be streamed if that is possible. A workload of Batsim is one document, accounting of Slurm or PBS is not in
    /// order, and what is not a regular file (a pipe, a device) can be read only once, before the order of its lines
    /// is known; these are read whole.
    ///
    /// # Errors
    /// [`LogError::Open`]; and [`LogError::Faults`] if it had to be read whole and has faults.
    pub fn open(path: &Path, options: &Options) -> Result<Opened, LogError> {
        let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        if !is_file || matches!(options.format.of(path), Format::Batsim | Format::Slurm | Format::Pbs) {
            return Ok(Opened::of_whole(path, options, read_whole(path, options)?));
        }
        let log: Log = Box::new(reader(path, options, Order::Sorted)?);
        Ok(Opened { path: path.to_owned(), options: *options, log, whole: None })
    }
    /// A file that was read whole, of which no line has been taken.
    pub fn of_whole(path: &Path, options: &Options, whole: Whole) -> Opened {
        let log: Log = Box::new(whole.clone());
        Opened { path: path.to_owned(), options: *options, log, whole: Some(whole) }
    }
    /// The comment lines at its top.
    pub fn header(&self) -> &Header {
        self.log.header()
    }
    /// How many jobs have fewer nodes than processors: only listings of Slurm say that.
    pub fn jobs_with_fewer_nodes_than_processors(&self) -> usize {
        let is_sharing = |line: &Line| {
            let processors = line.record.allocated_processors.or(line.record.requested_processors);
            line.record.nodes.zip(processors).is_some_and(|(nodes, processors)| nodes < processors)
        };
        self.whole.iter().flat_map(Clone::clone).filter(is_sharing).count()
    }
    /// Says how many units the machine has ([`Options::units`]).
    #[must_use]
    pub fn with_units(mut self, units: u32) -> Opened {
        self.options.units = Some(units);
        self
    }
    /// Lets jobs say where they come from ([`Options::origins`]).
    #[must_use]
    pub fn with_origins(mut self) -> Opened {
        self.options.origins = true;
        self
    }

    /// Does some work on the jobs while they are read, and gives its result if the file turns out to be good.
    ///
    /// If the lines are not in order the work is thrown away and done once more, on the file read whole and sorted; so it
    /// must keep what it makes to itself until this returns. Work with other effects needs a [`survey`](Opened::survey)
    /// first.
    ///
    /// # Errors
    /// [`LogError::Faults`] with the faults of the file and of the rules.
    pub fn with_jobs<T>(
        self,
        mut work: impl FnMut(&mut JobStream<Log>) -> T,
    ) -> Result<(T, Report), LogError> {
        let Opened { path, options, log, whole: _ } = self;
        let mut attempt = |log| {
            let mut stream = JobStream::new(log, &options);
            let result = work(&mut stream);
            stream.finish().map(|report| (result, report))
        };
        match attempt(log) {
            Err(LogError::Unsorted { .. }) => attempt(Box::new(read_whole(&path, &options)?)),
            result => result,
        }
    }

    /// Reads it through. Of a regular file whose lines are in order no more is kept than its jobs, if they are few;
    /// [`Survey::jobs`] reads it again. All else is kept in memory.
    ///
    /// # Errors
    /// [`LogError::Faults`] with the faults of the file and of the rules.
    pub fn survey(self) -> Result<Survey, LogError> {
        let Opened { path, options, log, whole } = self;
        match Survey::of(&path, &options, log, whole) {
            Err(LogError::Unsorted { .. }) => {
                let whole = read_whole(&path, &options)?;
                Survey::of(&path, &options, Box::new(whole.clone()), Some(whole))
            }
            result => result,
        }
    }
}
