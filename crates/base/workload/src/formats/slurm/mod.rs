//! Reader of Slurm accounting: the output of `sacct --parsable2`, and its other layouts: `--json`,
//! columns of fixed widths as far as no value is cut, and any delimiter, also with quotes.
//!
//! ```text
//! sacct --allusers --parsable2 --starttime 2026-01-01 --endtime 2026-02-01 --duplicates \
//!   --format JobID,JobIDRaw,User,Account,QOS,Partition,State,Submit,Eligible,Start,End,ElapsedRaw,Suspended,TimelimitRaw,NNodes,ReqCPUS,AllocCPUS,ReqMem,ReqTRES,AllocTRES,Reservation,Constraints,SubmitLine
//! ```
//!
//! The first line names the columns. They may have any order; the use of each is in
//! [`Account::fields`](crate::log::Account::fields). The delimiter is the character after the name
//! of the first column. `JobID`, `State`, `Submit`, `Start`, and `End` or a column of elapsed time
//! are required. [`read`] returns the jobs as the records of a log, to be used like any other log.
//!
//! ```
//! use dfrsim_workload::formats::slurm;
//! use dfrsim_workload::log::{Source, Status, Strictness};
//! let text = "\
//! JobID|User|State|Submit|Start|End|Timelimit|AllocCPUS
//! 7|anna|COMPLETED|2026-03-01T09:00:00|2026-03-01T09:00:30|2026-03-01T10:00:30|1-00:00:00|16
//! 7.batch||COMPLETED|2026-03-01T09:00:30|2026-03-01T09:00:30|2026-03-01T10:00:30||8
//! 9_1|ben|CANCELLED by 1003|2026-03-01T09:00:10|None|2026-03-01T09:05:10|02:00:00|0
//! 9_[2-4]|ben|PENDING|2026-03-01T09:00:10|Unknown|Unknown|02:00:00|0
//! ";
//! let mut log = slurm::read_text(text, "march.sacct", Strictness::Strict)?;
//! let jobs: Vec<_> = log.by_ref().map(|line| line.record).collect();
//! assert_eq!(jobs[0].run_time.unwrap().to_string(), "3600");
//! assert_eq!((jobs[1].submit.to_string(), jobs[1].status), ("10".to_owned(), Status::Cancelled));
//! let report = log.finish()?;
//! assert_eq!(
//!     report.notices(),
//!     [
//!         "lines of steps, left out: 1",
//!         "jobs that had not ended, left out: 1",
//!         "jobs assumed to be eligible from their submission, as the listing lacks the column Eligible: 2",
//!         "jobs numbered in the order of the file, as not all of their ids are numbers: 2",
//!         "jobs that never started: 1",
//!         "tasks of arrays: 1"
//!     ]
//! );
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | field of the record | columns, the first one present |
//! |---|---|
//! | job | `JobIDRaw`, `JobID`, if these are whole numbers; otherwise jobs are numbered from 1 in the order of the file. A job with the number of another one is numbered after the largest number |
//! | submit, wait | `Eligible` if it is later than `Submit` (`--begin`, `--hold`) and no dependency of the listing explains it, otherwise `Submit`; `Start`: second 0 is the first submission, and `UnixStartTime` of the header is its time if the listing is in UTC. Where the clock changes for daylight saving, times of that night are an hour off |
//! | run time | `ElapsedRaw`, `Elapsed` (both without suspended time), `End` - `Start`; 0 for a job that never started |
//! | allocated, requested processors | `AllocCPUS`, `NCPUS`, `cpu` of `AllocTRES`; `ReqCPUS`, `cpu` of `ReqTRES` |
//! | requested time | `TimelimitRaw`, `Timelimit`; unknown if there is no limit |
//! | requested memory | `mem` of `AllocTRES`, `mem` of `ReqTRES`, `ReqMem`, divided by the processors; `ReqMem` with a suffix `n` (older versions) is per node, with `c` or with Slurm's bit (2^31 or 2^63 megabytes) per processor |
//! | status | `State`: completed (1), cancelled (5), all other final states failed (0) |
//! | preceding jobs, think time | `SubmitLine` with `--dependency=afterok:JOB` (or `afterany`, `aftercorr`, `afternotok`, `after`, `singleton`; field 17 is the job that ended last), Slurm 21.08 and later. Dependencies that contradict the times and states of the listing are dropped, as they were evidently removed |
//! | user, group, executable, queue, partition | `User`; `Account`, `Group`; `JobName`; `QOS`; `Partition`: names are numbered from 1 in the order of appearance, so that no user can be recognised; the header has those of queues and partitions |
//!
//! Every line is accounted for ([`Account`](crate::log::Account)). Steps, and jobs that had not started
//! or have no time limit, are skipped; jobs that still ran are assumed to run until their limit. The
//! runs of a requeued job (`--duplicates`) are one job, which was submitted with the first one and runs
//! as long as the last one. Each component of a heterogeneous job is a job. A record has no fields for
//! GPUs, features, and the number of array tasks that may run at once (from `JobID` such as
//! `12_[1-40%4]` of any task, or `--array=1-40%4` in `SubmitLine`). These are in
//! [`Whole::resource_requests`], with the prefix `%` for arrays and `+` for heterogeneous jobs. A `|`
//! in a field, which `sacct` does not escape, is recognised by the forms of the other fields.
//!
//! Source: the manual page of `sacct`, Slurm 20.11 to 24.05, and the output of Slurm 22.05
//! (`scripts/record/sacct`).

mod amounts;
mod broken_lines;
mod burst_buffer;
mod columns;
mod dependency;
mod fixed_width;
mod forms;
mod gres;
mod job;
mod json;
mod layout;
mod present;
mod properties;
mod rows;
mod runs;
mod state;
mod submission;

use crate::log::{
    Fate, Faults, Listing, LogError, Problem, Reason, ResourceRequests, Strictness, Whole, file_text,
};
use broken_lines::joined_lines;
use columns::{Column, Columns};
use dfrsim_model::JobId;
use gres::requested_resources;
use job::{array, is_without_end, read_job};
use layout::Layout;
pub use present::PresentJob;
use present::with_present;
use properties::Properties;
use runs::merge_runs;
use rustc_hash::FxHashMap;
use std::path::Path;
use submission::SubmitLine;

/// Lines that belong to the line above.
const LINE_BREAKS: Reason =
    Reason { fate: Fate::LeftOut, text: "lines that continue a field with line breaks" };

/// Lines of columns of fixed widths.
const FIXED_WIDTH: Reason = Reason {
    fate: Fate::Noted,
    text: "lines with columns of fixed widths, in which names may be cut (--parsable2 lists them whole)",
};

/// Reads a file, plain or gzip.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with all errors in the file. With
/// [`Strictness::Lenient`], invalid jobs are skipped and counted; a file without the required
/// columns is an error even then.
pub fn read(path: &Path, strictness: Strictness) -> Result<Whole, LogError> {
    read_text(&file_text(path)?, &path.display().to_string(), strictness)
}

/// Reads a file as [`read`] does, with lines for jobs that are in the system. Returns the number of
/// those that the file has, too, and whose lines are left out.
///
/// # Errors
///
/// Returns an error as [`read`] does, and if the file is no output of `sacct --parsable2`.
pub fn read_with(
    path: &Path,
    strictness: Strictness,
    jobs: &[PresentJob],
) -> Result<(Whole, usize), LogError> {
    let (text, file) = (file_text(path)?, path.display().to_string());
    let (text, same) = with_present(text.trim_start_matches('\u{feff}'), &file, jobs)?;
    Ok((read_text(&text, &file, strictness)?, same))
}

/// Parses a text, which messages call `file`, as [`read`] does.
///
/// # Errors
///
/// [`LogError::Faults`] with all errors in the text.
pub fn read_text(text: &str, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    // Spreadsheet programs write a byte order mark before the text.
    let text = text.trim_start_matches('\u{feff}');
    let layout = Layout::of(text);
    let text = &*layout.rows(text, file)?;
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let columns = match Columns::parse(header) {
        Ok(columns) => columns,
        Err(reason) => {
            let mut faults = Faults::new(file);
            faults.push(1, Problem::Syntax { format: "a listing of `sacct --parsable2`", reason });
            return Err(faults.into());
        }
    };
    let joined = joined_lines(text, &columns);
    let text = joined.as_ref().map_or(text, |joined| &joined.0);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).skip(1);
    let (mut listing, mut arrays) = (Listing::new(file), FxHashMap::default());
    let (mut runs, mut properties) = (Vec::new(), Properties::new(&columns));
    for (number, line) in lines {
        let row = match columns.row(line) {
            Ok(row) if columns.is_header(&row) => continue,
            Ok(row) => row,
            Err(problem) => {
                listing.account.lines += 1;
                listing.leave_out(number, [problem]);
                continue;
            }
        };
        listing.account.lines += 1;
        if row.get(Column::JobId).contains('.') {
            listing.account.count(Reason::STEP);
            continue;
        }
        let submission = SubmitLine::of_line(row.get(Column::SubmitLine));
        if let Some((array, Some(most))) = array(&row, &submission) {
            arrays.insert(array, most);
        }
        if is_without_end(&row) {
            listing.account.count(Reason::UNENDED);
            continue;
        }
        match read_job(number, &row, &submission, &mut listing.names) {
            Ok(run) => {
                properties.count(&row, &submission, &run);
                runs.push(run);
            }
            Err(problems) => listing.leave_out(number, problems),
        }
    }
    for job in merge_runs(runs, &mut listing.account) {
        listing.add(job.line, Ok(job));
    }
    properties.add_to(&mut listing.account);
    let breaks = joined.as_ref().map_or(0, |joined| joined.1);
    listing.account.lines += breaks;
    listing.account.add(LINE_BREAKS, breaks);
    if layout == Layout::FixedWidth {
        listing.account.add(FIXED_WIDTH, listing.account.lines);
    }
    let log = listing.finish(file, strictness, "accounting of Slurm, by sacct")?;
    let rows: Vec<&str> = text.lines().collect();
    let mut all_asked = ResourceRequests::new();
    for line in log.lines() {
        let Ok(row) = columns.row(rows[line.number as usize - 1]) else { continue };
        let submission = SubmitLine::of_line(row.get(Column::SubmitLine));
        let mut asked = requested_resources(&row, &submission, &line.record);
        let array = row.get(Column::JobId).split_once('_').and_then(|(array, _)| arrays.get_key_value(array));
        asked.extend(array.map(|(array, most)| (format!("%{array}"), *most)));
        let of_several = row.get(Column::JobId).split_once('+');
        asked.extend(of_several.map(|(job, _)| (format!("+{job}"), 1)));
        if !asked.is_empty() {
            all_asked.insert(JobId(line.record.job), asked);
        }
    }
    Ok(log.with_requests(all_asked))
}
