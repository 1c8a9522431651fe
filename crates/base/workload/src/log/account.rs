//! Account of a file: numbers of lines that were found, used, changed and dropped.

use dfrsim_model::account::{AccountCount, AccountSummary, UnusedField};
use dfrsim_model::named;
use serde::Serialize;
use std::borrow::Cow;

named! {
    /// The outcome of what an [`Account`] counts.
    pub enum Fate as "fate" {
        /// Lines that are not jobs to simulate, such as steps.
        LeftOut = "left out",
        /// Lines with an error.
        Rejected = "rejected",
        /// Jobs with a value that the file lacks and that is assumed.
        Guessed = "guessed",
        /// Jobs of which a value was replaced.
        Changed = "changed",
        /// Jobs that request something that is not simulated.
        NotSimulated = "not simulated",
        /// Jobs of a special kind; they are simulated as they are.
        Noted = "noted",
    }
}

/// A reason to count a line or a job, with its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Outcome.
    pub fate: Fate,
    /// Text for messages, in the plural, to be followed by the count.
    pub text: &'static str,
}

impl Reason {
    const fn new(fate: Fate, text: &'static str) -> Reason {
        Reason { fate, text }
    }
    /// Lines of jobs from other sites than the selected one (Grid Workloads Format).
    pub const OTHER_SITE: Reason = Reason::new(Fate::LeftOut, "lines of other sites");
    /// Job steps, which are not separate jobs.
    pub const STEP: Reason = Reason::new(Fate::LeftOut, "lines of steps");
    /// Lines of jobs that were still pending, running or suspended. The pending tasks of an array
    /// are one line.
    pub const UNENDED: Reason = Reason::new(Fate::LeftOut, "jobs that had not ended");
    /// Jobs of PBS without a line for their end; their lines are events.
    pub const UNENDED_JOB: Reason = Reason::new(Fate::Noted, "jobs that had not ended, left out");
    /// PBS lines about events of jobs, such as queueing, start, change or a request for deletion.
    pub const EVENT: Reason = Reason::new(Fate::LeftOut, "lines of events of jobs");
    /// PBS lines that are not about a job.
    pub const NOT_OF_JOB: Reason =
        Reason::new(Fate::LeftOut, "lines of licences, reservations and arrays as a whole");
    /// Records whose submit, start or end time is the time stamp of a line, as no attribute gives
    /// it.
    pub const GUESSED_TIME: Reason =
        Reason::new(Fate::Guessed, "jobs with a time from a line's time stamp, as no attribute gives it");
    /// Records of jobs without processors.
    pub const GUESSED_SIZE: Reason =
        Reason::new(Fate::Guessed, "jobs without processors, assumed to have one");
    /// Records of PBS jobs that ran although the used wall time is 0.
    pub const UNMEASURED: Reason = Reason::new(
        Fate::Guessed,
        "jobs with a used wall time of 0, which ran from their start to their end",
    );
    /// Records with more fields than the format has, such as those of other simulators.
    pub const SURPLUS_FIELDS: Reason = Reason::new(
        Fate::Noted,
        "lines with more than the 18 fields of the format, of which the first 18 are read",
    );
    /// Records of jobs that ran in reservations.
    pub const RESERVED: Reason =
        Reason::new(Fate::NotSimulated, "jobs of reservations, scheduled like any other jobs");
    /// Jobs with communication (Batsim workloads).
    pub const COMMUNICATION: Reason =
        Reason::new(Fate::NotSimulated, "jobs whose communication is not simulated");
    /// Records of jobs that were suspended for some time.
    pub const SUSPENDED: Reason =
        Reason::new(Fate::NotSimulated, "jobs that were suspended; their run times exclude the suspension");
    /// Records of jobs that ended before they started.
    pub const UNSTARTED: Reason = Reason::new(Fate::Noted, "jobs that never started");
    /// Records of runs that ended in a requeue.
    pub const REQUEUED: Reason = Reason::new(Fate::Noted, "runs that ended in a requeue");
    /// Records of array tasks.
    pub const ARRAY_TASK: Reason = Reason::new(Fate::Noted, "tasks of arrays");
    /// Records of components of heterogeneous jobs.
    pub const COMPONENT: Reason = Reason::new(Fate::Noted, "components of heterogeneous jobs");
    /// Records of jobs with dependencies.
    pub const DEPENDENT: Reason = Reason::new(Fate::Noted, "jobs that depend on another one");
    /// Records of jobs with GPUs, for which the record has no field.
    pub const WITH_GPUS: Reason =
        Reason::new(Fate::Noted, "jobs with GPUs; the GPUs count on nodes that have some");
}

/// A count of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountEntry {
    /// Outcome.
    pub fate: Fate,
    /// Reason, in the plural.
    pub reason: Cow<'static, str>,
    /// Number of lines or jobs.
    pub count: u64,
}

/// Effect of a column of a listing, or of a parameter of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "effect", content = "jobs")]
pub enum Effect {
    /// The simulation uses it.
    Used,
    /// It changes nothing for this file or site.
    NoEffect,
    /// It is not simulated, and would concern this many jobs.
    WouldChange(u64),
}

/// A column of a listing or a parameter of a configuration, and its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldUse {
    /// Name as written in the file.
    pub name: String,
    /// Use.
    #[serde(flatten)]
    pub effect: Effect,
}

/// Account of a file: the lines that a reader found, and the outcome of each.
///
/// Each line is a record, or is counted once with [`Fate::LeftOut`] or [`Fate::Rejected`]. The other
/// counts are of records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Lines or entries that were found, without blank lines, comments and lines of names.
    pub lines: u64,
    entries: Vec<AccountEntry>,
    /// Columns or parameters of the file, in its order; empty for formats with fixed fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldUse>,
}

impl Account {
    /// Creates the account of a file with this number of lines.
    #[must_use]
    pub fn of_lines(lines: u64) -> Account {
        Account { lines, ..Account::default() }
    }
    /// Counts one line or job.
    pub fn count(&mut self, reason: Reason) {
        self.add(reason, 1);
    }
    /// Counts a job if the condition holds.
    pub fn count_if(&mut self, reason: Reason, condition: bool) {
        if condition {
            self.count(reason);
        }
    }
    /// Counts several lines or jobs.
    pub fn add(&mut self, reason: Reason, count: u64) {
        self.add_text(reason.fate, reason.text, count);
    }
    /// Counts lines or jobs for a reason that depends on the file.
    pub fn add_text(&mut self, fate: Fate, reason: impl Into<Cow<'static, str>>, count: u64) {
        let reason = reason.into();
        if count == 0 {
            return;
        }
        match self.entries.iter_mut().find(|entry| entry.fate == fate && entry.reason == reason) {
            Some(entry) => entry.count += count,
            None => self.entries.push(AccountEntry { fate, reason, count }),
        }
    }
    /// Returns the count for a reason.
    pub fn of(&self, reason: Reason) -> u64 {
        let is_it = |entry: &&AccountEntry| entry.fate == reason.fate && entry.reason == reason.text;
        self.entries.iter().find(is_it).map_or(0, |entry| entry.count)
    }
    /// Returns the sum of the counts with this outcome.
    pub fn total(&self, fate: Fate) -> u64 {
        self.entries.iter().filter(|entry| entry.fate == fate).map(|entry| entry.count).sum()
    }
    /// Returns the counts by outcome; those of an outcome in the order of the file.
    pub fn entries(&self) -> Vec<&AccountEntry> {
        let mut entries: Vec<&AccountEntry> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.fate);
        entries
    }
    /// Returns the number of lines that became jobs.
    pub fn jobs(&self) -> u64 {
        self.lines.saturating_sub(self.total(Fate::LeftOut) + self.total(Fate::Rejected))
    }
    /// Returns the account with its sums.
    pub fn summary(&self) -> AccountSummary {
        let count = |AccountEntry { fate, reason, count }: &AccountEntry| AccountCount {
            outcome: fate.name().to_owned(),
            reason: reason.clone().into_owned(),
            count: *count,
        };
        let unused = self.fields.iter().filter_map(|FieldUse { name, effect }| match effect {
            Effect::WouldChange(jobs) => Some(UnusedField { name: name.clone(), jobs: *jobs }),
            Effect::Used | Effect::NoEffect => None,
        });
        AccountSummary {
            lines: self.lines,
            jobs: self.jobs(),
            rejected: self.total(Fate::Rejected),
            left_out: self.total(Fate::LeftOut),
            counts: self.entries().into_iter().map(count).collect(),
            not_used: unused.collect(),
        }
    }
    /// Formats the counts as notices for the user.
    pub fn notices(&self) -> Vec<String> {
        let notice = |entry: &AccountEntry| match entry.fate {
            Fate::LeftOut => format!("{}, left out: {}", entry.reason, entry.count),
            _ => format!("{}: {}", entry.reason, entry.count),
        };
        self.entries().into_iter().map(notice).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_sorted_by_outcome_and_added_by_reason() {
        let mut account = Account::of_lines(5);
        account.count(Reason::WITH_GPUS);
        account.add(Reason::STEP, 2);
        account.count_if(Reason::STEP, true);
        account.count_if(Reason::UNENDED, false);
        account.add_text(Fate::NotSimulated, "jobs with --nice".to_owned(), 1);
        assert_eq!((account.of(Reason::STEP), account.total(Fate::LeftOut)), (3, 3));
        assert_eq!(
            account.notices(),
            [
                "lines of steps, left out: 3",
                "jobs with --nice: 1",
                "jobs with GPUs; the GPUs count on nodes that have some: 1"
            ]
        );
    }
}
