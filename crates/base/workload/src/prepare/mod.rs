//! Preparation: conversion of the records of a log to the jobs of a simulation.
//!
//! A [`JobStream`] converts the records of any [`Source`] to jobs, one at a time. It selects a part
//! of the log, applies the [`Rules`] for anomalous lines, and adds tasks, CPU needs and memory
//! ([`Annotation`]). A [survey](Opened::survey) reads a file completely before its jobs are
//! simulated while the file is read again. [`with_jobs`] processes the jobs in a single pass, and
//! returns the result only if the file is valid to its end. [`read_jobs`] collects the jobs.
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
//! Sources: the dissertation, section 5.3, for the annotations; the archive's advice on cleaning for
//! the default rules.

mod annotate;
mod circles;
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
use crate::formats::table::{self, Map};
use crate::formats::{batsim, gwf, pbs, slurm, swf};
use crate::log::{
    Account, Fate, Input, LogError, Order, ReadReport, Reader, ResourceRequests, Source, Strictness, Whole,
    read_error,
};
use crate::recognise::{Kind, Peeked};
use dfrsim_model::Job;
use dfrsim_model::named;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Read as _;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

named! {
    /// The format of a file.
    #[derive(Default)]
    pub enum Format as "format" {
        /// Format by the content of the file, as [`recognise`](crate::recognise) determines it.
        #[default]
        ByContent = "by-content",
        /// A log in the Standard Workload Format.
        Swf = "swf",
        /// A log in the Grid Workloads Format.
        Gwf = "gwf",
        /// A Batsim workload.
        Batsim = "batsim",
        /// Output of Slurm's `sacct --parsable2`.
        Slurm = "slurm",
        /// Accounting of PBS, OpenPBS or Torque.
        Pbs = "pbs",
        /// A table with the columns of [`Options::columns`].
        Table = "table",
    }
}

/// Options for the conversion of records to jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Format of the file; used when a file is opened.
    pub format: Format,
    /// Map of the columns, if the file is a table; used when a file is opened.
    #[serde(skip)]
    pub columns: Option<Arc<Map>>,
    /// Treatment of invalid lines, or of invalid jobs of Batsim; used when a file is opened.
    pub lines: Strictness,
    /// Node speed in flop/s, for Batsim workloads with computations; used when a file is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flops: Option<NonZeroU64>,
    /// Field with the size of a job.
    pub size: SizeField,
    /// Part of the log that is selected.
    pub select: Selection,
    /// Rules for anomalous lines.
    pub rules: Rules,
    /// Number of units of the machine (nodes; processors without annotation). Jobs with more tasks
    /// are anomalous. Without it no job is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<u32>,
    /// Source of tasks, CPU needs and memory.
    pub annotation: Annotation,
    /// True if jobs carry their group, queue and partition.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub origins: bool,
    /// True if the dependencies of the log are used, so that a circle of them is an error.
    #[serde(skip)]
    pub dependencies: bool,
}

impl Options {
    /// Determines the format of a file of this kind; never [`Format::ByContent`].
    ///
    /// # Errors
    ///
    /// [`LogError::OtherKind`].
    fn format_of(&self, kind: &Kind, path: &Path) -> Result<Format, LogError> {
        let file = || path.display().to_string();
        let is_no_table = |map: &Arc<Map>| match kind {
            Kind::Swf | Kind::Gwf => !map.is_of_blanks(),
            Kind::Pbs | Kind::Batsim => true,
            Kind::Slurm | Kind::Table(_) | Kind::Foreign(_) | Kind::Text(_) => false,
        };
        if self.columns.as_ref().is_some_and(is_no_table) {
            let message = format!("found {}, which needs no `--columns`", kind.description());
            return Err(LogError::OtherKind { file: file(), message });
        }
        Ok(match (self.format, kind) {
            (Format::ByContent, kind) if self.columns.is_some() && kind.may_be_table() => Format::Table,
            (Format::ByContent, Kind::Swf) => Format::Swf,
            (Format::ByContent, Kind::Gwf) => Format::Gwf,
            (Format::ByContent, Kind::Slurm) => Format::Slurm,
            (Format::ByContent, Kind::Pbs) => Format::Pbs,
            (Format::ByContent, Kind::Batsim) => Format::Batsim,
            (Format::ByContent, other) => {
                let message = other.refusal().unwrap_or_default();
                return Err(LogError::OtherKind { file: file(), message });
            }
            (given, _) => given,
        })
    }
}

/// Counts of reading and preparing a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Counts of the reader.
    pub read: ReadReport,
    /// Counts of the rules.
    pub counts: Counts,
}

impl Report {
    /// Returns the account of the file, with the records that were not selected and the effects of
    /// the rules. Its lines are the jobs ([`Counts::jobs`]) and the lines that were left out or
    /// rejected.
    pub fn account(&self) -> Account {
        let mut account = self.read.account.clone();
        let counts = &self.counts;
        // Records after the end of the selected part are read, but not prepared.
        let outside = self.read.records.saturating_sub(counts.records - counts.outside);
        account.add_text(Fate::LeftOut, "records outside the selected part", outside);
        let begun =
            "jobs that ran when the selected part begins, submitted then with the rest of their run time";
        account.add_text(Fate::Changed, begun, counts.begun);
        for (reason, lines) in self.read.reasons.all() {
            account.add_text(Fate::Rejected, format!("lines with an invalid {reason}"), lines);
        }
        let unexplained = self.read.broken - self.read.reasons.all().map(|(_, lines)| lines).sum::<u64>();
        account.add_text(Fate::Rejected, "invalid lines", unexplained);
        for &anomaly in Anomaly::ALL {
            let AnomalyCounts { kept, clamped, dropped } = self.counts.of(anomaly);
            account.add_text(Fate::Rejected, format!("jobs dropped by the rule {anomaly}"), dropped);
            account.add_text(Fate::Changed, format!("jobs changed by the rule {anomaly}"), clamped);
            account.add_text(Fate::Noted, format!("jobs kept by the rule {anomaly}"), kept);
        }
        account.add_text(Fate::Noted, "jobs without requested time", self.counts.without_estimate);
        account.add_text(Fate::Noted, "lines out of order, sorted", self.read.out_of_order);
        debug_assert_eq!(account.jobs(), counts.jobs, "the account does not add up: {account:?}");
        account
    }
}

impl fmt::Display for Report {
    /// Formats the counts, with notices of invalid lines, lines out of order and communication if
    /// there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts.fmt(f)?;
        self.read.notices().iter().try_for_each(|notice| write!(f, "; {notice}"))
    }
}

/// A source of records: a file that is streamed in order, or one that has been read completely and
/// sorted.
pub type Log = Box<dyn Source + Send>;

/// A file whose format is known, of which nothing has been read.
struct Unread<'p> {
    path: &'p Path,
    input: Input<'static>,
    format: Format,
}

impl<'p> Unread<'p> {
    /// Opens a file and determines its format.
    fn open(path: &'p Path, options: &Options) -> Result<Unread<'p>, LogError> {
        let Peeked { kind, input } = Peeked::open(path)?;
        Ok(Unread { path, input, format: options.format_of(&kind, path)? })
    }
    /// Returns whether the file has a job on each line, so that it can be streamed.
    fn is_line_based(&self) -> bool {
        matches!(self.format, Format::Swf | Format::Gwf)
    }
    /// Creates the reader of a line-based log.
    fn reader(self, options: &Options, order: Order) -> Result<Reader<'static>, LogError> {
        let dialect = if self.format == Format::Gwf { gwf::DIALECT } else { swf::DIALECT };
        let file = self.path.display().to_string();
        let mut reader = Reader::new(Ok(self.input), &file, dialect, options.lines, order)?;
        reader.stop_after(options.select.end());
        Ok(reader)
    }
    /// Reads a file of any format completely.
    fn read(self, options: &Options) -> Result<Whole, LogError> {
        if self.is_line_based() {
            return Whole::read(self.reader(options, Order::Any)?);
        }
        let Unread { path, mut input, format } = self;
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| read_error(path, &error))?;
        let file = path.display().to_string();
        if let (Format::Table, Some(map)) = (format, &options.columns) {
            return table::read(&bytes, &file, map, options.lines);
        }
        if format == Format::Batsim {
            let text = String::from_utf8(bytes).map_err(|error| read_error(path, &error))?;
            return batsim::read_text(&text, &file, options.lines, options.flops);
        }
        let text = String::from_utf8_lossy(&bytes);
        match format {
            Format::Slurm => slurm::read_text(&text, &file, options.lines),
            _ => pbs::read_text(&text, &file, options.lines),
        }
    }
}

/// Opens the reader of a line-based log.
fn reader(path: &Path, options: &Options, order: Order) -> Result<Reader<'static>, LogError> {
    Unread::open(path, options)?.reader(options, order)
}

/// Processes the jobs of a file (a log or a Batsim workload) while it is read, and returns the
/// result if the file is valid: see [`Opened::with_jobs`].
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with the errors in the file and the violations of
/// the rules.
pub fn with_jobs<T>(
    path: &Path,
    options: &Options,
    work: impl FnMut(&mut JobStream<Log>) -> T,
) -> Result<(T, Report), LogError> {
    Opened::open(path, options)?.with_jobs(work)
}

/// Reads the records of a file in the order of their submit times: all of them, or those before the
/// end of the selection in the file.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with the errors in the file.
pub fn read_whole(path: &Path, options: &Options) -> Result<Whole, LogError> {
    Unread::open(path, options)?.read(options)
}

/// Reads the requests of the jobs for resources other than processors and memory, as names and
/// numbers of units. Listings of Slurm have them; the result is empty for other formats and
/// for pipes.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with the errors in the file.
pub fn resources(path: &Path, options: &Options) -> Result<Arc<ResourceRequests>, LogError> {
    // A pipe can be read only once.
    if !path.is_file() && path.exists() {
        return Ok(Arc::default());
    }
    let file = Unread::open(path, options)?;
    if file.is_line_based() {
        return Ok(Arc::default());
    }
    Ok(file.read(options)?.resource_requests())
}

/// Reads all jobs of a file, in the order of their submit times.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with the errors in the file and the violations of
/// the rules.
pub fn read_jobs(path: &Path, options: &Options) -> Result<(Vec<Job>, Report), LogError> {
    with_jobs(path, options, |jobs| jobs.collect())
}

/// Reads the jobs of a log in the Grid Workloads Format that came from one site (field 17,
/// `OrigSiteID`), in the order of their submit times. The format in the options is ignored.
///
/// # Errors
///
/// [`LogError::Open`], [`LogError::Faults`] with the errors in the file and the violations of the
/// rules, [`LogError::NoSuchSite`].
pub fn read_jobs_from(path: &Path, options: &Options, site: &str) -> Result<(Vec<Job>, Report), LogError> {
    let mut reader = reader(path, &Options { format: Format::Gwf, ..options.clone() }, Order::Any)?;
    reader.filter_site(site);
    let mut stream = JobStream::new(Whole::read(reader)?, options);
    let jobs = stream.by_ref().collect();
    Ok((jobs, stream.finish()?))
}
