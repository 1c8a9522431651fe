//! One line of a log.

use super::kilobytes::Kilobytes;
use dfrsim_model::{SimSpan, SimTime};

/// One job (or one part of a job) of a log: the 18 fields of the Standard Workload Format, version 2.2.
///
/// Other formats are read as these fields too. `None` is the format's -1, "unknown".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Field 1: the number of the job.
    pub job: u64,
    /// Field 2: when it was submitted, in the log's own time (second 0 is the header's `UnixStartTime`).
    pub submit: SimTime,
    /// Field 3: how long it waited.
    pub wait: Option<SimSpan>,
    /// Field 4: how long it ran, wall-clock.
    pub run_time: Option<SimSpan>,
    /// Field 5: the processors that it got.
    pub allocated_processors: Option<u32>,
    /// Field 6: the CPU time that it used, averaged over its processors.
    pub cpu_time: Option<SimSpan>,
    /// Field 7: the memory that it used per processor.
    pub used_memory: Option<Kilobytes>,
    /// Field 8: the processors that it asked for.
    pub requested_processors: Option<u32>,
    /// Field 9: the run time (in some logs: the CPU time per processor) that it asked for.
    pub requested_time: Option<SimSpan>,
    /// Field 10: the memory that it asked for per processor.
    pub requested_memory: Option<Kilobytes>,
    /// Field 11: how it ended.
    pub status: Status,
    /// Field 12: its user.
    pub user: Option<u32>,
    /// Field 13: the group of its user.
    pub group: Option<u32>,
    /// Field 14: the application.
    pub executable: Option<u32>,
    /// Field 15: the queue; 0 is meant for interactive jobs.
    pub queue: Option<u32>,
    /// Field 16: the partition.
    pub partition: Option<u32>,
    /// Field 17: the job that had to end before this one could be submitted.
    pub preceding_job: Option<u64>,
    /// Field 18: the time between the end of the preceding job and this submission.
    pub think_time: Option<SimSpan>,
    /// Other jobs that had to end before it could start, or to have started this long before: only listings of Slurm and PBS say that.
    pub also_preceding: Vec<(u64, Option<SimSpan>)>,
    /// The nodes that it had, or asked for: only listings of Slurm say that.
    pub nodes: Option<u32>,
}

/// A record and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of its line, from 1.
    pub number: u64,
    /// Its place among the records of the file, in the order of the file, from 0.
    pub place: u64,
    /// Whether the line says when the job was submitted; if not, the record has the submit time of the line above.
    pub has_submit: bool,
    /// The record of the line.
    pub record: Record,
}

/// How a job ended (field 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// -1: not known.
    #[default]
    Unknown,
    /// 0: it failed.
    Failed,
    /// 1: it completed.
    Completed,
    /// 2: a part of a checkpointed job, to be continued.
    PartialContinued,
    /// 3: the last part of a checkpointed job that completed.
    PartialCompleted,
    /// 4: the last part of a checkpointed job that failed.
    PartialFailed,
    /// 5: cancelled, before its start or after.
    Cancelled,
    /// A number that the format does not define. Some logs keep the exit codes of their jobs in this field.
    Other(i32),
}

impl Status {
    /// The status of a number: -1 to 5, or [`Status::Other`].
    pub const fn from_number(number: i32) -> Status {
        match number {
            -1 => Status::Unknown,
            0 => Status::Failed,
            1 => Status::Completed,
            2 => Status::PartialContinued,
            3 => Status::PartialCompleted,
            4 => Status::PartialFailed,
            5 => Status::Cancelled,
            other => Status::Other(other),
        }
    }
    /// The number that a log has for it.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Status::Unknown => -1,
            Status::Failed => 0,
            Status::Completed => 1,
            Status::PartialContinued => 2,
            Status::PartialCompleted => 3,
            Status::PartialFailed => 4,
            Status::Cancelled => 5,
            Status::Other(number) => number,
        }
    }
}
