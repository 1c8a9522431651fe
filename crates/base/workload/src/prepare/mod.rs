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
use crate::log::{
    Account, Fate, LogError, Order, ReadReport, Reader, ResourceRequests, Source, Strictness, Whole, open_log,
};
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
        /// Format by the file name: a Batsim workload for `.json` and `.json.gz`, the Grid Workloads
        /// Format for `.gwf` and `.gwf.gz`, a listing of Slurm's `sacct --parsable2` for `.sacct`
        /// and `.sacct.gz`, PBS accounting for `.pbs` and `.pbs.gz` and for names of eight digits
        /// (the server names files by date), and the Standard Workload Format for all others.
        #[default]
        ByName = "by-name",
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
    }
}

/// Options for the conversion of records to jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Format of the file; used when a file is opened.
    pub format: Format,
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
}

impl Format {
    /// Determines the format of a file; never [`Format::ByName`].
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
        account.add_text(Fate::LeftOut, "records outside the selected part", self.counts.outside);
        let begun =
            "jobs that ran when the selected part begins, submitted then with the rest of their run time";
        account.add_text(Fate::Changed, begun, self.counts.begun);
        for (reason, lines) in self.read.reasons.all() {
            account.add_text(Fate::Rejected, format!("lines with an invalid {reason}"), lines);
        }
        let unexplained = self.read.broken - self.read.reasons.all().map(|(_, lines)| lines).sum::<u64>();
        account.add_text(Fate::Rejected, "invalid lines", unexplained);
        for &anomaly in Anomaly::ALL {
            let AnomalyCounts { clamped, dropped, .. } = self.counts.of(anomaly);
            account.add_text(Fate::Rejected, format!("jobs dropped by the rule {anomaly}"), dropped);
            account.add_text(Fate::Changed, format!("jobs changed by the rule {anomaly}"), clamped);
        }
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

/// Opens the reader of a line-based log.
fn reader(path: &Path, options: &Options, order: Order) -> Result<Reader<'static>, LogError> {
    let dialect = match options.format.of(path) {
        Format::Gwf => gwf::DIALECT,
        _ => swf::DIALECT,
    };
    let mut reader = Reader::new(open_log(path), &path.display().to_string(), dialect, options.lines, order)?;
    reader.stop_after(options.select.end());
    Ok(reader)
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
    match options.format.of(path) {
        Format::Batsim => batsim::read(path, options.lines, options.flops),
        Format::Slurm => slurm::read(path, options.lines),
        Format::Pbs => pbs::read(path, options.lines),
        _ => Whole::read(reader(path, options, Order::Any)?),
    }
}

/// Reads the requests of the jobs for resources other than processors and memory, as names and
/// numbers of units. Only Slurm accounting has them; the result is empty for other formats.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with the errors in the file.
pub fn resources(path: &Path, options: &Options) -> Result<Arc<ResourceRequests>, LogError> {
    if options.format.of(path) != Format::Slurm {
        return Ok(Arc::default());
    }
    Ok(slurm::read(path, options.lines)?.resource_requests())
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
    let mut reader = reader(path, &Options { format: Format::Gwf, ..*options }, Order::Any)?;
    reader.filter_site(site);
    let mut stream = JobStream::new(Whole::read(reader)?, options);
    let jobs = stream.by_ref().collect();
    Ok((jobs, stream.finish()?))
}
