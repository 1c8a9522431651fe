//! Reader of PBS accounting: the files in `server_priv/accounting` of Torque, OpenPBS and PBS
//! Professional.
//!
//! A line is `MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE KEY=VALUE ...`. The files of several days are
//! read together (`cat 202603?? > march.pbs`). [`read`] returns the jobs as the records of a log, to
//! be used like any other log.
//!
//! ```
//! use dfrsim_workload::formats::pbs;
//! use dfrsim_workload::log::{Source, Strictness};
//! let text = "\
//! 03/01/2026 09:00:00;Q;12.head;queue=batch
//! 03/01/2026 09:00:20;S;12.head;user=anna group=bio jobname=sim queue=batch ctime=1772355600 start=1772355620
//! 03/01/2026 10:00:20;E;12.head;user=anna group=bio jobname=sim queue=batch ctime=1772355600 start=1772355620 exec_host=n1/0*4+n2/0*4 Resource_List.nodes=2:ppn=4 Resource_List.walltime=02:00:00 end=1772359220 Exit_status=0
//! 03/01/2026 10:01:00;Q;13.head;queue=batch
//! ";
//! let mut log = pbs::read_text(text, "march.pbs", Strictness::Strict)?;
//! let jobs: Vec<_> = log.by_ref().map(|line| line.record).collect();
//! assert_eq!((jobs.len(), jobs[0].job, jobs[0].requested_processors), (1, 12, Some(8)));
//! assert_eq!(jobs[0].run_time.unwrap().to_string(), "3600");
//! assert_eq!(log.finish()?.notices(), ["lines of events of jobs, left out: 3", "jobs that had not ended, left out: 1"]);
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | type | treatment of the line |
//! |---|---|
//! | `E` (exit) | a record |
//! | `R` (rerun) | a failed record of the run that ends there; the job is requeued, and the submit time of its next run is that of the requeue |
//! | `A` (abort) | a failed record, unless the job has an `E` line too |
//! | `D` (delete) | the job's record is cancelled; if it never started and has no `E` line, this is its record |
//! | `Q`, `S`, `C`, `T` and others of jobs | their attributes are kept for the record; a job without any of the above had not ended and is skipped |
//! | `L`, reservations, arrays as a whole (`12[]`) | counted and skipped |
//!
//! | field of the record | attributes, the first one present |
//! |---|---|
//! | job | the number before the server's name, if all are distinct whole numbers; otherwise jobs (array tasks are `12[3]` or `12-3`) are numbered from 1 in the order of the file |
//! | submit, wait | `ctime`, `qtime`, the time of the first line; `start`, the time of the line `S`. Second 0 is the first submission |
//! | run time | `end` (or the time of the line) - `start`; `resources_used.walltime` where that is not 0 and shorter by more than a minute, as the job was suspended; 0 for a job that never started |
//! | allocated processors | `total_execution_slots`, `exec_vnode`, `exec_host` |
//! | requested processors | the largest of `Resource_List.nodes` (`2:ppn=4`), `.select` (`2:ncpus=4`), `.ncpus` and `.procs`; the allocated processors; 1 |
//! | requested time | `Resource_List.walltime` |
//! | requested, used memory | `Resource_List.pmem`; `Resource_List.mem` or the memory of the chunks, divided by the processors; `resources_used.mem`, divided too |
//! | CPU time | `resources_used.cput`, divided by the processors |
//! | status | `Exit_status`: 0 is completed (1), others failed (0); unknown without one; deleted jobs are cancelled (5) |
//! | preceding job, think time | `depend=afterok:...`: of several jobs the one that ended last; dependencies that contradict the times and exit codes are dropped, as they were evidently removed |
//! | user, group, executable, queue | `user`; `account`, `group`; `jobname`; `queue`: names are numbered from 1 in the order of appearance; the header has those of queues |
//!
//! Attributes have times since 1970, whereas the time stamps of lines are local. The offset is taken
//! from the latest line of the file that has both (`S` with `start`, `E` with `end`), rounded to 15
//! minutes.
//!
//! Sources: *Torque Administrator Guide*, "Accounting records"; *PBS Professional Administrator's
//! Guide*, "Accounting". Debian packages neither system, so the tests use lines modelled on the
//! examples of these guides, not recorded ones.

mod amounts;
mod job;
mod line;

use crate::log::{Listing, LogError, Reason, Strictness, Whole, file_text, unix_seconds};
use job::{End, OpenJob};
use line::AccountingLine;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Reads a file, plain or gzip.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with all errors in the file. With
/// [`Strictness::Lenient`], invalid lines are skipped and counted; a file without a valid line is an
/// error even then.
pub fn read(path: &Path, strictness: Strictness) -> Result<Whole, LogError> {
    read_text(&file_text(path)?, &path.display().to_string(), strictness)
}

/// Parses a text, which messages call `file`, as [`read`] does.
///
/// # Errors
///
/// [`LogError::Faults`] with all errors in the text.
pub fn read_text(text: &str, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    let mut listing = Listing::new(file);
    let mut entries: Vec<(u64, AccountingLine<'_>)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        listing.account.lines += 1;
        match AccountingLine::parse(line) {
            Ok(entry) => entries.push((number, entry)),
            Err(problem) => listing.leave_out(number, [problem]),
        }
    }
    let mut reading = JobTracker::new(&entries, listing);
    let last: FxHashMap<&str, usize> = (0..)
        .zip(&entries)
        .filter(|(_, (_, entry))| may_end_job(entry))
        .map(|(place, (_, entry))| (entry.id, place))
        .collect();
    for (place, (number, entry)) in entries.iter().enumerate() {
        reading.apply_line(*number, entry, last.get(entry.id) == Some(&place));
    }
    let JobTracker { mut listing, open_jobs: lives, .. } = reading;
    listing.account.add(Reason::UNENDED_JOB, lives.len() as u64);
    listing.finish(file, strictness, "accounting of PBS")
}

/// Returns whether the line ends its job if it is the last such line of the job.
fn may_end_job(entry: &AccountingLine<'_>) -> bool {
    entry.is_of_job() && matches!(entry.kind, "E" | "A" | "D")
}

/// Computes the offset in seconds of the local time of a line from the Unix times in its attributes,
/// if it has one.
fn clock_offset(entry: &AccountingLine<'_>) -> Option<i64> {
    const QUARTER: i64 = 900;
    let key = match entry.kind {
        "S" => "start",
        "E" => "end",
        _ => return None,
    };
    let at = unix_seconds(entry.attributes.get(key)).filter(|&at| at > 0)?;
    Some((entry.at - at + QUARTER / 2).div_euclid(QUARTER) * QUARTER)
}

/// State of the reader: the records so far and the jobs that have not ended.
struct JobTracker<'a> {
    listing: Listing,
    open_jobs: FxHashMap<&'a str, OpenJob<'a>>,
    offset: i64,
}

impl<'a> JobTracker<'a> {
    fn new(entries: &[(u64, AccountingLine<'a>)], listing: Listing) -> JobTracker<'a> {
        let offset = entries.iter().find_map(|(_, entry)| clock_offset(entry)).unwrap_or(0);
        JobTracker { listing, open_jobs: FxHashMap::default(), offset }
    }

    /// Applies a line. `is_last` is true for the last line that could end its job.
    fn apply_line(&mut self, number: u64, entry: &AccountingLine<'a>, is_last: bool) {
        if !entry.is_of_job() {
            self.listing.account.count(Reason::NOT_OF_JOB);
            return;
        }
        self.offset = clock_offset(entry).unwrap_or(self.offset);
        let at = entry.at - self.offset;
        let life = self.open_jobs.entry(entry.id).or_default();
        let end = match entry.kind {
            "E" => Some(End::Exit),
            "R" if life.has_started() => Some(End::Requeue),
            "A" if is_last => Some(End::Abort),
            // A running job still has to exit.
            "D" if is_last && !life.has_started() => Some(End::Exit),
            _ => None,
        };
        let Some(end) = end else {
            life.apply(at, entry.kind, entry.attributes.clone());
            self.listing.account.count(Reason::EVENT);
            return;
        };
        if entry.kind == "D" {
            life.apply(at, entry.kind, entry.attributes.clone());
        }
        let job = life.end(number, at, entry, end, &mut self.listing);
        if end != End::Requeue {
            self.open_jobs.remove(entry.id);
        }
        self.listing.add(number, job);
    }
}
