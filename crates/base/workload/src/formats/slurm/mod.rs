//! Reader of Slurm accounting: the output of `sacct --parsable2`.
//!
//! ```text
//! sacct --allusers --parsable2 --starttime 2026-01-01 --endtime 2026-02-01 --duplicates \
//!   --format JobID,JobIDRaw,User,Account,QOS,Partition,State,Submit,Start,End,ElapsedRaw,Suspended,TimelimitRaw,ReqCPUS,AllocCPUS,ReqMem,ReqTRES,AllocTRES
//! ```
//!
//! The first line names the columns. They may have any order, and other columns are ignored. The
//! delimiter is the character after the name of the first column. `JobID`, `State`, `Submit`,
//! `Start`, and `End` or a column of elapsed time are required. [`read`] returns the jobs as the
//! records of a log, to be used like any other log.
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
//!         "jobs that never started: 1",
//!         "tasks of arrays: 1"
//!     ]
//! );
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | field of the record | columns, the first one present |
//! |---|---|
//! | job | `JobIDRaw`, `JobID`, if these are distinct whole numbers; otherwise jobs are numbered from 1 in the order of the file |
//! | submit, wait | `Submit`, `Start`: second 0 is the first submission, and `UnixStartTime` of the header is its time if the listing is in UTC. Where the clock changes for daylight saving, times of that night are an hour off |
//! | run time | `ElapsedRaw`, `Elapsed` (both without suspended time), `End` - `Start`; 0 for a job that never started |
//! | allocated, requested processors | `AllocCPUS`, `NCPUS`, `cpu` of `AllocTRES`; `ReqCPUS`, `cpu` of `ReqTRES` |
//! | requested time | `TimelimitRaw`, `Timelimit`; unknown if there is no limit |
//! | requested memory | `ReqMem`, divided by the processors; with a suffix `n` (older versions) it is per node, with `c` per processor |
//! | status | `State`: completed (1), cancelled (5), all other final states failed (0) |
//! | preceding jobs, think time | `SubmitLine` with `--dependency=afterok:JOB` (or `afterany`, `aftercorr`, `afternotok`, `after`, `singleton`; field 17 is the job that ended last), Slurm 21.08 and later. Dependencies that contradict the times and states of the listing are dropped, as they were evidently removed |
//! | user, group, executable, queue, partition | `User`; `Account`, `Group`; `JobName`; `QOS`; `Partition`: names are numbered from 1 in the order of appearance, so that no user can be recognised; the header has those of queues and partitions |
//!
//! Every line is accounted for ([`Account`]). Steps, and jobs that had not ended, are skipped. A
//! run that ended in a requeue is a separate job, as is each component of a heterogeneous job. A
//! record has no fields for GPUs, features, and the number of array tasks that may run at once (from
//! `JobID` such as `12_[1-40%4]` of any task, or `--array=1-40%4` in `SubmitLine`). These are in
//! [`Whole::resource_requests`], with the prefix `%` for arrays and `+` for heterogeneous jobs. A
//! `|` in a job name, which `sacct` does not escape, is recognised by the number of fields.
//!
//! Source: the manual page of `sacct`, Slurm 20.11 to 24.05, and the output of Slurm 22.05
//! (`scripts/record/sacct`).

mod amounts;
mod columns;
mod job;

use super::slurm_conf::{feature_of_partition, feature_of_reservation, first_partition, identifier};
use crate::log::{
    Account, AccountingJob, Faults, Listing, LogError, Problem, Reason, ResourceRequests, Strictness, Whole,
    file_text,
};
use columns::{Column, Columns, Row};
use dfrsim_model::JobId;
use job::{array, has_not_ended, read_job};
use rustc_hash::FxHashMap;
use std::path::Path;

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

/// Parses a text, which messages call `file`, as [`read`] does.
///
/// # Errors
///
/// [`LogError::Faults`] with all errors in the text.
pub fn read_text(text: &str, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let columns = match Columns::parse(lines.next().map_or("", |(_, line)| line)) {
        Ok(columns) => columns,
        Err(reason) => {
            let mut faults = Faults::new(file);
            faults.push(1, Problem::Syntax { format: "a listing of `sacct --parsable2`", reason });
            return Err(faults.into());
        }
    };
    let (mut listing, mut arrays) = (Listing::new(file), FxHashMap::default());
    for (number, line) in lines {
        listing.account.lines += 1;
        let row = match columns.row(line) {
            Ok(row) => row,
            Err(problem) => {
                listing.leave_out(number, [problem]);
                continue;
            }
        };
        if let Some((array, Some(most))) = array(&row) {
            arrays.insert(array, most);
        }
        if row.get(Column::JobId).contains('.') {
            listing.account.count(Reason::STEP);
        } else if has_not_ended(&row) {
            listing.account.count(Reason::UNENDED);
        } else {
            let job = read_job(number, &row, &mut listing.names);
            job.iter().for_each(|job| count_properties(&mut listing.account, &row, job));
            listing.add(number, job);
        }
    }
    let log = listing.finish(file, strictness, "accounting of Slurm, by sacct")?;
    let rows: Vec<&str> = text.lines().collect();
    let mut all_asked = ResourceRequests::new();
    for line in log.lines() {
        let Ok(row) = columns.row(rows[line.number as usize - 1]) else { continue };
        let mut asked = requested_resources(&row, line.record.nodes.unwrap_or(1));
        let array = array(&row).and_then(|(array, _)| arrays.get_key_value(array));
        asked.extend(array.map(|(array, most)| (format!("%{array}"), *most)));
        let of_several = row.get(Column::JobId).split_once('+');
        asked.extend(of_several.map(|(job, _)| (format!("+{job}"), 1)));
        if !asked.is_empty() {
            all_asked.insert(JobId(line.record.job), asked);
        }
    }
    Ok(log.with_requests(all_asked))
}

/// Returns the requests of a job for resources other than processors and memory, as names and
/// numbers:
///
/// * Generic resources (`gres/gpu` and others in `AllocTRES`, else `ReqTRES`, else those of each
///   node in `ReqGRES`), in units.
/// * The types that were requested (`gpu_a100`), in units.
/// * Node features, with the prefix `@` and the number 1: `Constraints` (all of them are required),
///   the partition as `@partition-NAME` (the first of several), and the reservation as
///   `@reservation-NAME`.
fn requested_resources(row: &Row<'_>, nodes: u32) -> Vec<(String, u32)> {
    let mut asked = total_by_name(match row.first(&[Column::AllocTres, Column::ReqTres]) {
        Some((_, list)) => tres_gres(list).collect(),
        None => requested_gres(row.get(Column::ReqGres), nodes).collect(),
    });
    // The type of an allocated GPU is not a constraint, as the job may not have requested it.
    let types = tres_gres(row.get(Column::ReqTres)).chain(requested_gres(row.get(Column::ReqGres), nodes));
    asked.extend(
        types.filter_map(|(name, of_type, number)| {
            Some((identifier(&format!("{name}_{}", of_type?)), number))
        }),
    );
    let constraints = row.get(Column::Constraints);
    // Alternatives and node counts in constraints are not supported.
    let features = constraints.split(['&', ',']).filter(|_| !constraints.contains(['|', '*', '[', '(']));
    let features = features.map(str::trim).filter(|name| !name.is_empty()).map(identifier);
    let partition = Some(first_partition(row.get(Column::Partition))).filter(|name| !name.is_empty());
    let reservation = Some(row.get(Column::Reservation)).filter(|name| !name.is_empty());
    let features = features.chain(partition.map(feature_of_partition));
    let features = features.chain(reservation.map(feature_of_reservation));
    asked.extend(features.map(|name| (format!("@{name}"), 1)));
    asked
}

/// A generic resource: its name, its type if given, and the number of units.
type GresRequest<'a> = (&'a str, Option<&'a str>, u32);

/// Parses the generic resources in a TRES list: `gres/gpu=2` and `gres/gpu:a100=2`.
fn tres_gres(list: &str) -> impl Iterator<Item = GresRequest<'_>> {
    list.split(',').filter_map(|part| {
        let (name, number) = part.strip_prefix("gres/")?.split_once('=')?;
        let number = number.parse::<u32>().ok().filter(|number| *number > 0)?;
        let (name, of_type) =
            name.split_once(':').map_or((name, None), |(name, of_type)| (name, Some(of_type)));
        Some((name, of_type, number))
    })
}

/// Parses a request per node, `gpu:2` or `gpu:a100:2`, into totals over all nodes. A resource
/// without a number counts as one.
fn requested_gres(list: &str, nodes: u32) -> impl Iterator<Item = GresRequest<'_>> {
    list.split(',').filter(|part| !part.is_empty()).map(move |part| {
        let words: Vec<&str> = part.strip_prefix("gres/").unwrap_or(part).split(':').collect();
        let number = words.last().and_then(|number| number.parse::<u32>().ok());
        let of_type = words.get(1).copied().filter(|word| word.parse::<u32>().is_err());
        (words[0], of_type, number.unwrap_or(1).saturating_mul(nodes))
    })
}

/// Adds up the units of each resource by name, over all types. An entry without a type already is
/// the total.
fn total_by_name(mut parts: Vec<GresRequest<'_>>) -> Vec<(String, u32)> {
    parts.sort_unstable();
    let sum = |parts: &[GresRequest<'_>]| {
        let is_whole = parts[0].1.is_none();
        let counted = parts.iter().filter(|part| part.1.is_none() == is_whole);
        (parts[0].0.to_owned(), counted.fold(0_u32, |sum, part| sum.saturating_add(part.2)))
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

/// Counts the special properties of a job.
fn count_properties(account: &mut Account, row: &Row<'_>, job: &AccountingJob) {
    let id = row.get(Column::JobId);
    let is_suspended = row.get(Column::Suspended).bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let has_gpus =
        [Column::ReqTres, Column::AllocTres].iter().any(|&tres| row.get(tres).contains("gres/gpu"));
    account.count_if(Reason::UNSTARTED, job.end.is_none());
    account.count_if(Reason::DEPENDENT, !job.after.is_empty());
    account.count_if(Reason::REQUEUED, row.get(Column::State).starts_with("REQUEUE"));
    account.count_if(Reason::SUSPENDED, is_suspended);
    account.count_if(Reason::ARRAY_TASK, id.contains('_'));
    account.count_if(Reason::RESERVED, !row.get(Column::Reservation).is_empty());
    account.count_if(Reason::COMPONENT, id.contains('+'));
    account.count_if(Reason::WITH_GPUS, has_gpus);
}
