//! Jobs of a Batsim workload.

use super::LocatedProblem;
use super::document::{Entry, Text};
use super::profile::LONGEST_SECONDS;
use super::profiles::{ProfileRun, Profiles, RunError};
use crate::log::{Line, Record, Status};
use dfrsim_model::{JobId, JobText, Members, SimSpan, SimTime};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// Parsed jobs of a workload.
#[derive(Default)]
pub(super) struct Jobs {
    /// Valid jobs, in the order of the file.
    pub(super) lines: Vec<Line>,
    /// Number of invalid jobs.
    pub(super) invalid: u64,
    /// Problems of jobs and of the profiles that they use.
    pub(super) problems: Vec<LocatedProblem>,
    /// Number of valid jobs that communicate.
    pub(super) without_communication: u64,
    /// Original ids, profiles and extra fields of the valid jobs.
    pub(super) texts: BTreeMap<JobId, JobText>,
}

/// Id of a job in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Text(String),
}

impl Id {
    /// Returns the number in the id, if there is one: 7 for `7`, `"7"` and `"w0!7"`.
    fn number(&self) -> Option<u64> {
        match self {
            Id::Number(number) => Some(*number),
            Id::Text(text) => {
                let digits = text.rsplit_once('!').map_or(text.as_str(), |(_, name)| name);
                digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
            }
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Text(text) => f.write_str(text),
        }
    }
}

/// Parses all jobs.
pub(super) fn read(text: &Text<'_>, jobs: &[&RawValue], profiles: &mut Profiles) -> Jobs {
    let mut read = Jobs::default();
    let mut ids = FxHashMap::default();
    for (place, &value) in (1..).zip(jobs) {
        let members = serde_json::from_str(value.get()).unwrap_or(Members(Vec::new()));
        let number = text.line(value);
        let mut entry = Entry::new(text, format!("job no. {place}"), number, members);
        let id = entry.get("id").and_then(|id| serde_json::from_str::<Id>(id.get()).ok());
        let job_name = id.as_ref().map(ToString::to_string).unwrap_or_default();
        if id.is_some() {
            entry.name = format!("job `{}`", job_name.escape_debug());
        }
        let job = record(&mut entry, profiles);
        match entry.required("id", "a string or a whole number", |_| true) {
            None => {}
            Some(id) if ids.contains_key(&id) => entry.report("id", "an id that no earlier job has"),
            Some(id) => _ = ids.insert(id, place),
        }
        let others = extra_fields(&entry.members);
        let problems = entry.problems();
        match job.filter(|_| problems.is_empty()) {
            Some((record, run, profile)) => {
                read.without_communication += u64::from(run.communicates);
                let before = read.lines.len() as u64;
                let name = job_name.rsplit_once('!').map_or(&*job_name, |(_, name)| name).to_owned();
                read.texts.insert(JobId(place), JobText { name, profile, fields: others });
                let record = Record { job: place, ..record };
                read.lines.push(Line { number, place: before, has_submit: true, record });
            }
            None => read.invalid += 1,
        }
        read.problems.extend(problems);
    }
    read.problems.append(&mut profiles.problems);
    if let Some(numbers) = numbers_by_position(&ids) {
        for line in &mut read.lines {
            line.record.job = numbers[&line.record.job];
        }
        let texts = std::mem::take(&mut read.texts);
        texts.into_iter().for_each(|(place, text)| _ = read.texts.insert(JobId(numbers[&place.0]), text));
    }
    read
}

/// Returns the fields that only schedulers use, as JSON text.
fn extra_fields(members: &[(String, &RawValue)]) -> String {
    const READ: [&str; 5] = ["id", "subtime", "walltime", "res", "profile"];
    let others = members.iter().filter(|(name, _)| !READ.contains(&&**name));
    others.map(|(name, value)| format!(",{}:{value}", serde_json::Value::from(&**name))).collect()
}

/// Returns the job numbers by position in the file, if all ids have distinct numbers.
fn numbers_by_position(ids: &FxHashMap<Id, u64>) -> Option<FxHashMap<u64, u64>> {
    let numbers: FxHashMap<u64, u64> =
        ids.iter().map(|(id, &place)| Some((place, id.number()?))).collect::<Option<_>>()?;
    let different: FxHashSet<u64> = numbers.values().copied().collect();
    (different.len() == ids.len()).then_some(numbers)
}

/// Parses a job into its record (without its number), its run, and the name of its profile.
fn record(entry: &mut Entry<'_>, profiles: &mut Profiles) -> Option<(Record, ProfileRun, String)> {
    let seconds = "a number of seconds from 0 to 16,000,000,000";
    let subtime = entry.required("subtime", seconds, |it: &f64| (0.0..=LONGEST_SECONDS).contains(it));
    let walltime = entry.optional("walltime", -1.0, "a positive number of seconds, or -1", |&wall| {
        wall == -1.0 || wall > 0.0
    });
    let res = entry.required("res", "a whole number of nodes", |_: &u32| true);
    let profile: Option<String> =
        entry.required("profile", "the name of a profile of this workload", |_| true);
    let profile = profile?;
    let run = run(entry, profiles, &profile, res?)?;
    let span = |seconds: f64| SimSpan::try_from_secs_f64(seconds);
    let Some(run_time) = span(run.seconds) else {
        entry.report("profile", "a profile with a run time of at most 16,000,000,000 s");
        return None;
    };
    let record = Record {
        submit: SimTime::from_micros(span(subtime?)?.micros()),
        run_time: Some(run_time),
        allocated_processors: res,
        requested_processors: res,
        requested_time: span(walltime?),
        status: if run.fails { Status::Failed } else { Status::Completed },
        ..Record::default()
    };
    Some((record, run, profile))
}

fn run(entry: &mut Entry<'_>, profiles: &mut Profiles, profile: &str, res: u32) -> Option<ProfileRun> {
    match profiles.run(profile, res) {
        Ok(run) => return Some(run),
        Err(RunError::Unknown) => entry.report("profile", "the name of a profile of this workload"),
        Err(RunError::Nodes { profile, nodes }) => {
            entry.report("res", &format!("{nodes}, the number of elements in `cpu` of profile `{profile}`"));
        }
        Err(RunError::Invalid) => {}
    }
    None
}
