//! Batsim workloads: JSON files of jobs, and of profiles that define the work of each job.
//!
//! [`write()`] writes such a file, and [`read`] returns the jobs as the records of a log. Selection,
//! rules, annotation, cutting and conversion to SWF therefore work as for other logs.
//!
//! ```
//! use dfrsim_workload::formats::batsim;
//! use dfrsim_workload::prepare::{JobStream, Options};
//! use dfrsim_workload::log::Strictness;
//! let text = r#"{
//!     "nb_res": 4,
//!     "jobs": [{"id": "w0!7", "subtime": 1.5, "walltime": 60, "res": 4, "profile": "short"}],
//!     "profiles": {"short": {"type": "delay", "delay": 20.2}}
//! }"#;
//! let workload = batsim::read_text(text, "example.json", Strictness::Strict, None)?;
//! let jobs: Vec<_> = JobStream::new(workload, &Options::default()).collect();
//! assert_eq!((jobs[0].id.0, jobs[0].tasks, jobs[0].run_time.to_string()), (7, 4, "20.2".to_owned()));
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! | field of a job | field of the record |
//! |---|---|
//! | `id` | job number, if the ids of all jobs are distinct whole numbers, with or without the name of a workload (`w0!7`); otherwise jobs are numbered from 1 in the order of the file. External Batsim policies and the Batsim job file get the original id |
//! | `subtime` | submit time |
//! | `res` | processors, allocated and requested |
//! | `walltime` | requested time; unknown if -1 or absent. Batsim kills a job at its wall time; select estimates `requested` and overrun `kill` to simulate that |
//! | `profile` | run time, and status 0 (failed) if the profile's return value is not 0 |
//!
//! The run time of a profile depends on its type (the names are those of Batsim 1 to 5):
//!
//! * `delay`, `DelayProfile`: its `delay`. Times are rounded to microseconds.
//! * `parallel_homogeneous`, `msg_par_hg`, `ParallelTaskHomogeneousProfile`: `cpu` / node speed.
//! * `parallel_homogeneous_total`, `msg_par_hg_tot`, and the former with `generation_strategy`
//!   `DefinedAmountsSpreadUniformly`: `cpu` / `res` / node speed.
//! * `parallel`, `msg_par`, `ParallelTaskProfile`: the largest element of `cpu`, which has one per
//!   node, / node speed.
//! * `composed`, `SequentialCompositionProfile`: the sum over `seq`, `repeat` (or `nb`) times.
//!
//! Batsim 5 names these fields `computation_amount_per_host` or `computation_vector` instead of
//! `cpu`. The node speed, in flop/s, is in the platform file of Batsim and has to be given. The
//! network is not modelled: communication (`com`) takes no time, and the report has the number of
//! jobs that communicate. Any other type is an error if a job uses it.
//!
//! Sources: the documentation of Batsim, page "Workload"; its readers of jobs and profiles, for the
//! older names.

mod document;
mod jobs;
mod profile;
mod profiles;
mod write;

use crate::log::{
    Account, Faults, Header, LogError, Problem, ReadReport, Reason, Strictness, Whole, file_bytes, read_error,
};
use dfrsim_model::JobTexts;
use document::{Entry, Members, Text};
use profiles::Profiles;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
pub use write::write;

/// A problem with its line.
type LocatedProblem = (u64, Problem);

/// Highest node speed that callers should accept, in flop/s. At higher speeds one flop takes less
/// time than can be represented.
pub const MOST_FLOPS: f64 = 1e18;

/// Reads a file, plain or gzip. `flops` is the node speed in flop/s.
///
/// # Errors
///
/// [`LogError::Open`], and [`LogError::Faults`] with all errors in the file. With
/// [`Strictness::Lenient`], invalid jobs are skipped and counted. A file that is not JSON or has no
/// jobs is an error even then, and so is a job whose profile has a type that cannot be simulated.
pub fn read(path: &Path, strictness: Strictness, flops: Option<NonZeroU64>) -> Result<Whole, LogError> {
    let text = String::from_utf8(file_bytes(path)?).map_err(|error| read_error(path, &error))?;
    read_text(&text, &path.display().to_string(), strictness, flops)
}

/// Parses a text, which messages call `file`, as [`read`] does.
///
/// # Errors
///
/// [`LogError::Faults`] with all errors in the text.
pub fn read_text(
    text: &str,
    file: &str,
    strictness: Strictness,
    flops: Option<NonZeroU64>,
) -> Result<Whole, LogError> {
    let members = match serde_json::from_str::<Members<'_>>(text) {
        Ok(members) => members,
        Err(error) => {
            let problem = Problem::Syntax { format: "a Batsim workload", reason: error.to_string() };
            return Err(file_error(file, vec![(error.line() as u64, problem)]));
        }
    };
    let text = Text::new(text);
    let mut whole = Entry::new(&text, "the workload".to_owned(), 1, members);
    let nb_res = whole.required("nb_res", "a whole number of nodes", |_: &u64| true);
    let jobs = whole.required("jobs", "a list of jobs", |_: &Vec<_>| true);
    let profiles = whole.required("profiles", "an object of profiles", |_: &Members<'_>| true);
    let mut problems = whole.problems();
    let (Some(nb_res), Some(jobs), Some(profiles)) = (nb_res, jobs, profiles) else {
        return Err(file_error(file, problems));
    };
    let mut written = BTreeMap::new();
    profiles.0.iter().for_each(|(name, value)| _ = written.insert(name.clone(), value.get().to_owned()));
    let (mut profiles, repeated) = Profiles::parse(&text, profiles, flops);
    problems.extend(repeated);
    let mut read = jobs::read(&text, &jobs, &mut profiles);
    if strictness == Strictness::Strict || profiles.has_unsupported {
        problems.append(&mut read.problems);
    }
    if !problems.is_empty() {
        return Err(file_error(file, problems));
    }
    let mut header = Header::default();
    for name in ["MaxNodes", "MaxProcs"] {
        header.push(name, &nb_res.to_string());
    }
    header.push("Note", "a workload of Batsim");
    header.texts = Some(Arc::new(JobTexts { profiles: written, jobs: read.texts }));
    let mut account = Account::of_lines(read.lines.len() as u64 + read.invalid);
    account.add(Reason::COMMUNICATION, read.without_communication);
    let report = ReadReport {
        records: read.lines.len() as u64,
        broken: read.invalid,
        account,
        ..ReadReport::default()
    };
    Ok(Whole::new(file.to_owned(), header, report, read.lines))
}

fn file_error(file: &str, mut problems: Vec<LocatedProblem>) -> LogError {
    problems.sort_by_key(|(line, _)| *line);
    let mut faults = Faults::new(file);
    problems.into_iter().for_each(|(line, problem)| faults.push(line, problem));
    faults.into()
}
