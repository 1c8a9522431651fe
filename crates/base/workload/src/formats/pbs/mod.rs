//! Accounting of PBS: the files in `server_priv/accounting` of Torque, OpenPBS and PBS Professional.
//!
//! A line is `MM/DD/YYYY HH:MM:SS;TYPE;JOB;KEY=VALUE KEY=VALUE ...`; the files of several days are read together
//! (`cat 202603?? > march.pbs`). [`read`] gives the jobs as the records of a log, so that all that is done with logs is
//! done with them.
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
//! assert_eq!(log.finish()?.notices(), ["jobs that had not ended, left out: 1", "lines of events of jobs: 3"]);
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | type | what becomes of the line |
//! |---|---|
//! | `E` (exit) | a record |
//! | `R` (rerun) | the run that ends there is a record of its own, failed; the job waits again, and its next run is submitted then |
//! | `A` (abort) | a record, failed, unless the job has an `E` line too |
//! | `D` (delete) | the job's record is cancelled; if it never started and has no `E` line, this is its record |
//! | `Q`, `S`, `C`, `T` and others of jobs | what they say is kept for the record; a job without any of the above had not ended and is left out |
//! | `L`, reservations, arrays as a whole (`12[]`) | counted and left out |
//!
//! | field of the record | attributes, the first that is there |
//! |---|---|
//! | job | the number before the server's name, if all are different whole numbers; otherwise jobs (tasks of arrays are `12[3]` or `12-3`) are numbered from 1, as they come |
//! | submit, wait | `ctime`, `qtime`, the time of the first line; `start`, the time of the line `S`. Second 0 is the first submission |
//! | run time | `end` (or the time of the line) - `start`; `resources_used.walltime` where that is shorter by more than a minute: the job was suspended. 0 of a job that never started |
//! | allocated processors | `total_execution_slots`, `exec_vnode`, `exec_host` |
//! | requested processors | the largest of `Resource_List.nodes` (`2:ppn=4`), `.select` (`2:ncpus=4`), `.ncpus` and `.procs`; what was allocated; 1 |
//! | requested time | `Resource_List.walltime` |
//! | requested, used memory | `Resource_List.pmem`; `Resource_List.mem` or the memory of the chunks, divided by the processors; `resources_used.mem`, divided too |
//! | CPU time | `resources_used.cput`, divided by the processors |
//! | status | `Exit_status`: 0 completed (1), else failed (0); unknown without one; deleted jobs are cancelled (5) |
//! | preceding job, think time | `depend=afterok:...`: of several jobs the one that ended last; what did not hold the job by times and exit codes was lifted |
//! | user, group, executable, queue | `user`; `account`, `group`; `jobname`; `queue`: names are numbered from 1 as they come; the header has those of queues |
//!
//! Attributes have times since 1970, the beginnings of lines have local time. The difference is taken from the latest line of
//! the file that has both (`S` with `start`, `E` with `end`), to a quarter of an hour.
//!
//! Sources: *Torque Administrator Guide*, "Accounting records"; *PBS Professional Administrator's Guide*, "Accounting". Neither
//! system is among Debian's packages: the tests have lines after the examples of these pages, not recorded ones.

mod amounts;
mod job;
mod line;

use crate::log::{Listing, LogError, Strictness, Whole, text, unix_seconds};
use job::{End, Life};
use line::Entry;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Reads a file, plain or gzip.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with all that is wrong with the file. With [`Strictness::Lenient`], lines with
/// faults are left out and counted; a file of which no line can be read still is a fault.
pub fn read(path: &Path, strictness: Strictness) -> Result<Whole, LogError> {
    read_text(&text(path)?, &path.display().to_string(), strictness)
}

/// Reads a text, of which messages speak as `file`. Everything else is as in [`read`].
///
/// # Errors
/// [`LogError::Faults`] with all that is wrong with the text.
pub fn read_text(text: &str, file: &str, strictness: Strictness) -> Result<Whole, LogError> {
    let mut listing = Listing::new(file);
    let mut entries: Vec<(u64, Entry<'_>)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match Entry::parse(line) {
            Ok(entry) => entries.push((number, entry)),
            Err(problem) => listing.leave_out(number, [problem]),
        }
    }
    let mut reading = Reading::new(&entries, listing);
    let last: FxHashMap<&str, usize> = (0..)
        .zip(&entries)
        .filter(|(_, (_, entry))| ends(entry))
        .map(|(place, (_, entry))| (entry.id, place))
        .collect();
    for (place, (number, entry)) in entries.iter().enumerate() {
        reading.entry(*number, entry, last.get(entry.id) == Some(&place));
    }
    let Reading { mut listing, lives, .. } = reading;
    listing.accounting.unended = lives.len() as u64;
    listing.finish(file, strictness, "accounting of PBS")
}

/// Whether the last line of this kind about a job ends it.
fn ends(entry: &Entry<'_>) -> bool {
    entry.is_of_job() && matches!(entry.kind, "E" | "A" | "D")
}

/// How far the local time of a line is ahead of the times of its attributes, in seconds, if it has one.
fn offset(entry: &Entry<'_>) -> Option<i64> {
    const QUARTER: i64 = 900;
    let key = match entry.kind {
        "S" => "start",
        "E" => "end",
        _ => return None,
    };
    let at = unix_seconds(entry.attributes.get(key)).filter(|&at| at > 0)?;
    Some((entry.at - at + QUARTER / 2).div_euclid(QUARTER) * QUARTER)
}

/// The jobs of a file in the making.
struct Reading<'a> {
    listing: Listing,
    lives: FxHashMap<&'a str, Life<'a>>,
    offset: i64,
}

impl<'a> Reading<'a> {
    fn new(entries: &[(u64, Entry<'a>)], listing: Listing) -> Reading<'a> {
        let offset = entries.iter().find_map(|(_, entry)| offset(entry)).unwrap_or(0);
        Reading { listing, lives: FxHashMap::default(), offset }
    }

    /// Takes in a line, which may be the last one that ends its job.
    fn entry(&mut self, number: u64, entry: &Entry<'a>, is_last: bool) {
        if !entry.is_of_job() {
            self.listing.accounting.others += 1;
            return;
        }
        self.offset = offset(entry).unwrap_or(self.offset);
        let at = entry.at - self.offset;
        let life = self.lives.entry(entry.id).or_default();
        let end = match entry.kind {
            "E" => Some(End::Exit),
            "R" if life.has_started() => Some(End::Requeue),
            "A" if is_last => Some(End::Abort),
            // What runs still has to exit.
            "D" if is_last && !life.has_started() => Some(End::Exit),
            _ => None,
        };
        let Some(end) = end else {
            life.event(at, entry.kind, entry.attributes.clone());
            self.listing.accounting.events += 1;
            return;
        };
        if entry.kind == "D" {
            life.event(at, entry.kind, entry.attributes.clone());
        }
        let job = life.end(number, at, entry, end, &mut self.listing);
        if end != End::Requeue {
            self.lives.remove(entry.id);
        }
        self.listing.add(number, job);
    }
}
