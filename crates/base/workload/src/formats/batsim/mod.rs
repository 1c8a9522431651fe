//! Workloads of Batsim: JSON files of jobs and of the profiles that say what each job does.
//!
//! [`write()`] makes such a file, and [`read`] gives the jobs as the records of a log, so that all that is done with logs is done with them: selection, rules,
//! annotation, cutting, conversion to SWF.
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
//! | of a job | field of the record |
//! |---|---|
//! | `id` | the number of the job if the ids of all jobs are different whole numbers, with or without the name of a
//! workload (`w0!7`); otherwise jobs are numbered from 1 in the order of the file. Policies of Batsim and its file of jobs get it as it is |
//! | `subtime` | submit time |
//! | `res` | processors, allocated and requested |
//! | `walltime` | requested time; unknown if -1 or missing. Batsim kills a job there: give estimates `requested` and
//! overrun `kill` for that |
//! | `profile` | run time, and status 0 (failed) where the profile does not return 0 |
//!
//! The run time of a profile of type (the names are those of Batsim 1 to 5):
//!
//! * `delay`, `DelayProfile`: its `delay`. Times are rounded to microseconds.
//! * `parallel_homogeneous`, `msg_par_hg`, `ParallelTaskHomogeneousProfile`: `cpu` / the speed of a node.
//! * `parallel_homogeneous_total`, `msg_par_hg_tot`, and the former with `generation_strategy`
//!   `DefinedAmountsSpreadUniformly`: `cpu` / `res` / the speed of a node.
//! * `parallel`, `msg_par`, `ParallelTaskProfile`: the largest element of `cpu`, one a node, / the speed of a node.
//! * `composed`, `SequentialCompositionProfile`: those of `seq` added up, `repeat` (or `nb`) times.
//!
//! Batsim 5 calls `cpu` of these `computation_amount_per_host`, or `computation_vector`. The speed of a node, in flop/s, is what the platform file of Batsim says; it has to be given. There is no network
//! here: what jobs communicate (`com`) takes no time, and how many do is in the report. Any other type is a fault if a job
//! uses it.
//!
//! Sources: the documentation of Batsim, page "Workload"; its readers of jobs and profiles, for the older names.

mod document;
mod jobs;
mod profile;
mod profiles;
mod write;

use crate::log::{Faults, Header, LogError, Problem, ReadReport, Strictness, Whole, bytes, unreadable};
use dfrsim_model::JobTexts;
use document::{Entry, Members, Text};
use profiles::Profiles;
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
pub use write::write;

/// A problem and its line.
type Located = (u64, Problem);

/// The fastest node that readers of numbers should let through, in flop/s: beyond it a flop has no length.
pub const MOST_FLOPS: f64 = 1e18;

/// Reads a file, plain or gzip. `flops` is the speed of a node in flop/s.
///
/// # Errors
/// [`LogError::Open`], and [`LogError::Faults`] with all that is wrong with the file. With [`Strictness::Lenient`], jobs
/// with faults are left out and counted; a file that is not JSON or has no jobs still is a fault, and so is a job whose profile has a type
/// that cannot be simulated.
pub fn read(path: &Path, strictness: Strictness, flops: Option<NonZeroU64>) -> Result<Whole, LogError> {
    let text = String::from_utf8(bytes(path)?).map_err(|error| unreadable(path, &error))?;
    read_text(&text, &path.display().to_string(), strictness, flops)
}

/// Reads a text, of which messages speak as `file`. Everything else is as in [`read`].
///
/// # Errors
/// [`LogError::Faults`] with all that is wrong with the text.
pub fn read_text(
    text: &str,
    file: &str,
    strictness: Strictness,
    flops: Option<NonZeroU64>,
) -> Result<Whole, LogError> {
    let members = match serde_json::from_str::<Members<'_>>(text) {
        Ok(members) => members,
        Err(error) => {
            let problem = Problem::Syntax { format: "a workload of Batsim", reason: error.to_string() };
            return Err(faults(file, vec![(error.line() as u64, problem)]));
        }
    };
    let text = Text::new(text);
    let mut whole = Entry::new(&text, "the workload".to_owned(), 1, members);
    let nb_res = whole.required("nb_res", "a whole number of nodes", |_: &u64| true);
    let jobs = whole.required("jobs", "a list of jobs", |_: &Vec<_>| true);
    let profiles = whole.required("profiles", "an object of profiles", |_: &Members<'_>| true);
    let mut problems = whole.problems();
    let (Some(nb_res), Some(jobs), Some(profiles)) = (nb_res, jobs, profiles) else {
        return Err(faults(file, problems));
    };
    let mut written = BTreeMap::new();
    profiles.0.iter().for_each(|(name, value)| _ = written.insert(name.clone(), value.get().to_owned()));
    let (mut profiles, repeated) = Profiles::parse(&text, profiles, flops);
    problems.extend(repeated);
    let mut read = jobs::read(&text, &jobs, &mut profiles);
    if strictness == Strictness::Strict || profiles.lacks_means {
        problems.append(&mut read.problems);
    }
    if !problems.is_empty() {
        return Err(faults(file, problems));
    }
    let mut header = Header::default();
    for name in ["MaxNodes", "MaxProcs"] {
        header.push(name, &nb_res.to_string());
    }
    header.push("Note", "a workload of Batsim");
    header.texts = Some(Arc::new(JobTexts { profiles: written, jobs: read.texts }));
    let report = ReadReport {
        records: read.lines.len() as u64,
        broken: read.broken,
        without_communication: read.without_communication,
        ..ReadReport::default()
    };
    Ok(Whole::new(file.to_owned(), header, report, read.lines))
}

fn faults(file: &str, mut problems: Vec<Located>) -> LogError {
    problems.sort_by_key(|(line, _)| *line);
    let mut faults = Faults::new(file);
    problems.into_iter().for_each(|(line, problem)| faults.push(line, problem));
    faults.into()
}
