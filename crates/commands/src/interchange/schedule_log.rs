//! Writer of a schedule as a log.

use crate::interchange::JobLines;
use dfrsim_cluster::{JobRecord, Occurrence};
use dfrsim_model::{Job, SimSpan, SimTime, UserId};
use dfrsim_workload::log::{Header, MAX_SECONDS, Record, Status};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Queue of the records of a log on their way to the [`ScheduleLog`].
///
/// A simulation only gets [`Job`]s. This queue passes the other fields of the log around it, and
/// holds the records of the jobs that have been read but not submitted yet.
#[derive(Clone, Debug, Default)]
pub struct Records(Rc<RefCell<VecDeque<Record>>>);

impl Records {
    /// Converts pairs to jobs, and stores the record of each job when it is pulled. Clones of the
    /// queue share the records.
    pub fn into_jobs<'a>(
        self,
        pairs: Box<dyn Iterator<Item = (Job, Record)> + 'a>,
    ) -> Box<dyn Iterator<Item = Job> + 'a> {
        Box::new(pairs.map(move |(job, record)| {
            self.0.borrow_mut().push_back(record);
            job
        }))
    }
    /// Takes the record of the job that is submitted next; `None` if the jobs do not come from a
    /// log.
    fn next(&self) -> Option<Record> {
        self.0.borrow_mut().pop_front()
    }
}

/// Writer of a schedule in the Standard Workload Format, with one line per job in the order of
/// submission.
///
/// | field | value |
/// |---|---|
/// | 2 submit time | that of the simulation, which differs from the log if the load is scaled |
/// | 3 wait time | first start - submission |
/// | 4 run time | completion - first start, so that submission + wait + run time is the completion |
/// | 5 allocated processors | number of tasks |
/// | 6 average CPU time | that of the log; unknown for killed jobs |
/// | 11 status | 5 for jobs that were killed at their estimate or rejected; otherwise that of the log, or 1 if it is unknown |
/// | others | those of the log; without a log, the requests of the job |
///
/// Rejected jobs have no wait time, run time or processors. The run time of a job that was paused or
/// slowed down exceeds its work: if the file is read back, such a job gets the time during which it
/// held its nodes or was paused. For batch schedules it is the run time of the log, and reading the
/// file back gives identical jobs.
#[derive(Debug)]
pub struct ScheduleLog {
    header: String,
    records: Records,
    in_system: BTreeMap<u64, Record>,
    /// Description of the first time that the format cannot represent.
    beyond_range: Option<String>,
}

impl ScheduleLog {
    /// Creates a log with this header. `records` has the records of the log if the jobs of the
    /// simulation come from it; otherwise fields that jobs lack are unknown.
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
                    format!(
                        "job {} {what} {time} s, but a log can only hold times up to {MAX_SECONDS} s",
                        record.job
                    )
                });
            }
        }
    }
}

/// Creates the header of a schedule: the cluster, the start time of the log, and notes.
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

/// Returns the record of a job as it was submitted in the simulation.
fn arrived(job: &Job, record: Option<Record>) -> Record {
    let record = record.unwrap_or_else(|| Record {
        requested_processors: Some(job.tasks),
        requested_time: job.requested_time,
        user: job.user.map(UserId::number),
        ..Record::default()
    });
    Record { job: job.id.0, submit: job.submit, allocated_processors: Some(job.tasks), ..record }
}

/// Updates a record with the outcome of the job; a rejected job has no outcome.
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
    fn line(&mut self, _: SimTime, place: u64, occurrence: Occurrence<'_>) -> Option<String> {
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
    /// Returns an error if a job waits or runs longer than [`MAX_SECONDS`], which readers reject.
    fn fault(&self) -> Option<String> {
        self.beyond_range.clone()
    }
}
