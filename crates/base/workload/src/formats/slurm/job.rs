//! Conversion of a line to a job.

use super::amounts::{MemoryScope, is_never, memory, span, tres_count};
use super::columns::{Column, Row};
use crate::formats::moment::timestamp;
use crate::log::{
    AccountingJob, DependencyCondition, Kilobytes, MAX_SECONDS, Names, Problem, Record, Status,
};
use dfrsim_model::SimSpan;

/// Largest error of local times around a change of the clock (daylight saving), in seconds.
const CLOCK_CHANGE: i64 = 3_600;

/// Returns whether the job is pending, running or suspended.
pub(super) fn has_not_ended(row: &Row<'_>) -> bool {
    matches!(
        state(row),
        "PENDING"
            | "RUNNING"
            | "SUSPENDED"
            | "CONFIGURING"
            | "COMPLETING"
            | "RESIZING"
            | "SIGNALING"
            | "STOPPED"
    )
}

/// Returns the first word of the state: `CANCELLED` for `CANCELLED by 1003`.
fn state<'a>(row: &Row<'a>) -> &'a str {
    row.get(Column::State).split([' ', '+']).next().unwrap_or_default()
}

/// Reader of the fields of a line, which collects the problems found.
struct RowReader<'a, 'r> {
    row: &'a Row<'r>,
    problems: Vec<Problem>,
}

impl RowReader<'_, '_> {
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

    /// Returns the requested memory per processor.
    fn memory(&mut self, processors: Option<u32>) -> Option<Kilobytes> {
        if self.row.get(Column::ReqMem).is_empty() {
            return None;
        }
        let (amount, of) =
            self.read(Column::ReqMem, "an amount of memory such as 300M, 4Gn or 1.5Gc", memory)?;
        let processors = f64::from(processors?);
        let nodes = self.row.get(Column::Nodes).parse::<u32>().unwrap_or(1).max(1);
        // A job without a memory request may get the memory of whole nodes, which Slurm writes as 0.
        Kilobytes::rounded(match of {
            MemoryScope::Processor => amount,
            MemoryScope::Job => amount / processors,
            MemoryScope::Node => amount * f64::from(nodes) / processors,
        })
        .filter(|memory| memory.millionths() > 0)
    }

    fn status(&mut self) -> Status {
        match state(self.row) {
            "COMPLETED" => Status::Completed,
            "CANCELLED" | "REVOKED" => Status::Cancelled,
            "FAILED" | "TIMEOUT" | "NODE_FAIL" | "OUT_OF_MEMORY" | "PREEMPTED" | "BOOT_FAIL" | "DEADLINE"
            | "LAUNCH_FAILED" | "RECONFIG_FAIL" | "SPECIAL_EXIT" | "REQUEUED" | "REQUEUE_HOLD"
            | "REQUEUE_FED" => Status::Failed,
            _ => {
                self.report(Column::State, "a job state such as COMPLETED");
                Status::Unknown
            }
        }
    }
}

/// Parses a job that has ended.
///
/// # Errors
///
/// All problems of the line.
pub(super) fn read_job(line: u64, row: &Row<'_>, names: &mut Names) -> Result<AccountingJob, Vec<Problem>> {
    let mut check = RowReader { row, problems: Vec::new() };
    let submit = check.timestamp(Column::Submit);
    if submit.is_none() && check.problems.is_empty() {
        check.report(Column::Submit, "a time such as 2026-03-01T09:00:00");
    }
    let (start, end) = (check.timestamp(Column::Start), check.timestamp(Column::End));
    let submit = submit.unwrap_or_default();
    if start.is_some_and(|start| start < submit - CLOCK_CHANGE) {
        check.report(Column::Start, "a time not before Submit");
    }
    let since_submit = |at: i64| u64::try_from(at - submit).ok().map(SimSpan::from_secs);
    let allocated = check.processors(&[Column::AllocCpus, Column::Cpus], Column::AllocTres);
    let requested = check.processors(&[Column::ReqCpus], Column::ReqTres);
    let (wait, run_time) = match start {
        Some(start) => (since_submit(start), check.run_seconds(start, end)),
        None => (end.and_then(since_submit), Some(0)),
    };
    let record = Record {
        wait,
        run_time: run_time.map(SimSpan::from_secs),
        allocated_processors: allocated.filter(|_| start.is_some()),
        requested_processors: requested,
        requested_time: check.time_limit(),
        requested_memory: check.memory(allocated.or(requested)),
        status: check.status(),
        user: names.users.number(row.get(Column::User)),
        group: row.first(&[Column::Account, Column::Group]).and_then(|(_, name)| names.groups.number(name)),
        executable: row.job_name().and_then(|name| names.jobs.number(&name)),
        queue: names.queues.number(row.get(Column::Qos)),
        partition: names.partitions.number(row.get(Column::Partition)),
        nodes: row.get(Column::Nodes).parse().ok().filter(|nodes| *nodes > 0),
        ..Record::default()
    };
    let id = row.first(&[Column::JobIdRaw, Column::JobId]);
    let number = id.and_then(|(_, id)| id.parse().ok());
    let end = start.map(|start| end.unwrap_or_else(|| start + run_time.map_or(0, |run| run as i64)));
    let task = row.get(Column::JobId).split_once('_').map(|(_, task)| task);
    let id = row.get(Column::JobId).to_owned();
    let Dependency { mut after, is_any, is_singleton } =
        Dependency::of_line(row.get(Column::SubmitLine), task);
    let same = names.singleton_dependencies((record.user, record.executable), &id, is_singleton);
    after.extend(same.into_iter().map(|job| (job, DependencyCondition::End(None))));
    let listed = AccountingJob { line, id, number, submit, end, after, is_any, record };
    if check.problems.is_empty() { Ok(listed) } else { Err(check.problems) }
}

/// Returns the value of an option in a command line of `sbatch` or `srun`.
fn option_value<'a>(line: &'a str, short: &str, long: &str) -> Option<&'a str> {
    let mut words = line.split_whitespace();
    loop {
        let word = words.next()?;
        if word == short || word == long {
            return words.next();
        }
        let of_long = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
        let joined = of_long.or_else(|| word.strip_prefix(short).filter(|_| !word.starts_with("--")));
        if joined.is_some() {
            return joined;
        }
    }
}

/// Returns the array of a job and the maximum number of tasks that may run at once, if given:
/// `12_[1-40%4]`, or `sbatch --array=1-40%4`.
pub(super) fn array<'a>(row: &Row<'a>) -> Option<(&'a str, Option<u32>)> {
    let (array, task) = row.get(Column::JobId).split_once('_')?;
    let most = |list: &str| list.rsplit_once('%')?.1.trim_end_matches(']').parse().ok();
    let submitted = || option_value(row.get(Column::SubmitLine), "-a", "--array");
    Some((array, most(task).or_else(|| most(submitted()?)).filter(|most| *most > 0)))
}

/// Dependencies of a job in its command line of `sbatch` or `srun`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Dependency {
    /// Preceding jobs, and the condition for each.
    after: Vec<(String, DependencyCondition)>,
    /// True if a single one of them suffices.
    is_any: bool,
    /// True if the job waits for all earlier jobs of its name and user.
    is_singleton: bool,
}

impl Dependency {
    /// Parses a command line. `task` is the task id of the job, if it belongs to an array.
    fn of_line(line: &str, task: Option<&str>) -> Dependency {
        let list = option_value(line, "-d", "--dependency").unwrap_or_default();
        let mut found = Dependency { is_any: list.contains('?'), ..Dependency::default() };
        for part in list.split([',', '?']) {
            let (kind, jobs) = part.split_once(':').unwrap_or((part, ""));
            found.is_singleton |= kind == "singleton";
            let Some(until) = DependencyCondition::of(kind) else { continue };
            // With `aftercorr` each array task depends on the task with its own id.
            let task = task.filter(|_| kind == "aftercorr");
            let jobs = jobs.split(':').filter(|job| !job.is_empty());
            found.after.extend(jobs.map(|job| match (until, job.split_once('+')) {
                (DependencyCondition::Start(_), Some((job, minutes))) => (
                    job.to_owned(),
                    DependencyCondition::Start(minutes.parse::<u32>().unwrap_or(0).saturating_mul(60)),
                ),
                _ => (task.map_or_else(|| job.to_owned(), |task| format!("{job}_{task}")), until),
            }));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Dependency, option_value};
    use crate::log::DependencyCondition;

    #[test]
    fn options_are_found_in_any_form() {
        for line in
            ["sbatch -a 1-9%3 x", "sbatch --wrap=-a --array=1-9%3 x", "srun -a1-9%3", "sbatch --array 1-9%3"]
        {
            assert_eq!(option_value(line, "-a", "--array"), Some("1-9%3"), "{line}");
        }
        for line in ["sbatch --account=a x", "sbatch -A a x", "sbatch -a", ""] {
            assert_eq!(option_value(line, "-a", "--array"), None, "{line}");
        }
    }

    #[test]
    fn dependencies_are_found_in_the_line_of_a_submission() {
        let (ok, any, not_ok) = (
            DependencyCondition::End(Some(true)),
            DependencyCondition::End(None),
            DependencyCondition::End(Some(false)),
        );
        let minutes = |minutes: u32| DependencyCondition::Start(60 * minutes);
        for (line, expected, is_any, is_singleton) in [
            ("sbatch --dependency=afterok:70 job.sh", &[("70", ok)][..], false, false),
            (
                "sbatch -N 2 --dependency afterany:70_3:71,afterok:72 job.sh",
                &[("70_3", any), ("71", any), ("72", ok)],
                false,
                false,
            ),
            ("sbatch -dafter:70+5?aftercorr:80 job.sh", &[("70", minutes(5)), ("80_4", ok)], true, false),
            ("sbatch -d after:70+5:71 job.sh", &[("70", minutes(5)), ("71", minutes(0))], false, false),
            ("sbatch -d singleton,afternotok:7 job.sh", &[("7", not_ok)], false, true),
            ("sbatch -d", &[], false, false),
            ("sbatch job.sh", &[], false, false),
            ("", &[], false, false),
        ] {
            let after = expected.iter().map(|&(job, until)| (job.to_owned(), until)).collect();
            let expected = Dependency { after, is_any, is_singleton };
            assert_eq!(Dependency::of_line(line, Some("4")), expected, "{line}");
        }
    }
}
