//! An opened file of jobs, of which only the header has been read.

use super::stream::JobStream;
use super::survey::Survey;
use super::{Log, Options, Report, Unread, read_whole};
use crate::log::{Header, Line, LogError, Order, Source as _, Whole};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of jobs whose header has been read. The processing of its jobs may depend on the header.
pub struct Opened {
    path: PathBuf,
    options: Options,
    log: Log,
    /// The log if it cannot be streamed; it shares its lines with `log`.
    whole: Option<Whole>,
}

impl Opened {
    /// Opens a file, for streaming if possible. Other files are read completely: a Batsim workload
    /// is a single document, accounting of Slurm or PBS is not in order, and a file that is not
    /// regular (a pipe, a device) can be read only once, before the order of its lines is known.
    ///
    /// # Errors
    ///
    /// [`LogError::Open`]; and [`LogError::Faults`] if it had to be read completely and is invalid.
    pub fn open(path: &Path, options: &Options) -> Result<Opened, LogError> {
        let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
        let file = Unread::open(path, options)?;
        let options = &Options { format: file.format, ..options.clone() };
        if !is_file || !file.is_line_based() {
            return Ok(Opened::of_whole(path, options, file.read(options)?));
        }
        let log: Log = Box::new(file.reader(options, Order::Sorted)?);
        Ok(Opened { path: path.to_owned(), options: options.clone(), log, whole: None })
    }
    /// Wraps a log that was read completely and of which no line has been taken.
    pub fn of_whole(path: &Path, options: &Options, whole: Whole) -> Opened {
        let log: Log = Box::new(whole.clone());
        Opened { path: path.to_owned(), options: options.clone(), log, whole: Some(whole) }
    }
    /// Returns the comment lines at the top of the log.
    pub fn header(&self) -> &Header {
        self.log.header()
    }
    /// Counts the jobs that have fewer nodes than processors. Only Slurm accounting has the nodes.
    pub fn jobs_with_fewer_nodes_than_processors(&self) -> usize {
        let is_sharing = |line: &Line| {
            let processors = line.record.allocated_processors.or(line.record.requested_processors);
            line.record.nodes.zip(processors).is_some_and(|(nodes, processors)| nodes < processors)
        };
        self.whole.iter().flat_map(Clone::clone).filter(is_sharing).count()
    }
    /// Sets the number of units of the machine ([`Options::units`]).
    #[must_use]
    pub fn with_units(mut self, units: u32) -> Opened {
        self.options.units = Some(units);
        self
    }
    /// Adds their group, queue and partition to the jobs ([`Options::origins`]).
    #[must_use]
    pub fn with_origins(mut self) -> Opened {
        self.options.origins = true;
        self
    }
    /// Makes circles of dependencies an error ([`Options::dependencies`]).
    #[must_use]
    pub fn with_dependencies(mut self) -> Opened {
        self.options.dependencies = true;
        self
    }

    /// Processes the jobs while they are read, and returns the result if the file is valid.
    ///
    /// If the lines are not in order, the result of `work` is discarded, and `work` is called again
    /// for the sorted file. It therefore must not have side effects before this function returns.
    /// Processing with side effects needs a [`survey`](Opened::survey) first.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`] with the errors in the file and the violations of the rules.
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

    /// Reads the file completely. If it is a regular file in order, only its jobs are kept, and only
    /// if they are few; [`Survey::jobs`] reads it again. All other files are kept in memory.
    ///
    /// # Errors
    ///
    /// [`LogError::Faults`] with the errors in the file and the violations of the rules.
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
