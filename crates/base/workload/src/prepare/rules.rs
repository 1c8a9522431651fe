//! Rules for the anomalous lines of a log.

use crate::log::{Record, Status};
use dfrsim_model::named;
use dfrsim_model::named::UnknownName;
use serde::{Deserialize, Serialize};
use std::fmt;

named! {
    /// The field with the number of processors of a job.
    #[derive(Default)]
    pub enum SizeField as "size" {
        /// The allocated processors in accounting of Slurm, and the requested ones in all other
        /// logs.
        #[default]
        ByFormat = "by-format",
        /// Field 8, the requested processors; field 5 if that is unknown or zero.
        Requested = "requested",
        /// Field 5, the allocated processors; field 8 if that is unknown or zero.
        Allocated = "allocated",
    }
}

named! {
    /// The rule for a job with an impossible value.
    pub enum Rule as "rule" {
        /// The job is dropped.
        Drop = "drop",
        /// The value is replaced by the nearest possible one.
        Clamp = "clamp",
        /// The job is an error.
        Error = "error",
    }
}

named! {
    /// The rule for a job with a certain final state.
    pub enum StatusRule as "rule" {
        /// The job is kept.
        Keep = "keep",
        /// The job is dropped.
        Drop = "drop",
        /// The job is an error.
        Error = "error",
    }
}

named! {
    /// An anomaly of a line, in the order of checking. A line may have several anomalies, but none
    /// is counted after the line has been dropped.
    pub enum Anomaly as "anomaly" {
        /// The job failed (status 0).
        Failed = "failed",
        /// The job was cancelled (status 5).
        Cancelled = "cancelled",
        /// The line is a part of a checkpointed job (status 2, 3 or 4), and an earlier line has the
        /// same job number.
        Partial = "partial",
        /// The status is 2, 3 or 4, but no earlier line has the job number, so there is no line for
        /// the whole job. Logs with exit codes as statuses have such lines.
        LonePartial = "lone_partial",
        /// The status is a number that the format does not define.
        UnknownStatus = "unknown_status",
        /// An earlier line has the same job number, and the line is not a part of a checkpointed
        /// job.
        RepeatedNumber = "repeated_number",
        /// The submit time is unknown.
        NoSubmit = "no_submit",
        /// The size is zero or unknown.
        ZeroSize = "zero_size",
        /// The job has more tasks than the machine has units; or it has a task for each node that a
        /// listing gives it, and these need more cores or memory than any node has.
        TooWide = "too_wide",
        /// The run time is zero or unknown.
        ZeroRun = "zero_run",
        /// The job ran, but for less than the resolution of the log.
        ShortRun = "short_run",
    }
}

impl SizeField {
    /// Returns the number of processors of a job; `None` if both fields are zero or unknown.
    #[must_use]
    pub fn of(self, record: &Record) -> Option<u32> {
        let requested = record.requested_processors.filter(|&size| size > 0);
        let allocated = record.allocated_processors.filter(|&size| size > 0);
        match self {
            SizeField::ByFormat if record.is_sized_by_allocation => allocated.or(requested),
            SizeField::ByFormat | SizeField::Requested => requested.or(allocated),
            SizeField::Allocated => allocated.or(requested),
        }
    }
}

/// The rule for each anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Failed jobs; by default they are kept.
    pub failed: StatusRule,
    /// Cancelled jobs; by default they are kept (those that never ran fall under `zero_run`).
    pub cancelled: StatusRule,
    /// Parts of checkpointed jobs; by default they are dropped, since an earlier line represents the
    /// whole job.
    pub partial: StatusRule,
    /// Jobs with the status of a part but no earlier line for the whole job; by default they are
    /// kept.
    pub lone_partial: StatusRule,
    /// Jobs whose status is a number that the format does not define; by default they are kept.
    pub unknown_status: StatusRule,
    /// Jobs with the number of an earlier line; by default they are kept.
    pub repeated_number: StatusRule,
    /// Jobs without a submit time: by default dropped; if clamped, they are submitted with the
    /// preceding line.
    pub no_submit: Rule,
    /// Jobs of size zero or unknown: by default dropped; if clamped, they have size 1.
    pub zero_size: Rule,
    /// Jobs with more tasks than the machine has units: by default dropped; if clamped, they take
    /// the whole machine.
    pub too_wide: Rule,
    /// Jobs with run time zero or unknown: by default dropped; if clamped, they run for 1 s.
    pub zero_run: Rule,
    /// Jobs of which the log says that they ran, with a run time of zero: by default they run for
    /// 1 s. Only Slurm accounting tells them from jobs that never ran.
    #[serde(skip_serializing_if = "is_clamp")]
    pub short_run: Rule,
}

fn is_clamp(rule: &Rule) -> bool {
    *rule == Rule::Clamp
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
            short_run: Rule::Clamp,
        }
    }
}

/// The action of a rule of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Keep,
    Clamp,
    Drop,
    Error,
}

impl Rules {
    /// Sets the rule for an anomaly.
    ///
    /// # Errors
    /// Returns an error if the anomaly has no rule of this name.
    pub fn set(&mut self, anomaly: Anomaly, rule: &str) -> Result<(), UnknownName> {
        match anomaly {
            Anomaly::Failed => self.failed = rule.parse()?,
            Anomaly::Cancelled => self.cancelled = rule.parse()?,
            Anomaly::Partial => self.partial = rule.parse()?,
            Anomaly::LonePartial => self.lone_partial = rule.parse()?,
            Anomaly::UnknownStatus => self.unknown_status = rule.parse()?,
            Anomaly::RepeatedNumber => self.repeated_number = rule.parse()?,
            Anomaly::NoSubmit => self.no_submit = rule.parse()?,
            Anomaly::ZeroSize => self.zero_size = rule.parse()?,
            Anomaly::TooWide => self.too_wide = rule.parse()?,
            Anomaly::ZeroRun => self.zero_run = rule.parse()?,
            Anomaly::ShortRun => self.short_run = rule.parse()?,
        }
        Ok(())
    }

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
            Anomaly::ShortRun => self.short_run.action(),
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
    /// Returns the anomaly of a status, if there is one. `is_new` is true if no earlier line has the
    /// number of the job.
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
    /// Describes the anomaly, for messages that begin with the job.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Anomaly::Failed => "it is failed",
            Anomaly::Cancelled => "it is cancelled",
            Anomaly::Partial => "it is a part of a checkpointed job",
            Anomaly::LonePartial => {
                "its status is that of a part of a checkpointed job, but no earlier line has its job number"
            }
            Anomaly::UnknownStatus => "its status is not defined by the format",
            Anomaly::RepeatedNumber => "an earlier line has its job number",
            Anomaly::NoSubmit => "its submit time is unknown",
            Anomaly::ZeroSize => "its size is zero or unknown",
            Anomaly::TooWide => "its size exceeds the machine",
            Anomaly::ZeroRun => "its run time is zero or unknown",
            Anomaly::ShortRun => "it ran for less than a second",
        }
    }
}

/// Number of occurrences of an anomaly, by action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnomalyCounts {
    /// Jobs that were kept unchanged.
    pub kept: u64,
    /// Jobs of which a value was replaced by a possible one.
    pub clamped: u64,
    /// Jobs that were dropped.
    pub dropped: u64,
}

/// Counts of the lines of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines with a record.
    pub records: u64,
    /// Records outside the selected part.
    pub outside: u64,
    /// Records that became jobs.
    pub jobs: u64,
    /// Jobs that ran when the selected part begins: they are submitted then, with the rest of their
    /// run time.
    pub begun: u64,
    /// Jobs with neither used nor requested memory (fields 7 and 10).
    pub without_memory: u64,
    /// Jobs without a requested time (field 9). If policies use requested times, they get the actual
    /// run times of these jobs.
    pub without_estimate: u64,
    anomalies: [AnomalyCounts; Anomaly::ALL.len()],
}

impl Counts {
    /// Returns the counts of an anomaly.
    pub const fn of(&self, anomaly: Anomaly) -> AnomalyCounts {
        self.anomalies[anomaly as usize]
    }
    pub(super) const fn of_mut(&mut self, anomaly: Anomaly) -> &mut AnomalyCounts {
        &mut self.anomalies[anomaly as usize]
    }
}

impl fmt::Display for Counts {
    /// Formats the counts, such as `59715 records, 54034 jobs; cancelled: 16598 kept; zero_run: 5681
    /// dropped`.
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
