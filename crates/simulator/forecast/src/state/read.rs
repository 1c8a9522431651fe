//! Reader of states in any of their forms.

use super::table::StateRow;
use super::values::{Phase, duration, phase, size, timestamp};
use super::{Fault, Field, json, scontrol, table};

/// Job of a state. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Line of the file, or index of the job.
    pub place: usize,
    /// Id as written.
    pub name: String,
    /// User, if it is given.
    pub user: Option<String>,
    /// Number of nodes, or of processors.
    pub size: u32,
    /// Time limit in seconds.
    pub limit: u64,
    /// Submission; the time of the state if it is not given.
    pub submit: i64,
    /// Start, if it runs.
    pub start: Option<i64>,
    /// Jobs that must end before it may start.
    pub after: Vec<String>,
    /// Reason why it waits, if it is given.
    pub reason: Option<String>,
    /// Number of processors, if it is given.
    pub processors: Option<u32>,
    /// Further fields, which a site needs.
    pub others: Vec<(Field, String)>,
}

/// Fields that only a site needs.
const OF_SITE: [Field; 9] = [
    Field::Account,
    Field::Partition,
    Field::Qos,
    Field::NodeList,
    Field::ReqTres,
    Field::AllocTres,
    Field::TresPerNode,
    Field::Features,
    Field::Reservation,
];

impl Job {
    /// Returns a field that only a site needs, if it is given.
    pub fn other(&self, field: Field) -> Option<&str> {
        self.others.iter().find(|(known, _)| *known == field).map(|(_, text)| text.as_str())
    }

    /// Returns whether a user or an administrator holds the job.
    pub fn is_held(&self) -> bool {
        let reason = self.reason.as_deref().unwrap_or_default();
        reason.contains("JobHeld") || reason.contains("BeginTime")
    }
}

/// State of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Time of the state, in seconds since 1970.
    pub at: i64,
    /// Jobs that run or wait, in the order of the file.
    pub jobs: Vec<Job>,
    /// Numbers of lines that are not part of the state, and of values that were guessed.
    pub counts: Counts,
}

/// Numbers of lines that are not part of the state, and of values that were guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Jobs that have ended.
    pub ended: usize,
    /// Steps of jobs.
    pub steps: usize,
    /// Jobs without a submit time, which count as submitted at the time of the state, or at
    /// their start.
    pub without_submit: usize,
    /// Jobs without a time limit, which count as jobs with a limit of a year, as in Slurm's plans.
    pub unlimited: usize,
}

/// Time for which Slurm plans jobs without a time limit, in seconds.
const UNLIMITED: u64 = 365 * 86_400;

/// Returns whether a time limit says that there is none.
fn is_unlimited(limit: &str) -> bool {
    limit.eq_ignore_ascii_case("UNLIMITED") || limit.eq_ignore_ascii_case("INFINITE")
}

/// Fields of one job.
struct Fields<'a> {
    place: usize,
    cells: &'a [(Field, String)],
    faults: &'a mut Vec<Fault>,
}

impl Fields<'_> {
    fn text(&self, field: Field) -> Option<&str> {
        let found = self.cells.iter().find(|(known, _)| *known == field);
        found
            .map(|(_, text)| text.as_str())
            .filter(|text| !["N/A", "Unknown", "(null)", "None"].contains(text))
    }

    fn id(&self) -> Option<String> {
        self.text(Field::Id).or_else(|| self.text(Field::RawId)).map(str::to_owned)
    }

    fn fault(&mut self, field: Field, expected: &str) {
        let found = self.text(field).map_or("nothing".to_owned(), |text| format!("`{text}`"));
        let (place, job) = (self.place, self.id());
        self.faults.push(Fault {
            place,
            job,
            message: format!("{field}: expected {expected}, found {found}"),
        });
    }

    /// Parses a field; reports a value that is invalid, or missing although it is required.
    fn parse<T>(
        &mut self,
        field: Field,
        is_needed: bool,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let parsed = match self.text(field) {
            Some(text) => parse(text),
            None if !is_needed => return None,
            None => None,
        };
        if parsed.is_none() {
            self.fault(field, expected);
        }
        parsed
    }
}

/// Reads a state in whichever form it has. `at` is the time of the state, if it is given; sizes are
/// processors if `has_processors`, and nodes otherwise.
///
/// # Errors
/// All errors of the file.
pub fn read(text: &str, at: Option<i64>, has_processors: bool) -> Result<State, Vec<Fault>> {
    let text = text.trim_start_matches('\u{feff}');
    let mut faults = Vec::new();
    let (rows, told): (Vec<StateRow>, Option<i64>) = match text.trim_start() {
        json if json.starts_with('{') => json::rows(text, &mut faults),
        blocks if blocks.starts_with("JobId=") => (scontrol::rows(text), None),
        _ => (table::rows(text, &mut faults), None),
    };
    if rows.is_empty() && !faults.is_empty() {
        return Err(faults);
    }
    let at = at.or(told).or_else(|| latest(&rows));
    let Some(at) = at else {
        let message = "the time of the state is unknown: no running job has both a start and the time for which it has run; give --at";
        faults.push(Fault { place: 1, job: None, message: message.to_owned() });
        return Err(faults);
    };
    let mut state = State { at, ..State::default() };
    for (place, cells) in &rows {
        let mut fields = Fields { place: *place, cells, faults: &mut faults };
        state.jobs.extend(read_job(&mut fields, at, has_processors, &mut state.counts));
    }
    if faults.is_empty() { Ok(state) } else { Err(faults) }
}

/// Returns the latest sum of a start and the elapsed time of the job.
fn latest(rows: &[StateRow]) -> Option<i64> {
    let get = |cells: &[(Field, String)], field| {
        cells.iter().find(|(known, _)| *known == field).map(|(_, text)| text.clone())
    };
    let of_row = |(_, cells): &StateRow| {
        let is_running = get(cells, Field::State).and_then(|text| phase(&text)) == Some(Phase::Running);
        let start = timestamp(&get(cells, Field::Start)?)?;
        let elapsed = i64::try_from(duration(&get(cells, Field::Elapsed)?)?).ok()?;
        is_running.then_some(start + elapsed)
    };
    rows.iter().filter_map(of_row).max()
}

/// Reads one job; `None` if it is not part of the state, or has errors.
fn read_job(fields: &mut Fields<'_>, at: i64, has_processors: bool, counts: &mut Counts) -> Option<Job> {
    let Some(name) = fields.id() else {
        fields.fault(Field::Id, "the number of a job");
        return None;
    };
    if name.contains('.') {
        counts.steps += 1;
        return None;
    }
    if name.contains('[') {
        fields.fault(Field::Id, "one job of an array, as `squeue --array` lists them");
        return None;
    }
    if fields.text(Field::Tasks).is_some_and(|tasks| tasks.contains(['-', ',', '%'])) {
        fields.fault(Field::Tasks, "one task of an array, as `squeue --array` lists them");
        return None;
    }
    let phase = fields.parse(Field::State, true, "a job state such as RUNNING", phase)?;
    if phase == Phase::Ended {
        counts.ended += 1;
        return None;
    }
    let size_field = if has_processors { Field::Processors } else { Field::Nodes };
    let tasks = fields.parse(size_field, true, "a number above 0", size);
    let limit = fields.parse(Field::Limit, true, "a time limit such as 1-00:00:00", |text| {
        if is_unlimited(text) { Some(UNLIMITED) } else { duration(text).filter(|&seconds| seconds > 0) }
    });
    counts.unlimited += usize::from(fields.text(Field::Limit).is_some_and(is_unlimited));
    let start = match phase {
        Phase::Running => {
            let start = fields.parse(Field::Start, false, "a time such as 2026-03-01T09:00:00", timestamp);
            let elapsed = fields.parse(Field::Elapsed, start.is_none(), "a duration", duration);
            start.or_else(|| Some(at - i64::try_from(elapsed?).ok()?))
        }
        _ => None,
    };
    let submit = fields.parse(Field::Submit, false, "a time such as 2026-03-01T09:00:00", timestamp);
    if let (Some(start), Some(limit)) = (start, limit) {
        let elapsed = at.saturating_sub(start);
        if elapsed < 0 {
            fields.fault(Field::Start, "a time before that of the state");
        } else if elapsed.unsigned_abs() > limit {
            let (place, job) = (fields.place, Some(name.clone()));
            let message =
                format!("{}: it has run for {elapsed} s, beyond its limit of {limit} s", Field::Elapsed);
            fields.faults.push(Fault { place, job, message });
        }
    }
    if submit.is_some_and(|submit| submit > start.unwrap_or(at)) {
        fields.fault(Field::Submit, "a time before the start and that of the state");
    }
    counts.without_submit += usize::from(submit.is_none());
    let job = Job {
        place: fields.place,
        user: fields.text(Field::User).map(str::to_owned),
        size: tasks?,
        limit: limit?,
        submit: submit.or(start).unwrap_or(at),
        start,
        after: fields.text(Field::Dependency).map(dependencies).unwrap_or_default(),
        reason: fields.text(Field::Reason).map(str::to_owned),
        processors: fields.parse(Field::Processors, false, "a number above 0", size),
        others: OF_SITE.iter().filter_map(|&it| Some((it, fields.text(it)?.to_owned()))).collect(),
        name,
    };
    (phase == Phase::Pending || job.start.is_some()).then_some(job)
}

/// Returns the jobs of a list of dependencies such as `afterok:17(unfulfilled),afterany:18:19`.
fn dependencies(text: &str) -> Vec<String> {
    let mut jobs = Vec::new();
    for part in text.split([',', '?']) {
        let mut words = part.split(':');
        if words.next().is_some_and(|kind| kind.starts_with("after")) {
            let number = |word: &str| word.split(['(', '_', '+']).next().unwrap_or_default().to_owned();
            jobs.extend(words.map(number).filter(|word| !word.is_empty()));
        }
    }
    jobs
}
