//! Conversion of the accounting lines of a job to records.

use super::amounts::{Request, memory, processors_of_hosts, request, span};
use super::line::{AccountingLine, Attributes};
use crate::log::{
    AccountingJob, DependencyCondition, Kilobytes, Listing, Problem, Reason, Record, Status, unix_seconds,
};
use dfrsim_model::SimSpan;

/// Tolerance in seconds: a run is taken to have been suspended if its used wall time is shorter by
/// more than this.
const SUSPENSION_TOLERANCE: u64 = 60;

/// A job that has not ended yet, with the information from its lines so far.
#[derive(Debug, Default)]
pub(super) struct OpenJob<'a> {
    attributes: Attributes<'a>,
    /// Time of its first line.
    first_seen: Option<i64>,
    /// Time of the line of its last start.
    started_at: Option<i64>,
    /// End of its last run, if that was requeued.
    requeued_at: Option<i64>,
    is_deleted: bool,
}

/// End of a run, or of a job that never ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The job left the system.
    Exit,
    /// The job was requeued.
    Requeue,
    /// The server aborted the job.
    Abort,
}

impl<'a> OpenJob<'a> {
    /// Applies a line that does not end a run.
    pub(super) fn apply(&mut self, at: i64, kind: &str, attributes: Attributes<'a>) {
        self.first_seen.get_or_insert(at);
        match kind {
            "S" | "T" => self.started_at = Some(at),
            "D" => self.is_deleted = true,
            _ => {}
        }
        self.attributes.update(attributes);
    }
    /// Returns whether the job has started since it was submitted or requeued.
    pub(super) fn has_started(&self) -> bool {
        self.started_at.is_some()
    }

    /// Builds the record of the run, or of the job without a run, that a line ends. A requeued job
    /// stays open.
    ///
    /// # Errors
    ///
    /// All problems of the attributes.
    pub(super) fn end(
        &mut self,
        line: u64,
        at: i64,
        entry: &AccountingLine<'a>,
        end: End,
        listing: &mut Listing,
    ) -> Result<AccountingJob, Vec<Problem>> {
        self.attributes.update(entry.attributes.clone());
        let first = self.first_seen.unwrap_or(at);
        let job = AttributeReader { attributes: &self.attributes, id: entry.id, problems: Vec::new() };
        let times = (first, self.started_at, self.requeued_at, at);
        let listed = job.into_job(line, times, (end, self.is_deleted), listing);
        if end == End::Requeue {
            let attributes = std::mem::take(&mut self.attributes).request_only();
            *self = OpenJob {
                attributes,
                requeued_at: Some(at),
                first_seen: self.first_seen,
                ..OpenJob::default()
            };
        }
        listed
    }
}

/// Reader of the attributes of a job, which collects the problems found.
struct AttributeReader<'r, 'a> {
    attributes: &'r Attributes<'a>,
    id: &'r str,
    problems: Vec<Problem>,
}

impl AttributeReader<'_, '_> {
    fn report(&mut self, key: &'static str, found: String, expected: &str) {
        let entry = format!("job `{}`", self.id.escape_debug());
        self.problems.push(Problem::member(entry, key, found, expected));
    }
    /// Parses an attribute. Reports a problem if it is present but invalid.
    fn read<T>(&mut self, key: &'static str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.attributes.get(key);
        if text.is_empty() {
            return None;
        }
        let value = read(text);
        if value.is_none() {
            let found = format!("`{}`", text.chars().take(40).collect::<String>().escape_debug());
            self.report(key, found, expected);
        }
        value
    }
    fn timestamp(&mut self, key: &'static str) -> Option<i64> {
        self.read(key, "seconds since 1970", unix_seconds).filter(|&at| at > 0)
    }
    fn span(&mut self, key: &'static str) -> Option<u64> {
        self.read(key, "a time such as 01:30:00 or a number of seconds", span)
    }
    fn number(&mut self, key: &'static str) -> Option<u64> {
        self.read(key, "a whole number", |text| text.parse().ok())
    }
    fn memory(&mut self, key: &'static str) -> Option<f64> {
        self.read(key, "an amount of memory such as 4gb, 1048576kb or 100mw", memory)
    }

    /// Returns the requested resources. Torque records one processor for jobs that request whole
    /// nodes, so the largest number of processors is taken.
    fn request(&mut self) -> Request {
        let expected = "nodes or chunks, such as 2:ppn=4 or 2:ncpus=4:mem=8gb";
        let nodes = self.read("Resource_List.nodes", expected, request).unwrap_or_default();
        let chunks = self.read("Resource_List.select", expected, request).unwrap_or_default();
        let counts = [self.number("Resource_List.ncpus"), self.number("Resource_List.procs")];
        let of_nodes = nodes.processors.max(chunks.processors);
        let gpus = self.number("Resource_List.ngpus").unwrap_or(0);
        Request {
            processors: counts.into_iter().flatten().fold(of_nodes, u64::max),
            memory: self.memory("Resource_List.mem").unwrap_or(nodes.memory.max(chunks.memory)),
            gpus: gpus.max(nodes.gpus).max(chunks.gpus),
        }
    }

    /// Returns the number of allocated processors.
    fn allocated(&mut self) -> Option<u64> {
        let slots = self.number("total_execution_slots");
        let vnodes = |text: &str| request(&text.replace(['(', ')'], "")).map(|it| it.processors);
        let of_vnodes = self.read("exec_vnode", "chunks such as (n1:ncpus=4)+(n2:ncpus=4)", vnodes);
        let of_hosts = self.read("exec_host", "hosts such as n1/0+n1/1 or n1/0*4", processors_of_hosts);
        slots.or(of_vnodes).or(of_hosts)
    }

    /// Builds the record from the times of the job's first line, start, last requeue and end.
    fn into_job(
        mut self,
        line: u64,
        (first, started, requeued, at): (i64, Option<i64>, Option<i64>, i64),
        (end, is_deleted): (End, bool),
        Listing { names, account, .. }: &mut Listing,
    ) -> Result<AccountingJob, Vec<Problem>> {
        let created = self.timestamp("ctime").or_else(|| self.timestamp("qtime"));
        let submit = requeued.or(created).unwrap_or(first);
        // A requeued job may still have the start time of its last run.
        let start = self.timestamp("start").filter(|start| requeued.is_none_or(|before| *start >= before));
        let has_started = start.is_some() || started.is_some();
        let (begin, finish) = (start.or(started), self.timestamp("end"));
        let finish_at = finish.unwrap_or(at);
        let is_guessed =
            created.is_none() || has_started && (start.is_none() || finish.is_none() && end == End::Exit);
        let between = begin.map(|begin| u64::try_from(finish_at - begin));
        if let Some(Err(_)) = between {
            self.report("end", finish_at.to_string(), "a time not before the start");
        }
        let span = between.and_then(Result::ok).unwrap_or(0);
        let used = self.span("resources_used.walltime");
        // Some servers write 0 for a job that ran.
        let is_unmeasured = used == Some(0) && span > 0 && end == End::Exit;
        let was_suspended =
            used.is_some_and(|used| used > 0 && used + SUSPENSION_TOLERANCE < span) && end == End::Exit;
        let run = if was_suspended { used.unwrap_or(span) } else { span };
        let request = self.request();
        let count = |processors: u64| u32::try_from(processors).ok().filter(|&processors| processors > 0);
        let requested = count(request.processors);
        let allocated = self.allocated().and_then(count).filter(|_| has_started);
        let processors = requested.or(allocated);
        let of_each = processors.unwrap_or(1);
        let each = |kilobytes: f64| Kilobytes::rounded(kilobytes / f64::from(of_each));
        let memory =
            self.memory("Resource_List.pmem").map_or(request.memory, |each| each * f64::from(of_each));
        let used_memory = self.memory("resources_used.mem");
        let cpu_time = self.span("resources_used.cput");
        let exit = self.read("Exit_status", "a whole number", |text| text.parse::<i64>().ok());
        let status = match (end, exit) {
            _ if is_deleted => Status::Cancelled,
            (End::Exit, Some(0)) => Status::Completed,
            (End::Exit, None) => Status::Unknown,
            _ => Status::Failed,
        };
        let after = dependency(self.attributes.get("depend"));
        let is_right = self.problems.is_empty();
        if is_right {
            account.count_if(Reason::UNSTARTED, !has_started);
            account.count_if(Reason::REQUEUED, end == End::Requeue);
            account.count_if(Reason::SUSPENDED, was_suspended);
            account.count_if(Reason::UNMEASURED, is_unmeasured);
            account.count_if(Reason::ARRAY_TASK, self.id.contains(['[', '-']));
            account.count_if(Reason::GUESSED_TIME, is_guessed);
            account.count_if(Reason::GUESSED_SIZE, processors.is_none());
            account.count_if(Reason::WITH_GPUS, request.gpus > 0);
            account.count_if(Reason::DEPENDENT, !after.is_empty());
        }
        let wait = u64::try_from(begin.unwrap_or(finish_at) - submit).ok();
        let name = |key: &str| Some(self.attributes.get(key)).filter(|name| !name.is_empty());
        let record = Record {
            wait: wait.map(SimSpan::from_secs),
            run_time: Some(SimSpan::from_secs(run)),
            allocated_processors: allocated,
            cpu_time: cpu_time.map(|seconds| SimSpan::from_micros(seconds * 1_000_000 / u64::from(of_each))),
            used_memory: used_memory.and_then(each),
            requested_processors: Some(of_each),
            requested_time: self.span("Resource_List.walltime").map(SimSpan::from_secs),
            requested_memory: each(memory).filter(|memory| memory.millionths() > 0),
            status,
            user: name("user").and_then(|user| names.users.number(user)),
            group: name("account").or(name("group")).and_then(|group| names.groups.number(group)),
            executable: name("jobname").and_then(|job| names.jobs.number(job)),
            queue: name("queue").and_then(|queue| names.queues.number(queue)),
            ..Record::default()
        };
        let number = self.id.parse().ok();
        let end = has_started.then_some(finish_at);
        let id = self.id.to_owned();
        let listed = AccountingJob { line, id, number, submit, end, after, is_any: false, record };
        if is_right { Ok(listed) } else { Err(self.problems) }
    }
}

/// Parses a dependency such as `afterok:12.head:13.head,afterany:14` into the jobs and the condition
/// for each.
fn dependency(list: &str) -> Vec<(String, DependencyCondition)> {
    let parts = list.split(',').filter_map(|part| part.split_once(':'));
    let kinds = parts.filter_map(|(kind, jobs)| Some((DependencyCondition::of(kind)?, jobs)));
    let jobs = kinds.flat_map(|(until, jobs)| jobs.split(':').map(move |job| (job, until)));
    let numbers = jobs.filter_map(|(job, until)| Some((job.split(['.', '@']).next()?, until)));
    numbers.filter(|(job, _)| !job.is_empty()).map(|(job, until)| (job.to_owned(), until)).collect()
}
