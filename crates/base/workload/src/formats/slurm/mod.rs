//! Accounting of Slurm: what `sacct --parsable2` prints.
//!
//! ```text
//! sacct --allusers --parsable2 --starttime 2026-01-01 --endtime 2026-02-01 --duplicates \
//!   --format JobID,JobIDRaw,User,Account,QOS,Partition,State,Submit,Start,End,ElapsedRaw,Suspended,TimelimitRaw,ReqCPUS,AllocCPUS,ReqMem,ReqTRES,AllocTRES
//! ```
//!
//! The first line names the columns. They may have any order, and others beside them are not used; the delimiter is
//! what follows the name of the first one. `JobID`, `State`, `Submit`, `Start`, and `End` or a column of elapsed time
//! must be there. [`read`] gives the jobs as the records of a log, so that all that is done with logs is done with
//! them.
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
//!     ["lines of steps: 1", "jobs that had not ended, left out: 1", "jobs that never started: 1", "tasks of arrays: 1"]
//! );
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | field of the record | columns, the first that is there |
//! |---|---|
//! | job | `JobIDRaw`, `JobID`, if these are different whole numbers; otherwise jobs are numbered from 1, as they come |
//! | submit, wait | `Submit`, `Start`: second 0 is the first submission, and `UnixStartTime` of the header says when that was if the times are UTC. Where the clock was changed for daylight saving, times of that night are an hour off |
//! | run time | `ElapsedRaw`, `Elapsed` (without time in which the job was suspended), `End` - `Start`; 0 of a job that never started |
//! | allocated, requested processors | `AllocCPUS`, `NCPUS`, `cpu` of `AllocTRES`; `ReqCPUS`, `cpu` of `ReqTRES` |
//! | requested time | `TimelimitRaw`, `Timelimit`; no limit is unknown |
//! | requested memory | `ReqMem`, divided by the processors; with a suffix `n` (older versions) it is that of a node, with `c` that of a processor |
//! | status | `State`: completed (1), cancelled (5), all other ends failed (0) |
//! | preceding jobs, think time | `SubmitLine` with `--dependency=afterok:JOB` (or `afterany`, `aftercorr`, `afternotok`, `after`, `singleton`; field 17 is the job that ended last), Slurm 21.08 and later. What did not hold the job by the times and states of the listing was lifted |
//! | user, group, executable, queue, partition | `User`; `Account`, `Group`; `JobName`; `QOS`; `Partition`: names are
//! numbered from 1 as they come, so that no user can be recognised; the header has those of queues and partitions |
//!
//! Every line is accounted for ([`Accounting`]): steps and jobs that had not ended are left out; a run that ended in a
//! requeue is a job of its own, as is each component of a heterogeneous job. There is no
//! field for GPUs, features, and how many tasks of an array may run at once (`JobID` such as `12_[1-40%4]` of any task, or
//! `--array=1-40%4` in `SubmitLine`); [`Whole::asked`] has them, arrays with `%` before their number, heterogeneous jobs with `+`. A `|` in the name of a job, which `sacct` does not escape, is recognised by the number of fields.
//!
//! Source: the manual page of `sacct`, Slurm 20.11 to 24.05, and what Slurm 22.05 prints (`scripts/record-sacct`).

mod amounts;
mod columns;
mod job;

use super::slurm_conf::{feature_of_partition, feature_of_reservation, first_of, word};
use crate::log::{Accounting, Asked, Faults, Listed, Listing, LogError, Problem, Strictness, Whole, text};
pub(super) use amounts::moment;
use columns::{Column, Columns, Row};
use dfrsim_model::JobId;
use job::{array, has_not_ended, read_job};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Reads a file, plain or gzip.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with all that is wrong with the file. With [`Strictness::Lenient`], jobs
/// with faults are left out and counted; a file without the columns that are needed still is a fault.
pub fn read(path: &Path, strictness: Strictness) -> Result<Whole, LogError> {
    read_text(&text(path)?, &path.display().to_string(), strictness)
}

/// Reads a text, of which messages speak as `file`. Everything else is as in [`read`].
///
/// # Errors
/// [`LogError::Faults`] with all that is wrong with the text.
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
            listing.accounting.steps += 1;
        } else if has_not_ended(&row) {
            listing.accounting.unended += 1;
        } else {
            let job = read_job(number, &row, &mut listing.names);
            job.iter().for_each(|job| count(&mut listing.accounting, &row, job));
            listing.add(number, job);
        }
    }
    let log = listing.finish(file, strictness, "accounting of Slurm, by sacct")?;
    let rows: Vec<&str> = text.lines().collect();
    let mut all_asked = Asked::new();
    for line in log.lines() {
        let Ok(row) = columns.row(rows[line.number as usize - 1]) else { continue };
        let mut asked = asked(&row, line.record.nodes.unwrap_or(1));
        let array = array(&row).and_then(|(array, _)| arrays.get_key_value(array));
        asked.extend(array.map(|(array, most)| (format!("%{array}"), *most)));
        let of_several = row.get(Column::JobId).split_once('+');
        asked.extend(of_several.map(|(job, _)| (format!("+{job}"), 1)));
        if !asked.is_empty() {
            all_asked.insert(JobId(line.record.job), asked);
        }
    }
    Ok(log.with_asked(all_asked))
}

/// What a job used or asked for beside processors and memory: names and numbers of units of generic resources (`gres/gpu` and others in
/// `AllocTRES`, else `ReqTRES`, else those of each node in `ReqGRES`), of the types that they asked for (`gpu_a100`), and with `@` before
/// them and the number 1 the features of nodes (`Constraints`, all of which must be there) and, as `@partition-NAME`, the partition, of
/// several the first one, and as `@reservation-NAME` the reservation.
fn asked(row: &Row<'_>, nodes: u32) -> Vec<(String, u32)> {
    let mut asked = total(match row.first(&[Column::AllocTres, Column::ReqTres]) {
        Some((_, list)) => tres_gres(list).collect(),
        None => requested_gres(row.get(Column::ReqGres), nodes).collect(),
    });
    // A job that was given some type of GPU need not have asked for it.
    let types = tres_gres(row.get(Column::ReqTres)).chain(requested_gres(row.get(Column::ReqGres), nodes));
    asked.extend(
        types.filter_map(|(name, of_type, number)| Some((word(&format!("{name}_{}", of_type?)), number))),
    );
    let constraints = row.get(Column::Constraints);
    // Alternatives, and what asks for a number of nodes, is not understood.
    let features = constraints.split(['&', ',']).filter(|_| !constraints.contains(['|', '*', '[', '(']));
    let features = features.map(str::trim).filter(|name| !name.is_empty()).map(word);
    let partition = Some(first_of(row.get(Column::Partition))).filter(|name| !name.is_empty());
    let reservation = Some(row.get(Column::Reservation)).filter(|name| !name.is_empty());
    let features = features.chain(partition.map(feature_of_partition));
    let features = features.chain(reservation.map(feature_of_reservation));
    asked.extend(features.map(|name| (format!("@{name}"), 1)));
    asked
}

/// A generic resource: its name, its type where that is said, and how many units of it.
type Gres<'a> = (&'a str, Option<&'a str>, u32);

/// `gres/gpu=2` and `gres/gpu:a100=2` of a list of resources.
fn tres_gres(list: &str) -> impl Iterator<Item = Gres<'_>> {
    list.split(',').filter_map(|part| {
        let (name, number) = part.strip_prefix("gres/")?.split_once('=')?;
        let number = number.parse::<u32>().ok().filter(|number| *number > 0)?;
        let (name, of_type) =
            name.split_once(':').map_or((name, None), |(name, of_type)| (name, Some(of_type)));
        Some((name, of_type, number))
    })
}

/// What `gpu:2` or `gpu:a100:2` for each node is on all of them; without a number it is one.
fn requested_gres(list: &str, nodes: u32) -> impl Iterator<Item = Gres<'_>> {
    list.split(',').filter(|part| !part.is_empty()).map(move |part| {
        let words: Vec<&str> = part.strip_prefix("gres/").unwrap_or(part).split(':').collect();
        let number = words.last().and_then(|number| number.parse::<u32>().ok());
        let of_type = words.get(1).copied().filter(|word| word.parse::<u32>().is_err());
        (words[0], of_type, number.unwrap_or(1).saturating_mul(nodes))
    })
}

/// How many units of each resource there are, by name, of all types; where there are only parts of types, their sum.
fn total(mut parts: Vec<Gres<'_>>) -> Vec<(String, u32)> {
    parts.sort_unstable();
    let sum = |parts: &[Gres<'_>]| {
        let is_whole = parts[0].1.is_none();
        let counted = parts.iter().filter(|part| part.1.is_none() == is_whole);
        (parts[0].0.to_owned(), counted.fold(0_u32, |sum, part| sum.saturating_add(part.2)))
    };
    parts.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
}

/// Counts what is special about a job.
fn count(accounting: &mut Accounting, row: &Row<'_>, job: &Listed) {
    let id = row.get(Column::JobId);
    let is_suspended = row.get(Column::Suspended).bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let has_gpus =
        [Column::ReqTres, Column::AllocTres].iter().any(|&tres| row.get(tres).contains("gres/gpu"));
    accounting.unstarted += u64::from(job.end.is_none());
    accounting.dependent += u64::from(!job.after.is_empty());
    accounting.requeued += u64::from(row.get(Column::State).starts_with("REQUEUE"));
    accounting.suspended += u64::from(is_suspended);
    accounting.array_tasks += u64::from(id.contains('_'));
    accounting.reserved += u64::from(!row.get(Column::Reservation).is_empty());
    accounting.components += u64::from(id.contains('+'));
    accounting.with_gpus += u64::from(has_gpus);
}
