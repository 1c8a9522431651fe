//! Follows an events file job by job.

use super::cpus::{Cpus, Used};
use super::fault::{EventsError, EventsFault};
use dfrsim_model::event::{FORMAT_VERSION, Record};
use dfrsim_model::{Share, Yield, counted};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

/// A job in the system.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job {
    /// Its number in its log.
    pub(super) id: u64,
    /// Its place in the order of submission, from 0.
    pub(super) sequence: u64,
    /// Its moment of submission, in microseconds.
    pub(super) submit: u64,
    /// Its run time, in microseconds.
    pub(super) run: u64,
    /// The CPU need of a task.
    pub(super) cpu_need: Share,
    /// Where it is in its life.
    pub(super) phase: Phase,
    /// Nodes and how many tasks are there; empty unless it runs.
    pub(super) on: Vec<(u32, u32)>,
    /// No more than a whole one, and 0 unless it runs.
    pub(super) job_yield: Yield,
}

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not started, or must start again.
    Waiting,
    /// It has nodes.
    Running,
    /// It has started, and has no nodes.
    Paused,
}

dfrsim_model::named! {
    /// What happens to a job. A page numbers them in this order.
    pub enum Change as "change" {
        /// It arrives.
        Submit = "submit",
        /// It starts.
        Start = "start",
        /// It leaves its nodes, and is not done.
        Pause = "pause",
        /// It goes on after a pause.
        Resume = "resume",
        /// It moves to other nodes; in a grid, it starts on another cluster than where it waited first.
        Migrate = "migrate",
        /// It gets another yield.
        Yield = "yield",
        /// It is turned away.
        Reject = "reject",
        /// It is ended before it is done.
        Kill = "kill",
        /// It is done.
        Complete = "complete",
        /// It waits again, since a node went down.
        Interrupt = "interrupt",
        /// It has left for good, since a node went down.
        Lose = "lose",
    }
}

/// Receives the jobs of an events file. Times are in microseconds and never fall.
pub(super) trait Watch {
    /// A job as it was before a change; not called before `Submit`.
    fn leave(&mut self, at: u64, job: &Job, change: Change);
    /// A job as it is after a change; not called after `Reject`, `Kill`, `Lose` and `Complete`.
    fn enter(&mut self, at: u64, job: &Job, change: Change);
    /// Nodes from `first` on go down or come up.
    fn nodes(&mut self, _at: u64, _first: u32, _nodes: u32, _goes_down: bool) {}
    /// A job of a grid joins the queue of a cluster.
    fn queue(&mut self, _at: u64, _job: &Job, _cluster: u32) {}
}

/// The figures of its whole run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) policy: String,
    pub(super) nodes: u32,
    /// The tau of its bounded stretch, in microseconds.
    pub(super) tau: u64,
    pub(super) cpus: Cpus,
}

impl Run {
    /// `EASY, 128 nodes`
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.policy, counted(self.nodes as usize, "node"))
    }
}

/// The longest line that is read, in bytes: more than the placement of a job on all nodes of the largest cluster.
const LONGEST: u64 = 1 << 28;

/// Reads a file and shows it to a watcher.
///
/// # Errors
/// If the file cannot be read, is not complete or is not an events file, and what the watcher finds wrong.
pub(super) fn replay(path: &Path, watch: &mut dyn Watch) -> Result<Run, EventsError> {
    let mut replay = None;
    let line = follow(path, |text| {
        let record = parse(Record::from_json(text))?;
        match &mut replay {
            None => replay = Some(Replay::begin(&record)?),
            Some(replay) => replay.record(record, watch)?,
        }
        Ok(true)
    })?;
    let ended = replay.ok_or(EventsFault::NoRun).and_then(|Replay { policy, nodes, tau, jobs }| {
        let cpus = jobs.end()?;
        Ok(Run { policy, nodes, tau, cpus })
    });
    ended.map_err(|fault| fault.at(path, line))
}

/// Reads a file line by line until `each` has seen enough; the number of the line after the last one.
pub(super) fn follow(
    path: &Path,
    mut each: impl FnMut(&[u8]) -> Result<bool, EventsFault>,
) -> Result<u64, EventsError> {
    let failure = |source: io::Error| EventsError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failure)?;
    let mut lines = BufReader::with_capacity(1 << 16, file);
    let (mut text, mut line) = (Vec::new(), 1);
    loop {
        text.clear();
        let count = lines.by_ref().take(LONGEST).read_until(b'\n', &mut text).map_err(failure)?;
        if count == 0 {
            return Ok(line);
        }
        if count as u64 == LONGEST {
            return Err(EventsFault::LongLine.at(path, line));
        }
        if !each(&text).map_err(|fault| fault.at(path, line))? {
            return Ok(line);
        }
        line += 1;
    }
}

/// A record of events, or of another kind, as it was read.
pub(super) fn parse<R>(read: serde_json::Result<R>) -> Result<R, EventsFault> {
    read.map_err(|error| {
        let message = error.to_string();
        // The line is known, and is always 1 here.
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        EventsFault::Malformed(message)
    })
}

impl Job {
    pub(super) fn new(id: u64, sequence: u64, submit: u64, run: u64, cpu_need: Share) -> Job {
        let (phase, job_yield) = (Phase::Waiting, Yield::ZERO);
        Job { id, sequence, submit, run, cpu_need, phase, on: Vec::new(), job_yield }
    }
    /// The CPU that some of its tasks have, in units of 2^-20 share units.
    pub(super) fn cpu_of(&self, tasks: u32) -> u128 {
        u128::from(tasks) * u128::from(self.cpu_need.units()) * u128::from(self.job_yield.units())
    }
    pub(super) fn run_on(&mut self, on: Vec<(u32, u32)>, job_yield: Yield) {
        (self.phase, self.on, self.job_yield) = (Phase::Running, on, job_yield);
    }
    /// It has no nodes from now on.
    pub(super) fn stop(&mut self, phase: Phase) {
        (self.phase, self.job_yield) = (phase, Yield::ZERO);
        self.on.clear();
    }
    /// Checks that a change can happen to it as it is.
    pub(super) fn allow(&self, change: Change) -> Result<(), EventsFault> {
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
        if self.phase == phase { Ok(()) } else { Err(EventsFault::Phase { job: self.sequence, expected }) }
    }
}

/// The jobs in the system, as a file reports them to a watcher.
#[derive(Default)]
pub(super) struct Jobs {
    now: u64,
    /// By their place in the order of submission.
    inside: BTreeMap<u64, Job>,
    cpus: Cpus,
    used: Used,
    /// Nodes that had more than their CPU at this moment.
    crowded: Vec<u32>,
    /// Whether the summary has been read.
    is_complete: bool,
}

impl Jobs {
    pub(super) fn check_open(&self) -> Result<(), EventsFault> {
        if self.is_complete { Err(EventsFault::AfterSummary) } else { Ok(()) }
    }
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }
    pub(super) fn advance(&mut self, at: u64) -> Result<(), EventsFault> {
        if at < self.now {
            return Err(EventsFault::Backwards);
        }
        if at > self.now {
            self.settle()?;
        }
        self.now = at;
        Ok(())
    }
    /// Ends a moment, in which jobs may have been on a node before others left it.
    fn settle(&mut self) -> Result<(), EventsFault> {
        let Jobs { cpus, used, crowded, .. } = self;
        let above = |node: &u32| *used.on(*node) > cpus.of(*node).units().into();
        crowded.drain(..).find(above).map_or(Ok(()), |node| Err(EventsFault::Overcommitted(node)))
    }
    pub(super) fn find(&mut self, at: u64, number: u64) -> Result<&Job, EventsFault> {
        self.advance(at)?;
        self.inside.get(&number).ok_or(EventsFault::UnknownJob(number))
    }
    pub(super) fn submit(&mut self, job: Job, watch: &mut dyn Watch) -> Result<(), EventsFault> {
        self.advance(job.submit)?;
        watch.enter(job.submit, &job, Change::Submit);
        let number = job.sequence;
        self.inside.insert(number, job).map_or(Ok(()), |_| Err(EventsFault::SubmittedTwice(number)))
    }
    /// Changes a job that stays in the system and is as the change needs it.
    pub(super) fn change(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        apply: impl FnOnce(&mut Job),
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        self.find(at, number)?.allow(change)?;
        self.apply(number, change, apply, watch)
    }
    /// Changes a job of which the caller has checked that it can change now.
    pub(super) fn apply(
        &mut self,
        number: u64,
        change: Change,
        apply: impl FnOnce(&mut Job),
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        let Jobs { now, inside, cpus, used, crowded, .. } = self;
        let job = inside.get_mut(&number).ok_or(EventsFault::UnknownJob(number))?;
        watch.leave(*now, job, change);
        leave_nodes(job, used);
        apply(job);
        for &(node, tasks) in &job.on {
            let used = used.on(node);
            *used += job.cpu_of(tasks);
            if *used > cpus.of(node).units().into() {
                crowded.push(node);
            }
        }
        watch.enter(*now, job, change);
        Ok(())
    }
    /// Takes a job out of the system.
    pub(super) fn remove(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        self.find(at, number)?.allow(change)?;
        let job = self.inside.remove(&number).ok_or(EventsFault::UnknownJob(number))?;
        leave_nodes(&job, &mut self.used);
        watch.leave(at, &job, change);
        Ok(())
    }
    /// Checks that the file has ended as it should.
    pub(super) fn end(mut self) -> Result<Cpus, EventsFault> {
        self.settle()?;
        match (self.is_complete, self.inside.keys().next()) {
            (false, _) => Err(EventsFault::NoSummary),
            (true, Some(&job)) => Err(EventsFault::Unfinished(job)),
            (true, None) => Ok(self.cpus),
        }
    }
}

fn leave_nodes(job: &Job, used: &mut Used) {
    for &(node, tasks) in &job.on {
        *used.on(node) -= job.cpu_of(tasks);
    }
}

struct Replay {
    policy: String,
    nodes: u32,
    tau: u64,
    jobs: Jobs,
}

impl Replay {
    fn begin(first: &Record<'_>) -> Result<Replay, EventsFault> {
        match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Err(EventsFault::Format(*format)),
            Record::Run { policy, nodes, tau_us, .. } => {
                let policy = policy.clone().into_owned();
                Ok(Replay { policy, nodes: *nodes, tau: *tau_us, jobs: Jobs::default() })
            }
            _ => Err(EventsFault::NoRun),
        }
    }

    fn record(&mut self, record: Record<'_>, watch: &mut dyn Watch) -> Result<(), EventsFault> {
        self.jobs.check_open()?;
        match record {
            Record::Run { .. } => Err(EventsFault::SecondRun),
            Record::Link { at_us, .. } | Record::Ask { at_us, .. } => self.jobs.advance(at_us),
            Record::Summary { .. } => {
                self.jobs.complete();
                Ok(())
            }
            Record::Submit { at_us, job, id, cpu_need, run_us, .. } => {
                let cpu_need = Share::try_from_units(cpu_need).ok_or(EventsFault::AboveOne(job))?;
                self.jobs.submit(Job::new(id, job, at_us, run_us, cpu_need), watch)
            }
            Record::Start { at_us, job, on, job_yield } => {
                self.place(at_us, job, Change::Start, on.into_owned(), job_yield, watch)
            }
            Record::Resume { at_us, job, on, job_yield } => {
                self.place(at_us, job, Change::Resume, on.into_owned(), job_yield, watch)
            }
            Record::Migrate { at_us, job, on, job_yield } => {
                self.place(at_us, job, Change::Migrate, on.into_owned(), job_yield, watch)
            }
            Record::Yield { at_us, job, job_yield } => {
                let job_yield = known_yield(job, job_yield)?;
                self.jobs.change(at_us, job, Change::Yield, |job| job.job_yield = job_yield, watch)
            }
            Record::Pause { at_us, job } => {
                self.jobs.change(at_us, job, Change::Pause, |job| job.stop(Phase::Paused), watch)
            }
            Record::Classes { classes, .. } => {
                self.jobs.cpus = Cpus::new(&classes);
                Ok(())
            }
            Record::Platform { .. } | Record::Priority { .. } | Record::Window { .. } => Ok(()),
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
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        self.jobs.advance(at)?;
        let nodes = self.nodes;
        for &(first, count) in spans {
            if u64::from(first) + u64::from(count) > u64::from(nodes) {
                return Err(EventsFault::NoSuchNodes { first, count, nodes });
            }
            watch.nodes(at, first, count, goes_down);
        }
        Ok(())
    }

    fn place(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        on: Vec<(u32, u32)>,
        job_yield: u32,
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        let job_yield = known_yield(number, job_yield)?;
        if let Some(&(node, _)) = on.iter().find(|(node, _)| *node >= self.nodes) {
            return Err(EventsFault::Node { job: number, node, nodes: self.nodes });
        }
        self.jobs.change(at, number, change, |job| job.run_on(on, job_yield), watch)
    }
}

fn known_yield(job: u64, units: u32) -> Result<Yield, EventsFault> {
    Yield::try_from_units(units).ok_or(EventsFault::AboveOne(job))
}
