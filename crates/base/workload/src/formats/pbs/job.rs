//! From the lines of a job to its records.

use super::amounts::{Request, hosts, memory, request, span};
use super::line::{Attributes, Entry};
use crate::log::{Kilobytes, Listed, Listing, Problem, Record, Status, Until, unix_seconds};
use dfrsim_model::SimSpan;

/// A run whose used wall time is shorter by more than this many seconds was suspended.
const SUSPENDED: u64 = 60;

/// A job that has not ended yet: what the lines so far said of it.
#[derive(Debug, Default)]
pub(super) struct Life<'a> {
    attributes: Attributes<'a>,
    /// The first line about it.
    seen: Option<i64>,
    /// The line of its last start.
    started: Option<i64>,
    /// When its last run ended in a requeue.
    requeued: Option<i64>,
    is_deleted: bool,
}

/// How a run, or a job without one, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It left the system.
    Exit,
    /// It waits again.
    Requeue,
    /// The server gave it up.
    Abort,
}

impl<'a> Life<'a> {
    /// Takes in a line that does not end a run.
    pub(super) fn event(&mut self, at: i64, kind: &str, attributes: Attributes<'a>) {
        self.seen.get_or_insert(at);
        match kind {
            "S" | "T" => self.started = Some(at),
            "D" => self.is_deleted = true,
            _ => {}
        }
        self.attributes.update(attributes);
    }
    /// Whether it has been on nodes since it waits.
    pub(super) fn has_started(&self) -> bool {
        self.started.is_some()
    }

    /// The record of the run, or the job without one, that ends with a line. Of a requeued one the life goes on.
    pub(super) fn end(
        &mut self,
        line: u64,
        at: i64,
        entry: &Entry<'a>,
        end: End,
        listing: &mut Listing,
    ) -> Result<Listed, Vec<Problem>> {
        self.attributes.update(entry.attributes.clone());
        let first = self.seen.unwrap_or(at);
        let job = Reading { attributes: &self.attributes, id: entry.id, problems: Vec::new() };
        let times = (first, self.started, self.requeued, at);
        let listed = job.listed(line, times, (end, self.is_deleted), listing);
        if end == End::Requeue {
            let attributes = std::mem::take(&mut self.attributes).of_request();
            *self = Life { attributes, requeued: Some(at), seen: self.seen, ..Life::default() };
        }
        listed
    }
}

/// Reads attributes, and collects what is wrong with them.
struct Reading<'r, 'a> {
    attributes: &'r Attributes<'a>,
    id: &'r str,
    problems: Vec<Problem>,
}

impl Reading<'_, '_> {
    fn fault(&mut self, key: &'static str, found: String, expected: &str) {
        let entry = format!("job `{}`", self.id.escape_debug());
        self.problems.push(Problem::member(entry, key, found, expected));
    }
    /// The value of an attribute, which is a fault if it is there and cannot be read.
    fn read<T>(&mut self, key: &'static str, expected: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.attributes.get(key);
        if text.is_empty() {
            return None;
        }
        let value = read(text);
        if value.is_none() {
            let found = format!("`{}`", text.chars().take(40).collect::<String>().escape_debug());
            self.fault(key, found, expected);
        }
        value
    }
    fn moment(&mut self, key: &'static str) -> Option<i64> {
        self.read(key, "seconds since 1970", unix_seconds).filter(|&at| at > 0)
    }
    fn span(&mut self, key: &'static str) -> Option<u64> {
        self.read(key, "a time such as 01:30:00 or a number of seconds", span)
    }
    fn number(&mut self, key: &'static str) -> Option<u64> {
        self.read(key, "a whole number", |text| text.parse().ok())
    }
    fn memory(&mut self, key: &'static str) -> Option<f64> {
        self.read(key, "memory such as 4gb, 1048576kb or 100mw", memory)
    }

    /// What it asked for. Torque writes one processor for jobs that asked for nodes, so that the largest number counts.
    fn request(&mut self) -> Request {
        let expected = "nodes or chunks such as 2:ppn=4 or 2:ncpus=4:mem=8gb";
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

    /// The processors that it got.
    fn allocated(&mut self) -> Option<u64> {
        let slots = self.number("total_execution_slots");
        let vnodes = |text: &str| request(&text.replace(['(', ')'], "")).map(|it| it.processors);
        let of_vnodes = self.read("exec_vnode", "chunks such as (n1:ncpus=4)+(n2:ncpus=4)", vnodes);
        let of_hosts = self.read("exec_host", "hosts such as n1/0+n1/1 or n1/0*4", hosts);
        slots.or(of_vnodes).or(of_hosts)
    }

    /// The record, from the times of the lines of its first event, its start, its last requeue and its end.
    fn listed(
        mut self,
        line: u64,
        (first, started, requeued, at): (i64, Option<i64>, Option<i64>, i64),
        (end, is_deleted): (End, bool),
        Listing { names, accounting, .. }: &mut Listing,
    ) -> Result<Listed, Vec<Problem>> {
        let created = self.moment("ctime").or_else(|| self.moment("qtime"));
        let submit = requeued.or(created).unwrap_or(first);
        // A job that waits again may still have the start of its last run.
        let start = self.moment("start").filter(|start| requeued.is_none_or(|before| *start >= before));
        let has_started = start.is_some() || started.is_some();
        let (begin, finish) = (start.or(started), self.moment("end"));
        let finish_at = finish.unwrap_or(at);
        let is_guessed =
            created.is_none() || has_started && (start.is_none() || finish.is_none() && end == End::Exit);
        let between = begin.map(|begin| u64::try_from(finish_at - begin));
        if let Some(Err(_)) = between {
            self.fault("end", finish_at.to_string(), "a time not before that of the start");
        }
        let span = between.and_then(Result::ok).unwrap_or(0);
        let used = self.span("resources_used.walltime");
        let was_suspended = used.is_some_and(|used| used + SUSPENDED < span) && end == End::Exit;
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
            accounting.unstarted += u64::from(!has_started);
            accounting.requeued += u64::from(end == End::Requeue);
            accounting.suspended += u64::from(was_suspended);
            accounting.array_tasks += u64::from(self.id.contains(['[', '-']));
            accounting.guessed_times += u64::from(is_guessed);
            accounting.guessed_sizes += u64::from(processors.is_none());
            accounting.with_gpus += u64::from(request.gpus > 0);
            accounting.dependent += u64::from(!after.is_empty());
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
        let listed = Listed { line, id, number, submit, end, after, is_any: false, record };
        if is_right { Ok(listed) } else { Err(self.problems) }
    }
}

/// The jobs of a dependency such as `afterok:12.head:13.head,afterany:14`, and until when it waits for each.
fn dependency(list: &str) -> Vec<(String, Until)> {
    let parts = list.split(',').filter_map(|part| part.split_once(':'));
    let kinds = parts.filter_map(|(kind, jobs)| Some((Until::of(kind)?, jobs)));
    let jobs = kinds.flat_map(|(until, jobs)| jobs.split(':').map(move |job| (job, until)));
    let numbers = jobs.filter_map(|(job, until)| Some((job.split(['.', '@']).next()?, until)));
    numbers.filter(|(job, _)| !job.is_empty()).map(|(job, until)| (job.to_owned(), until)).collect()
}
