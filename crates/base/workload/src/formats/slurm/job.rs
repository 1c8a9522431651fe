//! Conversion of a line to a job.

use super::amounts::{MemoryScope, begin, is_never, memory, span, tres_count, tres_memory};
use super::columns::{Column, ListingRow};
use super::dependency::Dependency;
use super::state::State;
use super::submission::{SubmitLine, SubmitOption};
use crate::formats::times::timestamp;
use crate::log::{
    AccountingJob, DependencyCondition, Fate, Kilobytes, MAX_SECONDS, Names, Problem, Reason, Record, Status,
};
use dfrsim_model::SimSpan;

/// Largest error of local times around a change of the clock (daylight saving), in seconds.
const CLOCK_CHANGE: i64 = 3_600;

/// Jobs whose earliest start is unknown, since the listing lacks `Eligible`.
pub(super) const NO_ELIGIBLE: Reason = Reason {
    fate: Fate::Guessed,
    text: "jobs assumed to be eligible from their submission, as the listing lacks the column Eligible",
};
/// Jobs of several nodes whose requested number of nodes is unknown, since the listing lacks
/// `ReqTRES`.
pub(super) const NO_REQUESTED_NODES: Reason = Reason {
    fate: Fate::Guessed,
    text: "jobs of several nodes assumed to have requested as many, as the listing lacks the column ReqTRES",
};
/// Jobs of which the processors do not divide evenly.
pub(super) const UNEVEN: Reason = Reason {
    fate: Fate::Guessed,
    text: "jobs with processors that do not divide evenly, assumed to have as many on each node as on the largest",
};
/// Jobs of which the end is not known yet.
pub(super) const STILL_RUNNING: Reason = Reason {
    fate: Fate::Guessed,
    text: "jobs that still ran at the end of the listing, assumed to run until their time limit",
};
/// Jobs whose memory has Slurm's bit.
pub(super) const PER_CPU_BIT: Reason = Reason {
    fate: Fate::Noted,
    text: "jobs whose ReqMem has Slurm's flag for memory per processor, which is removed",
};
/// Jobs that could have started in one of several partitions.
pub(super) const PARTITIONS: Reason =
    Reason { fate: Fate::NotSimulated, text: "jobs of several partitions, simulated in the first one" };

/// A job, or one run of a requeued job, with the notes to be counted for it.
pub(super) struct Run {
    pub(super) job: AccountingJob,
    pub(super) reasons: Vec<Reason>,
    pub(super) state: State,
}

/// Reader of the fields of a line, which collects the problems found.
struct JobRowReader<'a, 'r> {
    row: &'a ListingRow<'r>,
    problems: Vec<Problem>,
    reasons: Vec<Reason>,
}

impl JobRowReader<'_, '_> {
    fn report(&mut self, column: Column, expected: &str) {
        let found = match self.row.get(column) {
            "" => "no value".to_owned(),
            text => format!("`{}`", text.escape_debug()),
        };
        let entry = format!("job `{}`", self.row.get(Column::JobId).escape_debug());
        self.problems.push(Problem::member(entry, column.name(), found, expected));
    }

    /// Parses a column. Reports a problem if its value is invalid.
    fn read<T>(&mut self, column: Column, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(self.row.get(column));
        if value.is_none() {
            self.report(column, expected);
        }
        value
    }

    fn timestamp(&mut self, column: Column) -> Option<i64> {
        if is_never(self.row.get(column)) {
            return None;
        }
        self.read(column, "a time such as 2026-03-01T09:00:00", timestamp)
    }

    fn run_seconds(&mut self, start: i64, end: Option<i64>) -> Option<u64> {
        match self.row.first(&[Column::ElapsedRaw, Column::Elapsed]) {
            Some((column, _)) => {
                let seconds = |text: &str| text.parse().ok().filter(|&seconds| seconds <= MAX_SECONDS);
                let run = match column {
                    Column::ElapsedRaw => {
                        self.read(column, "a number of seconds (at most 16,000,000,000)", seconds)
                    }
                    _ => self.read(column, "a time such as 1-02:03:04", span),
                };
                let longest = end.and_then(|end| u64::try_from(end - start + CLOCK_CHANGE).ok());
                if run.zip(longest).is_some_and(|(run, longest)| run > longest) {
                    self.report(column, "at most the time from Start to End");
                }
                run
            }
            None => {
                let run = end.and_then(|end| u64::try_from(end - start).ok());
                if run.is_none() {
                    self.report(Column::End, "a time not before Start");
                }
                run
            }
        }
    }

    fn time_limit(&mut self) -> Option<SimSpan> {
        let (column, text) = self.row.first(&[Column::TimelimitRaw, Column::Timelimit])?;
        if matches!(text.to_ascii_uppercase().as_str(), "UNLIMITED" | "PARTITION_LIMIT" | "INVALID") {
            return None;
        }
        let seconds = match column {
            Column::TimelimitRaw => {
                let seconds =
                    |text: &str| text.parse::<u64>().ok()?.checked_mul(60).filter(|&it| it <= MAX_SECONDS);
                self.read(column, "a number of minutes", seconds)
            }
            _ => self.read(column, "a time such as 1-02:03:04", span),
        };
        seconds.map(SimSpan::from_secs)
    }

    /// Returns the number of processors from the first of `columns` with a value, or else from a
    /// list of resources; 0 means unknown.
    fn processors(&mut self, columns: &[Column], resources: Column) -> Option<u32> {
        let number = match self.row.first(columns) {
            Some((column, _)) => self.read(column, "a number of processors", |text| text.parse().ok()),
            None => tres_count(self.row.get(resources), "cpu"),
        };
        number.filter(|&number: &u32| number > 0)
    }

    /// Returns the number of nodes that the job had, or else requested; `None` if it is unknown.
    fn nodes(&self) -> Option<u32> {
        let listed = self.row.first(&[Column::Nodes, Column::AllocNodes]);
        let number = listed.and_then(|(_, text)| text.parse().ok()).filter(|&nodes: &u32| nodes > 0);
        let tres = || tres_count(self.row.get(Column::AllocTres), "node").filter(|&nodes| nodes > 0);
        number.or_else(tres)
    }

    /// Returns the memory per processor: as allocated, or else as requested.
    fn memory(&mut self, processors: Option<u32>, nodes: Option<u32>) -> Option<Kilobytes> {
        let tres = [Column::AllocTres, Column::ReqTres];
        let (amount, of) = match tres.iter().find_map(|&column| tres_memory(self.row.get(column))) {
            Some(found) => found,
            None if self.row.get(Column::ReqMem).is_empty() => return None,
            None => {
                let found =
                    self.read(Column::ReqMem, "an amount of memory such as 300M, 4Gn or 1.5Gc", memory)?;
                if found.1 == MemoryScope::Processor && !self.row.get(Column::ReqMem).ends_with('c') {
                    self.reasons.push(PER_CPU_BIT);
                }
                found
            }
        };
        let processors = f64::from(processors?);
        // A job without a memory request may get the memory of whole nodes, which Slurm writes as 0.
        Kilobytes::rounded(match of {
            MemoryScope::Processor => amount,
            MemoryScope::Job => amount / processors,
            MemoryScope::Node => amount * f64::from(nodes.unwrap_or(1)) / processors,
        })
        .filter(|memory| memory.millionths() > 0)
    }

    fn state(&mut self) -> Option<State> {
        self.read(Column::State, "a job state such as COMPLETED", State::of)
    }
}

/// Returns whether the job waits, or runs without a time limit from which its end could be assumed.
pub(super) fn is_without_end(row: &ListingRow<'_>) -> bool {
    let has_limit = || {
        let limit = row.first(&[Column::TimelimitRaw, Column::Timelimit]);
        limit.is_some_and(|(_, text)| text.starts_with(|first: char| first.is_ascii_digit()))
    };
    match State::of(row.get(Column::State)) {
        Some(State::Pending) => true,
        Some(State::Running) => is_never(row.get(Column::Start)) || !has_limit(),
        _ => false,
    }
}

/// Parses a job that has ended, or that runs.
///
/// # Errors
///
/// All problems of the line.
pub(super) fn read_job(
    line: u64,
    row: &ListingRow<'_>,
    submission: &SubmitLine<'_>,
    names: &mut Names,
) -> Result<Run, Vec<Problem>> {
    let mut check = JobRowReader { row, problems: Vec::new(), reasons: Vec::new() };
    let submit = check.timestamp(Column::Submit);
    if submit.is_none() && check.problems.is_empty() {
        check.report(Column::Submit, "a time such as 2026-03-01T09:00:00");
    }
    let (start, end) = (check.timestamp(Column::Start), check.timestamp(Column::End));
    let eligible = check.timestamp(Column::Eligible);
    let submit = submit.unwrap_or_default();
    if start.is_some_and(|start| start < submit - CLOCK_CHANGE) {
        check.report(Column::Start, "a time not before Submit");
    }
    let since_submit = |at: i64| u64::try_from(at - submit).ok().map(SimSpan::from_secs);
    let allocated = check.processors(&[Column::AllocCpus, Column::Cpus], Column::AllocTres);
    let requested = check.processors(&[Column::ReqCpus], Column::ReqTres);
    let is_running = State::of(row.get(Column::State)) == Some(State::Running);
    let (wait, mut run_time) = match start {
        Some(start) if is_running => (since_submit(start), None),
        Some(start) => (since_submit(start), check.run_seconds(start, end)),
        None => (end.and_then(since_submit), Some(0)),
    };
    let nodes = check.nodes();
    if allocated
        .or(requested)
        .zip(nodes)
        .is_some_and(|(all, nodes)| nodes <= all && !all.is_multiple_of(nodes))
    {
        check.reasons.push(UNEVEN);
    }
    if row.get(Column::Partition).contains(',') {
        check.reasons.push(PARTITIONS);
    }
    let requested_time = check.time_limit();
    if is_running {
        run_time = requested_time.map(|limit| limit.micros() / 1_000_000);
        check.reasons.push(STILL_RUNNING);
    }
    let requested_memory = check.memory(allocated.or(requested), nodes);
    let state = check.state();
    // A job that was cancelled before it started has no run time either.
    let has_run = matches!(state, Some(State::Ended(status)) if status != Status::Cancelled);
    let record = Record {
        wait,
        has_short_run: has_run && start.is_some() && run_time == Some(0),
        run_time: run_time.map(SimSpan::from_secs),
        allocated_processors: allocated.filter(|_| start.is_some()),
        requested_processors: requested,
        requested_time,
        requested_memory,
        status: match state {
            Some(State::Ended(status)) => status,
            Some(State::Running) => Status::Unknown,
            _ => Status::Failed,
        },
        user: names.users.number(row.get(Column::User)),
        group: row.first(&[Column::Account, Column::Group]).and_then(|(_, name)| names.groups.number(name)),
        executable: row.job_name().and_then(|name| names.jobs.number(name)),
        queue: names.queues.number(row.get(Column::Qos)),
        partition: names.partitions.number(row.get(Column::Partition)),
        nodes,
        is_sized_by_allocation: true,
        ..Record::default()
    };
    let id = row.first(&[Column::JobIdRaw, Column::JobId]);
    let number = id.and_then(|(_, id)| id.parse().ok());
    let end = start.map(|start| end.unwrap_or_else(|| start + run_time.map_or(0, |run| run as i64)));
    let task = row.get(Column::JobId).split_once('_').map(|(_, task)| task);
    let id = row.get(Column::JobId).to_owned();
    let dependency = submission.value(SubmitOption::DEPENDENCY).unwrap_or_default();
    let Dependency { mut after, is_any, is_singleton } = Dependency::of_list(dependency, task);
    let same = names.singleton_dependencies((record.user, record.executable), &id, is_singleton);
    after.extend(same.into_iter().map(|job| (job, DependencyCondition::End(None))));
    let eligible = eligible.or_else(|| begin(submission.value(SubmitOption::BEGIN)?, submit));
    // Some versions write an earlier time for jobs that start at once.
    let eligible = eligible.map(|eligible| start.map_or(eligible, |start| eligible.min(start)));
    let job = AccountingJob { line, id, number, submit, eligible, end, after, is_any, record };
    let JobRowReader { problems, reasons, .. } = check;
    match state.filter(|_| problems.is_empty()) {
        Some(state) => Ok(Run { job, reasons, state }),
        None => Err(problems),
    }
}

/// Returns the array of a job and the maximum number of tasks that may run at once, if given:
/// `12_[1-40%4]`, or `sbatch --array=1-40%4`.
pub(super) fn array<'a>(row: &ListingRow<'a>, submission: &SubmitLine<'_>) -> Option<(&'a str, Option<u32>)> {
    let (array, task) = row.get(Column::JobId).split_once('_')?;
    let most = |list: &str| list.rsplit_once('%')?.1.trim_end_matches(']').parse().ok();
    Some((
        array,
        most(task).or_else(|| most(submission.value(SubmitOption::ARRAY)?)).filter(|most| *most > 0),
    ))
}
