//! A schedule as a log.

use crate::interchange::JobLines;
use dfrsim_cluster::{JobRecord, Occurrence};
use dfrsim_model::{Job, SimSpan, UserId};
use dfrsim_workload::log::{Header, MAX_SECONDS, Record, Status};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Records on their way from a log, past the simulation, to the [`ScheduleLog`].
///
/// A simulation only knows [`Job`]s; this takes what else the log says of each around it, and holds the records of the
/// jobs that have been read and have not arrived yet.
#[derive(Clone, Debug, Default)]
pub struct Records(Rc<RefCell<VecDeque<Record>>>);

impl Records {
    /// The jobs of a log, whose records are kept when they are pulled: for the clones of this, which share them.
    pub fn into_jobs<'a>(
        self,
        pairs: Box<dyn Iterator<Item = (Job, Record)> + 'a>,
    ) -> Box<dyn Iterator<Item = Job> + 'a> {
        Box::new(pairs.map(move |(job, record)| {
            self.0.borrow_mut().push_back(record);
            job
        }))
    }
    /// The record of the job that arrives next; `None` if the jobs do not come from a log.
    fn next(&self) -> Option<Record> {
        self.0.borrow_mut().pop_front()
    }
}

/// Writes a schedule in the Standard Workload Format, a line a job in the order of submission.
///
/// | field | value |
/// |---|---|
/// | 2 submit time | of the simulation, which scaling to a load changes |
/// | 3 wait time | first start - submission |
/// | 4 run time | completion - first start, so that submission + wait + run time is the completion |
/// | 5 allocated processors | the tasks |
/// | 6 average CPU time | of the log; unknown for jobs that were killed |
/// | 11 status | 5 for jobs that were killed at their estimate or rejected; else the log's, or 1 where that is unknown |
/// | others | of the log; where there is none, the requests are those of the job |
///
/// Jobs that were rejected have neither wait nor run time nor processors. The run time of a job that was paused or ran
/// slowly is longer than its work: reading the file back gives such a job the time that it held its nodes or was
/// paused. For batch schedules it is the log's run time, and reading the file back gives the same jobs.
#[derive(Debug)]
pub struct ScheduleLog {
    header: String,
    records: Records,
    in_system: BTreeMap<u64, Record>,
    /// What the format cannot express: the first time that is too long.
    beyond_range: Option<String>,
}

impl ScheduleLog {
    /// A log with this header. `records` has the log's records if the jobs of the simulation come through it; otherwise the fields that
    /// jobs do not have stay unknown.
    pub fn new(header: &Header, records: Records) -> ScheduleLog {
        ScheduleLog { header: header.to_string(), records, in_system: BTreeMap::new(), beyond_range: None }
    }
    fn leave(&mut self, job: u64, outcome: Option<&JobRecord>) -> Option<String> {
        let record = scheduled(self.in_system.remove(&job)?, outcome);
        self.check(&record);
        Some(format!("{record}\n"))
    }

    fn check(&mut self, record: &Record) {
        for (what, time) in [("waits", record.wait), ("runs", record.run_time)] {
            if let Some(time) = time.filter(|&time| time > SimSpan::from_secs(MAX_SECONDS)) {
                self.beyond_range.get_or_insert_with(|| {
                    format!("job {} {what} {time} s, and a log holds times up to {MAX_SECONDS} s", record.job)
                });
            }
        }
    }
}

/// The header of a schedule: the cluster, where the log began, and notes.
pub fn schedule_header(log: &Header, nodes: u32, notes: &[String]) -> Header {
    let mut header = Header::default();
    header.push("Version", "2.2");
    header.push("Computer", &format!("{nodes} nodes (simulated)"));
    header.push("Conversion", concat!("simulated by dfrsim ", env!("CARGO_PKG_VERSION")));
    for name in ["UnixStartTime", "TimeZoneString"] {
        if let Some(value) = log.value(name) {
            header.push(name, value);
        }
    }
    for name in ["MaxNodes", "MaxProcs"] {
        header.push(name, &nodes.to_string());
    }
    for note in notes {
        header.push("Note", note);
    }
    header
}

/// The record of a job as the simulation had it.
fn arrived(job: &Job, record: Option<Record>) -> Record {
    let record = record.unwrap_or_else(|| Record {
        requested_processors: Some(job.tasks),
        requested_time: job.requested_time,
        user: job.user.map(UserId::number),
        ..Record::default()
    });
    Record { job: job.id.0, submit: job.submit, allocated_processors: Some(job.tasks), ..record }
}

/// The record with the outcome of the job; unchanged for a rejected one.
fn scheduled(mut record: Record, outcome: Option<&JobRecord>) -> Record {
    record.wait = outcome.map(JobRecord::wait);
    record.run_time = outcome.map(|outcome| outcome.end.since(outcome.start));
    if outcome.is_none() {
        record.allocated_processors = None;
    }
    if outcome.is_none_or(|outcome| outcome.killed) {
        record.cpu_time = None;
        record.status = Status::Cancelled;
    } else if record.status == Status::Unknown {
        record.status = Status::Completed;
    }
    record
}

impl JobLines for ScheduleLog {
    fn header(&self) -> String {
        self.header.clone()
    }
    fn line(&mut self, place: u64, occurrence: Occurrence<'_>) -> Option<String> {
        match occurrence {
            Occurrence::Submitted(job, _) => {
                let record = arrived(job, self.records.next());
                self.in_system.insert(place, record);
                None
            }
            Occurrence::Completed(outcome) | Occurrence::Killed(outcome) => self.leave(place, Some(outcome)),
            Occurrence::Lost(outcome, _) => {
                self.leave(place, Some(&JobRecord { killed: true, ..outcome.clone() }))
            }
            Occurrence::Rejected => self.leave(place, None),
            _ => None,
        }
    }
    /// A job waits or runs longer than [`MAX_SECONDS`], which readers refuse.
    fn fault(&self) -> Option<String> {
        self.beyond_range.clone()
    }
}
