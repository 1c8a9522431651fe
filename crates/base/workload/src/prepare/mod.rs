//! From the records of a log to the jobs of a simulation.
//!
//! A [`JobStream`] makes jobs of the records of any [`Source`], one at a time: it selects a part, applies the [`Rules`]
//! for anomalous lines, and gives the jobs tasks, needs and memory ([`Annotation`]). A [survey](Opened::survey) reads a
//! file through before its jobs are simulated while it is read again; [`with_jobs`] works on them in one pass and only
//! gives the result if the file was good to its end; [`read_jobs`] just collects.
//!
//! ```
//! use dfrsim_workload::formats::swf;
//! use dfrsim_workload::prepare::{Anomaly, JobStream, Options};
//! use dfrsim_workload::log::Strictness;
//! let text = "\
//! 1  0 -1 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
//! 2 30 -1 -1 4 -1 -1 4 100 -1 5 7 -1 -1 -1 -1 -1 -1
//! ";
//! let reader = swf::read(text.as_bytes(), "example.swf", Strictness::Strict)?;
//! let mut stream = JobStream::new(reader, &Options::default());
//! let tasks: u32 = stream.by_ref().map(|job| job.tasks).sum();
//! let report = stream.finish()?;
//! assert_eq!(tasks, 4);
//! assert_eq!(report.counts.of(Anomaly::ZeroRun).dropped, 1);
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! Sources: the dissertation, section 5.3, for the annotations; the archive's advice on cleaning for the rules'
//! defaults.

mod annotate;
mod numbers;
mod opened;
mod rules;
mod stream;
mod survey;

pub use annotate::{Annotation, ClusterAssumptions, Join};
pub use opened::Opened;
pub use rules::{Anomaly, AnomalyCounts, Counts, Rule, Rules, SizeField, StatusRule};
pub use stream::JobStream;
pub use survey::Survey;

use crate::cut::Selection;
use crate::formats::{batsim, gwf, pbs, slurm, swf};
use crate::log::{Asked, LogError, Order, ReadReport, Reader, Source, Strictness, Whole, opened};
use dfrsim_model::Job;
use dfrsim_model::named;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

named! {
    /// The format of a file.
    #[derive(Default)]
    pub enum Format as "format" {
        /// A name that ends in `.json` or `.json.gz` is a workload of Batsim, in `.gwf` or `.gwf.gz` a log in the Grid
        /// Workloads Format, in `.sacct` or `.sacct.gz` a listing of Slurm's `sacct --parsable2`, in `.pbs` or `.pbs.gz` accounting of PBS, as is
        /// one of eight digits (the server names files by days); any other one is a log in the Standard Workload Format.
        #[default]
        ByName = "by-name",
        /// A log in the Standard Workload Format.
        Swf = "swf",
        /// A log in the Grid Workloads Format.
        Gwf = "gwf",
        /// A workload of Batsim.
        Batsim = "batsim",
        /// What Slurm's `sacct --parsable2` prints.
        Slurm = "slurm",
        /// Accounting of PBS, OpenPBS or Torque.
        Pbs = "pbs",
    }
}

/// How records become jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The format of the file (used where one is opened).
    pub format: Format,
    /// The rule for lines, or jobs of Batsim, that cannot be read (used where a file is opened).
    pub lines: Strictness,
    /// The speed of a node in flop/s, for workloads of Batsim that compute (used where a file is opened).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flops: Option<NonZeroU64>,
    /// The field with the size of a job.
    pub size: SizeField,
    /// The part that is taken.
    pub select: Selection,
    /// The rules for anomalous lines.
    pub rules: Rules,
    /// The units (nodes; processors without annotation) of the machine: jobs with more tasks are too wide. Without it
    /// none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<u32>,
    /// Where tasks, needs and memory come from.
    pub annotation: Annotation,
    /// Whether jobs say from which group, queue and partition they come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub origins: bool,
}

impl Format {
    /// The format of a file: never [`Format::ByName`].
    #[must_use]
    pub fn of(self, path: &Path) -> Format {
        if self != Format::ByName {
            return self;
        }
        let name = path.to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        if file.len() == 8 && file.bytes().all(|byte| byte.is_ascii_digit()) && name.ends_with(&*file) {
            return Format::Pbs;
        }
        match name.rsplit_once('.') {
            Some((_, "json")) => Format::Batsim,
            Some((_, "gwf")) => Format::Gwf,
            Some((_, "sacct")) => Format::Slurm,
            Some((_, "pbs")) => Format::Pbs,
            _ => Format::Swf,
        }
    }
}

/// What was met while reading and preparing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The reading.
    pub read: ReadReport,
    /// The rules.
    pub counts: Counts,
}

impl fmt::Display for Report {
    /// The counts, and notices of broken lines, lines out of order and communication if there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts.fmt(f)?;
        self.read.notices().iter().try_for_each(|notice| write!(f, "; {notice}"))
    }
}

/// A file of jobs: streamed, its lines in order; or read whole and sorted.
pub type Log = Box<dyn Source + Send>;

/// The reader of a log in a format with a job a line.
fn reader(path: &Path, options: &Options, order: Order) -> Result<Reader<'static>, LogError> {
    let dialect = match options.format.of(path) {
        Format::Gwf => gwf::DIALECT,
        _ => swf::DIALECT,
    };
    let mut reader = Reader::new(opened(path), &path.display().to_string(), dialect, options.lines, order)?;
    reader.stop_after(options.select.end());
    Ok(reader)
}

/// Does some work on the jobs of a file (a log or a workload of Batsim) while it is read, and gives its result if the file
/// turns out to be good: as [`Opened::with_jobs`].
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with the faults of the file and of the rules.
pub fn with_jobs<T>(
    path: &Path,
    options: &Options,
    work: impl FnMut(&mut JobStream<Log>) -> T,
) -> Result<(T, Report), LogError> {
    Opened::open(path, options)?.with_jobs(work)
}

/// The records of a file in the order of their submit times: all of them, or those that come before the end of the
/// selection in the file.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with the faults of the file.
pub fn read_whole(path: &Path, options: &Options) -> Result<Whole, LogError> {
    match options.format.of(path) {
        Format::Batsim => batsim::read(path, options.lines, options.flops),
        Format::Slurm => slurm::read(path, options.lines),
        Format::Pbs => pbs::read(path, options.lines),
        _ => Whole::read(reader(path, options, Order::Any)?),
    }
}

/// What the jobs of a log asked for of resources beside processors and memory, as names and numbers of units; only listings of Slurm say
/// that.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with the faults of the file.
pub fn resources(path: &Path, options: &Options) -> Result<Arc<Asked>, LogError> {
    if options.format.of(path) != Format::Slurm {
        return Ok(Arc::default());
    }
    Ok(slurm::read(path, options.lines)?.asked())
}

/// All jobs of a file, in the order of their submit times.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with the faults of the file and of the rules.
pub fn read_jobs(path: &Path, options: &Options) -> Result<(Vec<Job>, Report), LogError> {
    with_jobs(path, options, |jobs| jobs.collect())
}

/// The jobs of a log in the Grid Workloads Format that came from one site (field 17, `OrigSiteID`), in the order of their submit
/// times; the format of the options does not matter.
///
/// # Errors
/// [`LogError::Open`], [`LogError::Faults`] with the faults of the file and of the rules, [`LogError::NoSuchSite`].
pub fn read_jobs_from(path: &Path, options: &Options, site: &str) -> Result<(Vec<Job>, Report), LogError> {
    let mut reader = reader(path, &Options { format: Format::Gwf, ..*options }, Order::Any)?;
    reader.only_from(site);
    let mut stream = JobStream::new(Whole::read(reader)?, options);
    let jobs = stream.by_ref().collect();
    Ok((jobs, stream.finish()?))
}
