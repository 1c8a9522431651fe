//! Replay of an events file, job by job.

use super::attributes::JobAttributes;
use super::cpus::{NodeCpus, UsedCpu};
use super::devices::NodeDevices;
use super::fault::{EventsError, EventsLineError};
use dfrsim_model::event::{FORMAT_VERSION, Record};
use dfrsim_model::platform::devices::DeviceRequest;
use dfrsim_model::{Share, Yield, counted};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

/// State of a job in the system.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job {
    /// Job number in the log.
    pub(super) id: u64,
    /// Index in the order of submission, from 0.
    pub(super) sequence: u64,
    /// Submit time in microseconds.
    pub(super) submit: u64,
    /// Run time in microseconds.
    pub(super) run: u64,
    /// CPU need of a task.
    pub(super) cpu_need: Share,
    /// Size and origin.
    pub(super) of: JobAttributes,
    /// Phase of the job.
    pub(super) phase: Phase,
    /// Nodes with their numbers of tasks; empty unless the job is running.
    pub(super) on: Vec<(u32, u32)>,
    /// Yield, at most 1; 0 unless the job is running.
    pub(super) job_yield: Yield,
}

/// Phase of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The job has not started, or must start again.
    Waiting,
    /// The job has nodes.
    Running,
    /// The job has started, but has no nodes.
    Paused,
}

dfrsim_model::named! {
    /// Event of a job. A page numbers events in this order.
    pub enum Change as "change" {
        /// The job arrives.
        Submit = "submit",
        /// The job starts.
        Start = "start",
        /// The job is preempted.
        Pause = "pause",
        /// The job resumes after a pause.
        Resume = "resume",
        /// The job moves to other nodes; in a grid, it starts on another cluster than the one where
        /// it first waited.
        Migrate = "migrate",
        /// The yield of the job changes.
        Yield = "yield",
        /// The job is rejected.
        Reject = "reject",
        /// The job is killed before it completes.
        Kill = "kill",
        /// The job completes.
        Complete = "complete",
        /// The job is requeued because a node went down.
        Interrupt = "interrupt",
        /// The job is lost because a node went down.
        Lose = "lose",
    }
}

/// Observes the jobs of an events file. Times are in microseconds and do not decrease.
pub(super) trait Observer {
    /// Called with a job before a change; not called before `Submit`.
    fn before_change(&mut self, at: u64, job: &Job, change: Change);
    /// Called with a job after a change; not called after `Reject`, `Kill`, `Lose` and `Complete`.
    fn after_change(&mut self, at: u64, job: &Job, change: Change);
    /// Called when `nodes` nodes from `first` on go down or come up.
    fn nodes_changed(&mut self, _at: u64, _first: u32, _nodes: u32, _goes_down: bool) {}
    /// Called before the first job if nodes have devices.
    fn begin_with_devices(&mut self, _nodes: &NodeDevices) {}
    /// Called after the submission of a job that requests devices.
    fn devices_requested(&mut self, _job: &Job, _request: DeviceRequest) {}
    /// Called after a placement with the devices of the tasks: triples of node, device and number of
    /// tasks.
    fn devices_bound(&mut self, _at: u64, _job: &Job, _on: &[(u32, u32, u32)]) {}
    /// Called when a job of a grid joins the queue of a cluster.
    fn job_queued(&mut self, _at: u64, _job: &Job, _cluster: u32) {}
}

/// Properties of a whole run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunProperties {
    pub(super) policy: String,
    pub(super) nodes: u32,
    /// Threshold tau of the bounded stretch, in microseconds.
    pub(super) tau: u64,
    pub(super) cpus: NodeCpus,
}

impl RunProperties {
    /// Formats policy and nodes: `EASY, 128 nodes`.
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.policy, counted(self.nodes as usize, "node"))
    }
}

/// Longest line that is read, in bytes: more than the placement of a job on all nodes of the largest
/// cluster.
const MAX_LINE_BYTES: u64 = 1 << 28;

/// Replays a file for an observer.
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file, and the
/// errors of the observer.
pub(super) fn replay(path: &Path, watch: &mut dyn Observer) -> Result<RunProperties, EventsError> {
    let mut replay = None;
    let line = follow(path, |text| {
        let record = parse(Record::from_json(text))?;
        match &mut replay {
            None => replay = Some(Replay::begin(&record)?),
            Some(replay) => replay.record(record, watch)?,
        }
        Ok(true)
    })?;
    let ended =
        replay.ok_or(EventsLineError::NoRun).and_then(|Replay { policy, nodes, tau, jobs, .. }| {
            let cpus = jobs.end()?;
            Ok(RunProperties { policy, nodes, tau, cpus })
        });
    ended.map_err(|fault| fault.at(path, line))
}

/// Reads a file line by line until `each` returns false; returns the number of that line, or of the
/// line after the last one.
pub(super) fn follow(
    path: &Path,
    mut each: impl FnMut(&[u8]) -> Result<bool, EventsLineError>,
) -> Result<u64, EventsError> {
    let failure = |source: io::Error| EventsError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failure)?;
    let mut lines = BufReader::with_capacity(1 << 16, file);
    let (mut text, mut line) = (Vec::new(), 1);
    loop {
        text.clear();
        let count = lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut text).map_err(failure)?;
        if count == 0 {
            return Ok(line);
        }
        if count as u64 == MAX_LINE_BYTES {
            return Err(EventsLineError::LongLine.at(path, line));
        }
        if !each(&text).map_err(|fault| fault.at(path, line))? {
            return Ok(line);
        }
        line += 1;
    }
}

/// Converts the parse error of a record to an error of the line.
pub(super) fn parse<R>(read: serde_json::Result<R>) -> Result<R, EventsLineError> {
    read.map_err(|error| {
        let message = error.to_string();
        // The position in the message is dropped: it counts lines within the record, not within the
        // file.
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        EventsLineError::Malformed(message)
    })
}

impl Job {
    pub(super) fn new(
        id: u64,
        sequence: u64,
        submit: u64,
        run: u64,
        cpu_need: Share,
        of: JobAttributes,
    ) -> Job {
        let (phase, job_yield) = (Phase::Waiting, Yield::ZERO);
        Job { id, sequence, submit, run, cpu_need, of, phase, on: Vec::new(), job_yield }
    }
    /// Computes the CPU of some of the job's tasks, in units of 2^-20 share units.
    pub(super) fn cpu_of(&self, tasks: u32) -> u128 {
        u128::from(tasks) * u128::from(self.cpu_need.units()) * u128::from(self.job_yield.units())
    }
    pub(super) fn run_on(&mut self, on: Vec<(u32, u32)>, job_yield: Yield) {
        (self.phase, self.on, self.job_yield) = (Phase::Running, on, job_yield);
    }
    /// Removes the job from its nodes.
    pub(super) fn stop(&mut self, phase: Phase) {
        (self.phase, self.job_yield) = (phase, Yield::ZERO);
        self.on.clear();
    }
    /// Checks that a change is possible in the current phase of the job.
    pub(super) fn check_phase(&self, change: Change) -> Result<(), EventsLineError> {
        let (phase, expected) = match change {
            Change::Submit | Change::Start | Change::Reject => (Phase::Waiting, "waiting"),
            Change::Resume => (Phase::Paused, "paused"),
            Change::Pause
            | Change::Migrate
            | Change::Yield
            | Change::Kill
            | Change::Interrupt
            | Change::Lose
            | Change::Complete => (Phase::Running, "running"),
        };
        if self.phase == phase {
            Ok(())
        } else {
            Err(EventsLineError::Phase { job: self.sequence, expected })
        }
    }
}

/// The jobs in the system, whose changes are reported to an observer.
#[derive(Default)]
pub(super) struct Jobs {
    now: u64,
    /// Jobs by their index in the order of submission.
    inside: BTreeMap<u64, Job>,
    cpus: NodeCpus,
    used: UsedCpu,
    /// Nodes whose CPU was exceeded at the current time, at least temporarily.
    exceeded: Vec<u32>,
    /// True if the summary has been read.
    is_complete: bool,
}

impl Jobs {
    pub(super) fn check_open(&self) -> Result<(), EventsLineError> {
        if self.is_complete { Err(EventsLineError::AfterSummary) } else { Ok(()) }
    }
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }
    pub(super) fn advance(&mut self, at: u64) -> Result<(), EventsLineError> {
        if at < self.now {
            return Err(EventsLineError::Backwards);
        }
        if at > self.now {
            self.check_cpu()?;
        }
        self.now = at;
        Ok(())
    }
    /// Checks for over-committed nodes when time advances. Records with the same time may place a
    /// job on a node before others have left it.
    fn check_cpu(&mut self) -> Result<(), EventsLineError> {
        let Jobs { cpus, used, exceeded: crowded, .. } = self;
        let above = |node: &u32| *used.on(*node) > cpus.of(*node).units().into();
        crowded.drain(..).find(above).map_or(Ok(()), |node| Err(EventsLineError::Overcommitted(node)))
    }
    pub(super) fn find(&mut self, at: u64, number: u64) -> Result<&Job, EventsLineError> {
        self.advance(at)?;
        self.inside.get(&number).ok_or(EventsLineError::UnknownJob(number))
    }
    pub(super) fn submit(&mut self, job: Job, watch: &mut dyn Observer) -> Result<(), EventsLineError> {
        self.advance(job.submit)?;
        watch.after_change(job.submit, &job, Change::Submit);
        let number = job.sequence;
        self.inside.insert(number, job).map_or(Ok(()), |_| Err(EventsLineError::SubmittedTwice(number)))
    }
    /// Changes a job that stays in the system, after checking that its phase allows the change.
    pub(super) fn change(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        apply: impl FnOnce(&mut Job),
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        self.find(at, number)?.check_phase(change)?;
        self.apply(number, change, apply, watch)
    }
    /// Changes a job; the caller has checked that its phase allows the change.
    pub(super) fn apply(
        &mut self,
        number: u64,
        change: Change,
        apply: impl FnOnce(&mut Job),
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        let Jobs { now, inside, cpus, used, exceeded: crowded, .. } = self;
        let job = inside.get_mut(&number).ok_or(EventsLineError::UnknownJob(number))?;
        watch.before_change(*now, job, change);
        leave_nodes(job, used);
        apply(job);
        for &(node, tasks) in &job.on {
            let used = used.on(node);
            *used += job.cpu_of(tasks);
            if *used > cpus.of(node).units().into() {
                crowded.push(node);
            }
        }
        watch.after_change(*now, job, change);
        Ok(())
    }
    /// Removes a job from the system.
    pub(super) fn remove(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        self.find(at, number)?.check_phase(change)?;
        let job = self.inside.remove(&number).ok_or(EventsLineError::UnknownJob(number))?;
        leave_nodes(&job, &mut self.used);
        watch.before_change(at, &job, change);
        Ok(())
    }
    /// Checks that the file is complete.
    pub(super) fn end(mut self) -> Result<NodeCpus, EventsLineError> {
        self.check_cpu()?;
        match (self.is_complete, self.inside.keys().next()) {
            (false, _) => Err(EventsLineError::NoSummary),
            (true, Some(&job)) => Err(EventsLineError::Unfinished(job)),
            (true, None) => Ok(self.cpus),
        }
    }
}

fn leave_nodes(job: &Job, used: &mut UsedCpu) {
    for &(node, tasks) in &job.on {
        *used.on(node) -= job.cpu_of(tasks);
    }
}

struct Replay {
    policy: String,
    nodes: u32,
    tau: u64,
    jobs: Jobs,
    devices: Option<NodeDevices>,
}

impl Replay {
    fn begin(first: &Record<'_>) -> Result<Replay, EventsLineError> {
        match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Err(EventsLineError::Format(*format)),
            Record::Run { policy, nodes, tau_us, .. } => {
                let policy = policy.clone().into_owned();
                Ok(Replay { policy, nodes: *nodes, tau: *tau_us, jobs: Jobs::default(), devices: None })
            }
            _ => Err(EventsLineError::NoRun),
        }
    }

    fn record(&mut self, record: Record<'_>, watch: &mut dyn Observer) -> Result<(), EventsLineError> {
        self.jobs.check_open()?;
        match record {
            Record::Run { .. } => Err(EventsLineError::SecondRun),
            Record::Link { at_us, .. } | Record::Wake { at_us, .. } => self.jobs.advance(at_us),
            Record::Ask { at_us, job, resources, .. } => self.request(at_us, job, &resources, watch),
            Record::Bind { at_us, job, devices } => self.bind(at_us, job, &devices, watch),
            Record::Summary { .. } => {
                self.jobs.complete();
                Ok(())
            }
            Record::Submit {
                at_us, job, id, tasks, cpu_need, run_us, user, group, queue, partition, ..
            } => {
                let cpu_need = Share::try_from_units(cpu_need).ok_or(EventsLineError::AboveOne(job))?;
                let of = JobAttributes { tasks, user, group, queue, partition };
                self.jobs.submit(Job::new(id, job, at_us, run_us, cpu_need, of), watch)
            }
            Record::Start { at_us, job, on, job_yield, .. } => {
                self.place(at_us, job, Change::Start, on.into_owned(), job_yield, watch)
            }
            Record::Resume { at_us, job, on, job_yield, .. } => {
                self.place(at_us, job, Change::Resume, on.into_owned(), job_yield, watch)
            }
            Record::Migrate { at_us, job, on, job_yield, .. } => {
                self.place(at_us, job, Change::Migrate, on.into_owned(), job_yield, watch)
            }
            Record::Yield { at_us, job, job_yield, .. } => {
                let job_yield = known_yield(job, job_yield)?;
                self.jobs.change(at_us, job, Change::Yield, |job| job.job_yield = job_yield, watch)
            }
            Record::Pause { at_us, job } => {
                self.jobs.change(at_us, job, Change::Pause, |job| job.stop(Phase::Paused), watch)
            }
            Record::Classes { resources, classes, cores, core_parts, .. } => {
                self.jobs.cpus = NodeCpus::new(&classes);
                self.devices = NodeDevices::new(&resources, &classes, (cores, core_parts))?;
                self.devices.iter().for_each(|devices| watch.begin_with_devices(devices));
                Ok(())
            }
            Record::Platform { .. }
            | Record::Begin { .. }
            | Record::Series { .. }
            | Record::Energy { .. }
            | Record::Figures { .. }
            | Record::Priority { .. }
            | Record::Window { .. }
            | Record::Drain { .. }
            | Record::Undrain { .. } => Ok(()),
            Record::Down { at_us, nodes } => self.nodes(at_us, &nodes, true, watch),
            Record::Up { at_us, nodes } => self.nodes(at_us, &nodes, false, watch),
            Record::Interrupt { at_us, job, .. } => {
                self.jobs.change(at_us, job, Change::Interrupt, |job| job.stop(Phase::Waiting), watch)
            }
            Record::Lose { at_us, job } => self.jobs.remove(at_us, job, Change::Lose, watch),
            Record::Reject { at_us, job } => self.jobs.remove(at_us, job, Change::Reject, watch),
            Record::Kill { at_us, job } => self.jobs.remove(at_us, job, Change::Kill, watch),
            Record::Complete { at_us, job } => self.jobs.remove(at_us, job, Change::Complete, watch),
        }
    }

    fn nodes(
        &mut self,
        at: u64,
        spans: &[(u32, u32)],
        goes_down: bool,
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        self.jobs.advance(at)?;
        let nodes = self.nodes;
        for &(first, count) in spans {
            if u64::from(first) + u64::from(count) > u64::from(nodes) {
                return Err(EventsLineError::NoSuchNodes { first, count, nodes });
            }
            watch.nodes_changed(at, first, count, goes_down);
        }
        Ok(())
    }

    /// Reports the devices that a job requests.
    fn request(
        &mut self,
        at: u64,
        job: u64,
        resources: &[(u32, u32)],
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        let job = self.jobs.find(at, job)?;
        let asked = self.devices.as_ref().and_then(|devices| resources.get(devices.resource));
        if let Some(&(count, part)) = asked.filter(|(count, _)| *count > 0) {
            watch.devices_requested(job, DeviceRequest { count, part: part.into() });
        }
        Ok(())
    }

    /// Reports the devices of tasks that were just placed.
    fn bind(
        &mut self,
        at: u64,
        job: u64,
        on: &[(u32, u32, u32)],
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        let job = self.jobs.find(at, job)?;
        for &(node, device, _) in on {
            let unknown = Err(EventsLineError::Device { node, device });
            self.devices.as_ref().map_or(unknown, |devices| devices.number(node, device))?;
        }
        watch.devices_bound(at, job, on);
        Ok(())
    }

    fn place(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        on: Vec<(u32, u32)>,
        job_yield: u32,
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        let job_yield = known_yield(number, job_yield)?;
        if let Some(&(node, _)) = on.iter().find(|(node, _)| *node >= self.nodes) {
            return Err(EventsLineError::Node { job: number, node, nodes: self.nodes });
        }
        self.jobs.change(at, number, change, |job| job.run_on(on, job_yield), watch)
    }
}

fn known_yield(job: u64, units: u32) -> Result<Yield, EventsLineError> {
    Yield::try_from_units(units).ok_or(EventsLineError::AboveOne(job))
}
