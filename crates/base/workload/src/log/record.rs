//! A line of a log.

use super::kilobytes::Kilobytes;
use dfrsim_model::{SimSpan, SimTime};

/// One job (or one part of a job) of a log: the 18 fields of the Standard Workload Format, version
/// 2.2.
///
/// Other formats are converted to these fields. `None` is the format's -1, "unknown".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Field 1: the job number.
    pub job: u64,
    /// Field 2: the submit time, relative to second 0 of the log (the header's `UnixStartTime`).
    pub submit: SimTime,
    /// Field 3: the wait time.
    pub wait: Option<SimSpan>,
    /// Field 4: the run time (wall-clock).
    pub run_time: Option<SimSpan>,
    /// Field 5: the number of allocated processors.
    pub allocated_processors: Option<u32>,
    /// Field 6: the average CPU time used per processor.
    pub cpu_time: Option<SimSpan>,
    /// Field 7: the memory used per processor.
    pub used_memory: Option<Kilobytes>,
    /// Field 8: the number of requested processors.
    pub requested_processors: Option<u32>,
    /// Field 9: the requested run time (in some logs the CPU time per processor).
    pub requested_time: Option<SimSpan>,
    /// Field 10: the requested memory per processor.
    pub requested_memory: Option<Kilobytes>,
    /// Field 11: the final state of the job.
    pub status: Status,
    /// Field 12: the number of the user.
    pub user: Option<u32>,
    /// Field 13: the number of the user's group.
    pub group: Option<u32>,
    /// Field 14: the number of the application.
    pub executable: Option<u32>,
    /// Field 15: the number of the queue; 0 is meant for interactive jobs.
    pub queue: Option<u32>,
    /// Field 16: the number of the partition.
    pub partition: Option<u32>,
    /// Field 17: the job that had to end before this one could be submitted.
    pub preceding_job: Option<u64>,
    /// Field 18: the think time between the end of the preceding job and this submission.
    pub think_time: Option<SimSpan>,
    /// Further dependencies: jobs that had to end before this one could start, or that had to have
    /// started this long before. Only Slurm and PBS accounting has them.
    pub also_preceding: Vec<(u64, Option<SimSpan>)>,
    /// Number of allocated or requested nodes. Only Slurm accounting has it.
    pub nodes: Option<u32>,
    /// True if the job ran, although its run time is zero: for less than the resolution of the log.
    /// Only Slurm accounting has it.
    pub has_short_run: bool,
    /// True if the allocated processors are the size of the job unless an option says otherwise, as
    /// in Slurm accounting.
    pub is_sized_by_allocation: bool,
}

/// A record with its position in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, from 1.
    pub number: u64,
    /// Index among the records of the file, in the order of the file, from 0.
    pub place: u64,
    /// True if the line has a submit time; otherwise the record has that of the preceding line.
    pub has_submit: bool,
    /// Record of the line.
    pub record: Record,
}

/// The final state of a job (field 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// The log does not know how the job ended (-1).
    #[default]
    Unknown,
    /// The job ended with an error (0).
    Failed,
    /// The job ended normally (1).
    Completed,
    /// 2: a part of a checkpointed job, to be continued.
    PartialContinued,
    /// 3: the last part of a checkpointed job that completed.
    PartialCompleted,
    /// 4: the last part of a checkpointed job that failed.
    PartialFailed,
    /// 5: cancelled, before or after its start.
    Cancelled,
    /// A number that the format does not define. Some logs have the exit codes of jobs in this
    /// field.
    Other(i32),
}

impl Status {
    /// Converts a number to a status: -1 to 5, or [`Status::Other`].
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
    /// Returns the number that represents the status in a log.
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
