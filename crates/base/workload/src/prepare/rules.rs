//! The rule for anomalous lines of a log.

use crate::log::{Record, Status};
use dfrsim_model::named;
use serde::{Deserialize, Serialize};
use std::fmt;

named! {
    /// The field that says how many processors a job has.
    #[derive(Default)]
    pub enum SizeField as "size" {
        /// Field 8, what the job asked for; field 5 where that is unknown or zero.
        #[default]
        Requested = "requested",
        /// Field 5, what the job got; field 8 where that is unknown or zero.
        Allocated = "allocated",
    }
}

named! {
    /// The rule for a job of which a number is impossible.
    pub enum Rule as "rule" {
        /// It is left out.
        Drop = "drop",
        /// It gets the nearest possible number.
        Clamp = "clamp",
        /// It is a fault of the log.
        Error = "error",
    }
}

named! {
    /// The rule for a job that ended in some way.
    pub enum StatusRule as "rule" {
        /// It stays.
        Keep = "keep",
        /// It is left out.
        Drop = "drop",
        /// It is a fault of the log.
        Error = "error",
    }
}

named! {
    /// What makes a line anomalous, in the order in which it is examined. A line may have several anomalies, but after
    /// it has been left out no further one is counted.
    pub enum Anomaly as "anomaly" {
        /// It failed (status 0).
        Failed = "failed",
        /// It was cancelled (status 5).
        Cancelled = "cancelled",
        /// It is a part of a checkpointed job (status 2, 3 or 4), and a line above it has the same job number.
        Partial = "partial",
        /// Its status is 2, 3 or 4, but no line above it has its job number, so none sums it up. Logs with exit codes as
        /// statuses have such lines.
        LonePartial = "lone_partial",
        /// Its status is a number that the format does not define.
        UnknownStatus = "unknown_status",
        /// A line above it has the same job number, and it is not a part of a checkpointed job.
        RepeatedNumber = "repeated_number",
        /// It has no submit time.
        NoSubmit = "no_submit",
        /// Its size is zero or unknown.
        ZeroSize = "zero_size",
        /// It has more tasks than the machine has units.
        TooWide = "too_wide",
        /// Its run time is zero or unknown.
        ZeroRun = "zero_run",
    }
}

impl SizeField {
    /// The processors of a job; `None` if both fields are zero or unknown.
    #[must_use]
    pub fn of(self, record: &Record) -> Option<u32> {
        let requested = record.requested_processors.filter(|&size| size > 0);
        let allocated = record.allocated_processors.filter(|&size| size > 0);
        match self {
            SizeField::Requested => requested.or(allocated),
            SizeField::Allocated => allocated.or(requested),
        }
    }
}

/// The rule for each anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Failed jobs; by default they stay.
    pub failed: StatusRule,
    /// Cancelled jobs; by default they stay (those that never ran fall under `zero_run`).
    pub cancelled: StatusRule,
    /// Parts of checkpointed jobs; by default they are left out, since a line above sums them up.
    pub partial: StatusRule,
    /// Jobs with the status of a part that no line above sums up; by default they stay.
    pub lone_partial: StatusRule,
    /// Jobs whose status is a number that the format does not define; by default they stay.
    pub unknown_status: StatusRule,
    /// Jobs whose number a line above has; by default they stay.
    pub repeated_number: StatusRule,
    /// Jobs without submit time: by default left out; clamped, they are submitted with the line above.
    pub no_submit: Rule,
    /// Jobs of size zero or unknown: by default left out; clamped, they have size 1.
    pub zero_size: Rule,
    /// Jobs with more tasks than the machine has units: by default left out; clamped, they take the whole machine.
    pub too_wide: Rule,
    /// Jobs of run time zero or unknown: by default left out; clamped, they run for 1 s.
    pub zero_run: Rule,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            failed: StatusRule::Keep,
            cancelled: StatusRule::Keep,
            partial: StatusRule::Drop,
            lone_partial: StatusRule::Keep,
            unknown_status: StatusRule::Keep,
            repeated_number: StatusRule::Keep,
            no_submit: Rule::Drop,
            zero_size: Rule::Drop,
            too_wide: Rule::Drop,
            zero_run: Rule::Drop,
        }
    }
}

/// What a rule does, of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Keep,
    Clamp,
    Drop,
    Error,
}

impl Rules {
    pub(super) const fn action(&self, anomaly: Anomaly) -> Action {
        match anomaly {
            Anomaly::Failed => self.failed.action(),
            Anomaly::Cancelled => self.cancelled.action(),
            Anomaly::Partial => self.partial.action(),
            Anomaly::LonePartial => self.lone_partial.action(),
            Anomaly::UnknownStatus => self.unknown_status.action(),
            Anomaly::RepeatedNumber => self.repeated_number.action(),
            Anomaly::NoSubmit => self.no_submit.action(),
            Anomaly::ZeroSize => self.zero_size.action(),
            Anomaly::TooWide => self.too_wide.action(),
            Anomaly::ZeroRun => self.zero_run.action(),
        }
    }
}

impl Rule {
    const fn action(self) -> Action {
        match self {
            Rule::Drop => Action::Drop,
            Rule::Clamp => Action::Clamp,
            Rule::Error => Action::Error,
        }
    }
}

impl StatusRule {
    const fn action(self) -> Action {
        match self {
            StatusRule::Keep => Action::Keep,
            StatusRule::Drop => Action::Drop,
            StatusRule::Error => Action::Error,
        }
    }
}

impl Anomaly {
    /// The anomaly of a status; `None` if there is none. `is_new` says that no line above has the number of the job.
    pub(super) const fn from_status(status: Status, is_new: bool) -> Option<Anomaly> {
        match status {
            Status::Failed => Some(Anomaly::Failed),
            Status::Cancelled => Some(Anomaly::Cancelled),
            Status::PartialContinued | Status::PartialCompleted | Status::PartialFailed => {
                Some(if is_new { Anomaly::LonePartial } else { Anomaly::Partial })
            }
            Status::Other(_) => Some(Anomaly::UnknownStatus),
            Status::Unknown | Status::Completed => None,
        }
    }
    /// The fault, for messages that begin with the job.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Anomaly::Failed => "it is failed",
            Anomaly::Cancelled => "it is cancelled",
            Anomaly::Partial => "it is a part of a checkpointed job",
            Anomaly::LonePartial => {
                "its status is that of a part of a checkpointed job, but no line sums it up"
            }
            Anomaly::UnknownStatus => "its status is not one of the format",
            Anomaly::RepeatedNumber => "a line above has its number",
            Anomaly::NoSubmit => "its submit time is unknown",
            Anomaly::ZeroSize => "its size is zero or unknown",
            Anomaly::TooWide => "it is wider than the machine",
            Anomaly::ZeroRun => "its run time is zero or unknown",
        }
    }
}

/// How often an anomaly occurred, by what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnomalyCounts {
    /// The job stayed as it is.
    pub kept: u64,
    /// The number was made possible.
    pub clamped: u64,
    /// The job was left out.
    pub dropped: u64,
}

/// The outcome of the lines of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines with a record.
    pub records: u64,
    /// Those outside the selected part.
    pub outside: u64,
    /// Those that became jobs.
    pub jobs: u64,
    /// Jobs that have neither used nor requested memory (fields 7 and 10).
    pub without_memory: u64,
    /// Jobs that have no requested time (field 9): where policies are to know requested times, they know the run times of
    /// these jobs.
    pub without_estimate: u64,
    anomalies: [AnomalyCounts; Anomaly::ALL.len()],
}

impl Counts {
    /// What was done about an anomaly.
    pub const fn of(&self, anomaly: Anomaly) -> AnomalyCounts {
        self.anomalies[anomaly as usize]
    }
    pub(super) const fn of_mut(&mut self, anomaly: Anomaly) -> &mut AnomalyCounts {
        &mut self.anomalies[anomaly as usize]
    }
}

impl fmt::Display for Counts {
    /// `59715 records, 54034 jobs; cancelled: 16598 kept; zero_run: 5681 dropped`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records, {} jobs", self.records, self.jobs)?;
        if self.outside > 0 {
            write!(f, "; not selected: {}", self.outside)?;
        }
        for &anomaly in Anomaly::ALL {
            let counts = self.of(anomaly);
            let parts = [(counts.kept, "kept"), (counts.clamped, "clamped"), (counts.dropped, "dropped")];
            let mut separator = format!("; {anomaly}:");
            for (count, verb) in parts.into_iter().filter(|(count, _)| *count > 0) {
                write!(f, "{separator} {count} {verb}")?;
                separator = String::from(",");
            }
        }
        if self.without_estimate > 0 {
            write!(f, "; jobs without requested time: {}", self.without_estimate)?;
        }
        Ok(())
    }
}
