//! Conversion of a row to a job.

use super::cell::Cell;
use super::field::{JobField, Quantity};
use super::map::{Map, MapEntry, Otherwise, Per};
use super::value::{TimeFormat, Unit, duration, memory, number};
use crate::log::{
    Account, AccountingJob, Fate, Kilobytes, MAX_SECONDS, Names, Problem, Reason, Record, Status,
};
use dfrsim_model::platform::devices::SMALLEST_PART;
use dfrsim_model::{Share, SimSpan};
use std::ops::Range;

/// Note on jobs with named parts of GPUs.
const NAMED_PARTS: &str = "jobs with a named part of a GPU, which they hold where the platform lists it in `device_parts`; elsewhere it counts as one";

/// Reason for leaving out jobs of unknown speed.
const WITHOUT_RATE: &str = "jobs of a kind whose rate the map does not have (`rates`)";

/// Largest time by which a start may precede its submission, as where clocks change, in seconds.
const CLOCK_CHANGE: i64 = 3_600;

/// Note on jobs with parts of GPUs.
const PARTS_OF_GPUS: &str = "jobs with a part of a GPU, which they hold where the platform lists it in `devices`; elsewhere it counts as one";

/// Length of the excerpt of a wrong value in messages, in characters.
const EXCERPT_CHARS: usize = 40;

/// A field with the positions of its columns among the cells of a row.
#[derive(Debug)]
pub(super) struct Resolved<'m> {
    pub(super) entry: &'m MapEntry,
    pub(super) column: usize,
    /// Name of the column in messages.
    pub(super) name: &'m str,
    pub(super) times: Option<usize>,
    pub(super) minus: Option<usize>,
    /// Positions of the columns that determine the rate by which the value is divided.
    pub(super) rate_of: Range<usize>,
}

/// Fields of a map whose columns the table has.
pub(super) type Fields<'m> = Vec<(JobField, Resolved<'m>)>;

/// Outcome of a row.
pub(super) enum Outcome {
    Job(Box<TableJob>),
    /// The job had not ended.
    NotEnded,
    /// Row that is not a job according to the map; it has been counted.
    Skipped,
    Wrong(Vec<Problem>),
}

/// A job with its GPUs and features.
pub(super) struct TableJob {
    pub(super) job: AccountingJob,
    pub(super) gpus: u32,
    /// Part of each GPU; `None` if the job has whole ones.
    pub(super) gpu_part: Option<Share>,
    pub(super) gpu_profile: String,
    pub(super) features: String,
    pub(super) partition: String,
}

/// Reader of the cells of a row, which collects the problems found.
pub(super) struct RowReader<'r, 'm> {
    pub(super) map: &'m Map,
    pub(super) fields: &'r Fields<'m>,
    pub(super) cells: &'r [Cell<'r>],
    pub(super) problems: Vec<Problem>,
}

/// State of the job of a row.
enum EndState {
    Ended(Status),
    NotEnded,
}

impl<'r, 'm> RowReader<'r, 'm> {
    fn get(&self, field: JobField) -> Option<&'r Resolved<'m>> {
        self.fields.iter().find(|(of, _)| *of == field).map(|(_, resolved)| resolved)
    }
    fn report(&mut self, of: &Resolved<'_>, expected: String) {
        let values: Vec<&str> = self.cells[of.column].values().collect();
        let found: String = values.join(", ").chars().take(EXCERPT_CHARS).collect();
        let found =
            if found.is_empty() { "no value".to_owned() } else { format!("`{}`", found.escape_debug()) };
        self.problems.push(Problem::Column { column: of.name.to_owned(), found, expected });
    }
    fn is_missing(&self, entry: &MapEntry, text: &str) -> bool {
        text.is_empty() || self.map.missing.iter().chain(&entry.missing).any(|missing| missing == text)
    }
    /// Returns the text of a field; `None` if it is absent.
    fn text(&self, field: JobField) -> Option<String> {
        let of = self.get(field)?;
        let values: Vec<&str> = self.cells[of.column].values().collect();
        Some(values.join(",")).filter(|text| !self.is_missing(of.entry, text))
    }

    /// Returns the value of a field; `None` if it is absent. Values of lists are added up.
    fn value(&mut self, field: JobField) -> Option<f64> {
        let of = self.get(field)?;
        let entry = of.entry;
        if entry.is_count {
            let values = self.cells[of.column].values().filter(|text| !text.is_empty());
            return Some(values.count() as f64);
        }
        let (quantity, is_difference) = (field.quantity(), of.minus.is_some());
        let unit = entry.unit;
        let parse = |text: &str| match quantity {
            Quantity::Time => entry.formats.iter().find_map(|format| format.seconds(text)),
            Quantity::Duration if is_difference => {
                entry.formats.iter().find_map(|format| format.seconds(text))
            }
            Quantity::Duration => duration(text, unit.unwrap_or(Unit::Second)),
            Quantity::Memory => memory(text, unit),
            Quantity::Count | Quantity::Text | Quantity::Status => number(text),
        };
        let none = Cell::ABSENT;
        let others = of.minus.or(of.times).map_or(&none, |place| &self.cells[place]);
        let mut others = others.values();
        let mut sum = None;
        for text in self.cells[of.column].values() {
            let text = entry.key.as_deref().map_or(text, |key| value_of_key(text, key));
            let other = others.next().unwrap_or_default();
            let needs_other = of.minus.is_some() || of.times.is_some();
            if self.is_missing(entry, text) || needs_other && self.is_missing(entry, other) {
                continue;
            }
            let second = match needs_other {
                true if is_difference => parse(other).map(|at| -at),
                true => number(other),
                false => Some(0.0),
            };
            let value = parse(text).zip(second).map(|(value, second)| match of.times {
                Some(_) => value * second,
                None => value + second,
            });
            let Some(value) = value.filter(|value| is_possible(quantity, *value)) else {
                self.report(of, expected(field, entry));
                return None;
            };
            sum = Some(sum.unwrap_or(0.0) + value * entry.factor);
        }
        match of.rate_of.is_empty() {
            true => sum,
            false => Some(sum? / self.rate(of)?).filter(|value| is_possible(quantity, *value)),
        }
    }

    /// Returns the rate by which a value is divided; `None` if the map has none for this row.
    fn rate(&self, of: &Resolved<'_>) -> Option<f64> {
        let texts = self.cells[of.rate_of.clone()].iter();
        let texts: Vec<String> = texts.map(|cell| cell.values().collect::<Vec<_>>().join(",")).collect();
        self.map.rates.get(&texts.join(", ")).copied()
    }

    fn seconds(&mut self, field: JobField) -> Option<i64> {
        self.value(field).map(|seconds| seconds.floor() as i64)
    }
    fn span(&mut self, field: JobField) -> Option<u64> {
        self.value(field).map(|seconds| seconds as u64)
    }
    /// Returns a number of units. Fractions are rounded up and counted.
    fn count(&mut self, field: JobField, account: &mut Account) -> Option<u32> {
        let value = self.value(field)?;
        let units = (value - 1e-6).ceil().max(0.0);
        let is_fraction = (units - value).abs() > 1e-6;
        if is_fraction {
            account.add_text(Fate::Changed, format!("jobs with a fraction in {field}, rounded up"), 1);
        }
        Some(units as u32).filter(|units| *units > 0)
    }

    /// Returns the part of each GPU that a task has, given the number of GPUs of a task; `None` if it
    /// has whole ones.
    fn gpu_part(&mut self, gpus: u32) -> Option<Share> {
        let of = self.get(JobField::GpuPart)?;
        let part = self.value(JobField::GpuPart).filter(|_| gpus > 0)?;
        if part > 1.0 && of.entry.is_whole_above_one {
            return None;
        }
        let share = Share::try_from_f64(part).filter(|it| u64::from(it.units()) >= SMALLEST_PART);
        if share.is_none() {
            self.report(of, "a part of a GPU, above 0.004 and at most a whole one".to_owned());
        } else if gpus > 1 && part < 1.0 {
            self.report(of, format!("whole GPUs, as a task has {gpus} and its fraction of each is unknown"));
        }
        share.filter(|part| *part < Share::ONE)
    }

    fn state(&mut self) -> EndState {
        let Some(of) = self.get(JobField::Status) else { return EndState::Ended(Status::Unknown) };
        let Some(text) = self.text(JobField::Status) else { return EndState::Ended(Status::Unknown) };
        // `CANCELLED by 1003`, `CANCELLED+`.
        let word = text.split([' ', '+']).next().unwrap_or_default().to_owned();
        let states = &of.entry.states;
        let has = |names: &[String]| {
            names.iter().any(|name| name.eq_ignore_ascii_case(&text) || name.eq_ignore_ascii_case(&word))
        };
        if has(&states.completed) {
            return EndState::Ended(Status::Completed);
        }
        if has(&states.failed) {
            return EndState::Ended(Status::Failed);
        }
        if has(&states.cancelled) {
            return EndState::Ended(Status::Cancelled);
        }
        if has(&states.running) {
            return EndState::NotEnded;
        }
        EndState::Ended(match states.otherwise {
            Some(Otherwise::Completed) => Status::Completed,
            Some(Otherwise::Failed) => Status::Failed,
            Some(Otherwise::Cancelled) => Status::Cancelled,
            Some(Otherwise::Unknown) => Status::Unknown,
            None => {
                let known = [&states.completed, &states.failed, &states.cancelled, &states.running];
                let known: Vec<&str> = known.into_iter().flatten().map(String::as_str).collect();
                self.report(of, format!("one of {}", known.join(", ")));
                Status::Unknown
            }
        })
    }

    /// Converts the row.
    pub(super) fn read(mut self, line: u64, names: &mut Names, account: &mut Account) -> Outcome {
        let first = self.cells.len() - self.map.skips.len();
        for (skip, cell) in self.map.skips.iter().zip(&self.cells[first..]) {
            let text = cell.values().collect::<Vec<_>>().join(",");
            if skip.is.contains(&text) || !skip.is_not.is_empty() && !skip.is_not.contains(&text) {
                account.add_text(Fate::LeftOut, skip.reason.clone(), 1);
                return Outcome::Skipped;
            }
        }
        if self.fields.iter().any(|(_, of)| !of.rate_of.is_empty() && self.rate(of).is_none()) {
            account.add_text(Fate::LeftOut, WITHOUT_RATE.to_owned(), 1);
            return Outcome::Skipped;
        }
        let status = match self.state() {
            EndState::NotEnded => return Outcome::NotEnded,
            EndState::Ended(status) => status,
        };
        let submit = self.seconds(JobField::Submit);
        if let (None, Some(of), true) = (submit, self.get(JobField::Submit), self.problems.is_empty()) {
            self.report(of, expected(JobField::Submit, of.entry));
        }
        let submit = submit.unwrap_or_default();
        let given_wait = self.span(JobField::Wait);
        let start = match self.get(JobField::Start) {
            Some(_) => self.seconds(JobField::Start),
            None => given_wait.and_then(|wait| submit.checked_add_unsigned(wait)),
        };
        let end = self.seconds(JobField::End);
        let given_run = self.span(JobField::RunTime);
        let is_known_start = self.get(JobField::Start).is_some() || self.get(JobField::Wait).is_some();
        let run = match (given_run, start, end) {
            (Some(run), Some(_), _) => Some(run),
            (Some(run), None, _) if !is_known_start => Some(run),
            (_, None, _) if is_known_start => Some(0),
            (None, Some(start), Some(end)) => {
                let run = u64::try_from(end - start).ok();
                if let (None, Some(of)) = (run, self.get(JobField::End)) {
                    self.report(of, "a time not before the start".to_owned());
                }
                run.or(Some(0))
            }
            _ => None,
        };
        if let (Some(start), Some(of)) = (start, self.get(JobField::Start))
            && start < submit - CLOCK_CHANGE
        {
            self.report(of, "a time not before the submission".to_owned());
        }
        if run.is_none() && self.problems.is_empty() {
            return Outcome::NotEnded;
        }
        let has_started = start.is_some() || !is_known_start;
        let run = run.unwrap_or_default();
        let record = self.record(names, account, status);
        let since_submit = |at: i64| u64::try_from(at - submit).ok();
        let wait = start.or(end.filter(|_| !has_started)).and_then(since_submit);
        let gpus = self.count(JobField::Gpus, account).unwrap_or(0);
        let gpu_part = self.gpu_part(gpus.div_ceil(record.nodes.unwrap_or(1).max(1)));
        if !self.problems.is_empty() {
            return Outcome::Wrong(self.problems);
        }
        account.count_if(Reason::UNSTARTED, !has_started);
        account.count_if(Reason::WITH_GPUS, gpus > 0);
        if gpu_part.is_some() {
            account.add_text(Fate::Noted, PARTS_OF_GPUS.to_owned(), 1);
        }
        let gpu_profile = self.text(JobField::GpuProfile).filter(|_| gpus > 0).unwrap_or_default();
        if !gpu_profile.is_empty() {
            account.add_text(Fate::Noted, NAMED_PARTS.to_owned(), 1);
        }
        let features = self.text(JobField::Features).unwrap_or_default();
        let id = self.text(JobField::Number).unwrap_or_default();
        let whole =
            || Some(number(&id)?).filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        let number = id.parse().ok().or_else(|| whole().map(|number| number as u64));
        let wait = wait.map(SimSpan::from_secs);
        let ended = start.or(Some(submit).filter(|_| has_started));
        let end = ended.map(|start| end.unwrap_or(start.saturating_add_unsigned(run)));
        let record = Record { wait, run_time: Some(SimSpan::from_secs(run)), ..record };
        let job = AccountingJob {
            line,
            id,
            number,
            submit,
            eligible: None,
            end,
            after: Vec::new(),
            is_any: false,
            record,
        };
        let partition = self.text(JobField::Partition).unwrap_or_default();
        Outcome::Job(Box::new(TableJob { job, gpus, gpu_part, gpu_profile, features, partition }))
    }

    /// Reads the fields that are not times.
    fn record(&mut self, names: &mut Names, account: &mut Account, status: Status) -> Record {
        let nodes = if self.map.has_one_task { Some(1) } else { self.count(JobField::Nodes, account) };
        let has_processors =
            [JobField::Processors, JobField::RequestedProcessors].map(|of| self.get(of).is_some());
        let mut allocated = self.count(JobField::Processors, account);
        let requested = self.count(JobField::RequestedProcessors, account);
        if has_processors == [false, false] {
            allocated = nodes;
        }
        let processors = allocated.or(requested);
        let mut memory_of = |field: JobField| {
            let kilobytes = self.value(field)?;
            let per = self.get(field)?.entry.per;
            let processors = f64::from(processors?);
            Kilobytes::rounded(match per {
                Per::Job => kilobytes / processors,
                Per::Node => kilobytes * f64::from(nodes.unwrap_or(1)) / processors,
                Per::Processor => kilobytes,
            })
            .filter(|memory| memory.millionths() > 0)
        };
        let (requested_memory, used_memory) = (memory_of(JobField::Memory), memory_of(JobField::UsedMemory));
        let requested_time = self.span(JobField::RequestedTime).filter(|seconds| *seconds > 0);
        let text = |field| self.text(field).unwrap_or_default();
        Record {
            allocated_processors: allocated,
            requested_processors: requested,
            requested_time: requested_time.map(SimSpan::from_secs),
            requested_memory,
            used_memory,
            status,
            user: names.users.number(&text(JobField::User)),
            group: names.groups.number(&text(JobField::Group)),
            executable: names.jobs.number(&text(JobField::Name)),
            queue: names.queues.number(&text(JobField::Queue)),
            partition: names.partitions.number(&text(JobField::Partition)),
            nodes,
            ..Record::default()
        }
    }
}

/// Returns the value of a key in a list such as `cpu=4,mem=8G`; empty if there is none.
fn value_of_key<'t>(list: &'t str, key: &str) -> &'t str {
    let pairs = list.split(',').filter_map(|part| part.split_once('='));
    pairs.into_iter().find(|(name, _)| name.trim() == key).map_or("", |(_, value)| value.trim())
}

/// Returns whether a value is in the range of its kind.
fn is_possible(quantity: Quantity, value: f64) -> bool {
    match quantity {
        Quantity::Time => true,
        Quantity::Duration => (0.0..=MAX_SECONDS as f64).contains(&value),
        Quantity::Memory => (0.0..=1e15).contains(&value),
        Quantity::Count | Quantity::Text | Quantity::Status => (0.0..=f64::from(u32::MAX)).contains(&value),
    }
}

/// Describes the valid values of a field.
fn expected(field: JobField, entry: &MapEntry) -> String {
    let formats = || entry.formats.iter().map(TimeFormat::expected).collect::<Vec<_>>().join(", or ");
    let unit = |default: &str| entry.unit.map_or(default.to_owned(), |unit| unit.to_string());
    match field.quantity() {
        Quantity::Time => formats(),
        Quantity::Duration if entry.minus.is_some() => {
            format!("a later one than the time that is subtracted: {}", formats())
        }
        Quantity::Duration => format!("a duration in {}, or one such as 1-02:03:04", unit("s")),
        Quantity::Memory => match entry.unit {
            Some(unit) => format!("an amount of memory in {unit}, or one with its unit such as 4G"),
            None => "an amount of memory with its unit, such as 4G (the map gives no unit)".to_owned(),
        },
        Quantity::Count | Quantity::Text | Quantity::Status => "a number of at least 0".to_owned(),
    }
}
