//! Follows an events file job by job.

use super::fault::{EventsError, EventsFault};
use dfrsim_model::event::{FORMAT_VERSION, Record};
use dfrsim_model::{Share, Yield};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

/// A job in the system.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number in its log.
    pub id: u64,
    /// Its place in the order of submission, from 0.
    pub sequence: u64,
    /// Its moment of submission, in microseconds.
    pub submit: u64,
    /// Its run time, in microseconds.
    pub run: u64,
    /// The CPU need of a task.
    pub cpu_need: Share,
    /// Where it is in its life.
    pub phase: Phase,
    /// Nodes and how many tasks are there; empty unless it runs.
    pub on: Vec<(u32, u32)>,
    /// No more than a whole one, and 0 unless it runs.
    pub job_yield: Yield,
}

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not started, or must start again.
    Waiting,
    /// It has nodes.
    Running,
    /// It has started, and has no nodes.
    Paused,
}

/// What happens to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It arrives.
    Submit,
    /// It starts.
    Start,
    /// It leaves its nodes, and is not done.
    Pause,
    /// It goes on after a pause.
    Resume,
    /// It moves to other nodes; in a grid, it starts on another cluster than where it waited first.
    Migrate,
    /// It gets another yield.
    Yield,
    /// It is turned away.
    Reject,
    /// It is ended before it is done.
    Kill,
    /// It waits again, since a node went down.
    Interrupt,
    /// It has left for good, since a node went down.
    Lose,
    /// It is done.
    Complete,
}

/// Receives the jobs of an events file. Times are in microseconds and never fall.
pub trait Watch {
    /// A job as it was before a change; not called before `Submit`.
    ///
    /// # Errors
    /// What the watcher finds wrong.
    fn leave(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault>;
    /// A job as it is after a change; not called after `Reject`, `Kill`, `Lose` and `Complete`.
    ///
    /// # Errors
    /// What the watcher finds wrong.
    fn enter(&mut self, at: u64, job: &Job, change: Change) -> Result<(), EventsFault>;
    /// Nodes from `first` on go down or come up.
    ///
    /// # Errors
    /// What the watcher finds wrong.
    fn nodes(&mut self, _at: u64, _first: u32, _nodes: u32, _goes_down: bool) -> Result<(), EventsFault> {
        Ok(())
    }
    /// A job of a grid joins the queue of a cluster.
    ///
    /// # Errors
    /// What the watcher finds wrong.
    fn queue(&mut self, _at: u64, _job: &Job, _cluster: u32) -> Result<(), EventsFault> {
        Ok(())
    }
    /// The last event has passed.
    ///
    /// # Errors
    /// What the watcher finds wrong.
    fn end(&mut self) -> Result<(), EventsFault>;
}

/// The figures of its whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The name of the policy.
    pub policy: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The tau of its bounded stretch, in microseconds.
    pub tau: u64,
}

/// The longest line that is read, in bytes: more than the placement of a job on all nodes of the largest cluster.
const LONGEST: u64 = 1 << 28;

/// Reads a file and shows it to a watcher.
///
/// # Errors
/// If the file cannot be read, is not complete or is not an events file, and what the watcher finds wrong.
pub fn replay(path: &Path, watch: &mut impl Watch) -> Result<Run, EventsError> {
    let mut replay = None;
    let line = follow(path, |text| {
        let record = parse(text)?;
        match &mut replay {
            None => replay = Some(Replay::begin(&record)?),
            Some(replay) => replay.record(record, watch)?,
        }
        Ok(true)
    })?;
    let ended = replay.ok_or(EventsFault::NoRun).and_then(|replay| {
        watch.end()?;
        if !replay.is_complete {
            return Err(EventsFault::NoSummary);
        }
        if let Some(&job) = replay.jobs.keys().next() {
            return Err(EventsFault::Unfinished(job));
        }
        Ok(replay.run)
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

/// A record of events, or of another kind.
pub(super) fn parse<'t, R: Deserialize<'t>>(text: &'t [u8]) -> Result<R, EventsFault> {
    serde_json::from_slice(text).map_err(|error| {
        let message = error.to_string();
        // The line is known, and is always 1 here.
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        EventsFault::Malformed(message)
    })
}

struct Replay {
    run: Run,
    now: u64,
    /// Those in the system, by their place in the order of submission.
    jobs: BTreeMap<u64, Job>,
    /// Whether the summary has been read.
    is_complete: bool,
}

impl Replay {
    fn begin(first: &Record<'_>) -> Result<Replay, EventsFault> {
        match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Err(EventsFault::Format(*format)),
            Record::Run { policy, nodes, tau_us, .. } => {
                let run = Run { policy: policy.clone().into_owned(), nodes: *nodes, tau: *tau_us };
                Ok(Replay { run, now: 0, jobs: BTreeMap::new(), is_complete: false })
            }
            _ => Err(EventsFault::NoRun),
        }
    }

    fn record(&mut self, record: Record<'_>, watch: &mut impl Watch) -> Result<(), EventsFault> {
        if self.is_complete {
            return Err(EventsFault::AfterSummary);
        }
        match record {
            Record::Run { .. } => Err(EventsFault::SecondRun),
            Record::Link { at_us, .. } | Record::Ask { at_us, .. } => self.advance(at_us),
            Record::Summary { .. } => {
                self.is_complete = true;
                Ok(())
            }
            Record::Submit { at_us, job, id, cpu_need, run_us, .. } => {
                self.advance(at_us)?;
                let cpu_need = Share::try_from_units(cpu_need).ok_or(EventsFault::AboveOne(job))?;
                let submitted = Job {
                    id,
                    sequence: job,
                    submit: at_us,
                    run: run_us,
                    cpu_need,
                    phase: Phase::Waiting,
                    on: Vec::new(),
                    job_yield: Yield::ZERO,
                };
                watch.enter(at_us, &submitted, Change::Submit)?;
                match self.jobs.insert(job, submitted) {
                    None => Ok(()),
                    Some(_) => Err(EventsFault::SubmittedTwice(job)),
                }
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
                self.change(at_us, job, Change::Yield, |job| job.job_yield = job_yield, watch)
            }
            Record::Pause { at_us, job } => {
                let pause = |job: &mut Job| {
                    job.phase = Phase::Paused;
                    job.job_yield = Yield::ZERO;
                    job.on.clear();
                };
                self.change(at_us, job, Change::Pause, pause, watch)
            }
            Record::Platform { .. }
            | Record::Priority { .. }
            | Record::Classes { .. }
            | Record::Window { .. } => Ok(()),
            Record::Down { at_us, nodes } => self.nodes(at_us, &nodes, true, watch),
            Record::Up { at_us, nodes } => self.nodes(at_us, &nodes, false, watch),
            Record::Interrupt { at_us, job, .. } => {
                let interrupt = |job: &mut Job| {
                    job.phase = Phase::Waiting;
                    job.job_yield = Yield::ZERO;
                    job.on.clear();
                };
                self.change(at_us, job, Change::Interrupt, interrupt, watch)
            }
            Record::Lose { at_us, job } => self.remove(at_us, job, Change::Lose, watch),
            Record::Reject { at_us, job } => self.remove(at_us, job, Change::Reject, watch),
            Record::Kill { at_us, job } => self.remove(at_us, job, Change::Kill, watch),
            Record::Complete { at_us, job } => self.remove(at_us, job, Change::Complete, watch),
        }
    }

    fn nodes(
        &mut self,
        at: u64,
        spans: &[(u32, u32)],
        goes_down: bool,
        watch: &mut impl Watch,
    ) -> Result<(), EventsFault> {
        self.advance(at)?;
        let nodes = self.run.nodes;
        for &(first, count) in spans {
            if u64::from(first) + u64::from(count) > u64::from(nodes) {
                return Err(EventsFault::NoSuchNodes { first, count, nodes });
            }
            watch.nodes(at, first, count, goes_down)?;
        }
        Ok(())
    }

    fn advance(&mut self, at: u64) -> Result<(), EventsFault> {
        if at < self.now {
            return Err(EventsFault::Backwards);
        }
        self.now = at;
        Ok(())
    }

    fn place(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        on: Vec<(u32, u32)>,
        job_yield: u32,
        watch: &mut impl Watch,
    ) -> Result<(), EventsFault> {
        let job_yield = known_yield(number, job_yield)?;
        if let Some(&(node, _)) = on.iter().find(|(node, _)| *node >= self.run.nodes) {
            return Err(EventsFault::Node { job: number, node, nodes: self.run.nodes });
        }
        let place = |job: &mut Job| {
            job.phase = Phase::Running;
            job.on = on;
            job.job_yield = job_yield;
        };
        self.change(at, number, change, place, watch)
    }

    /// Changes a job that stays in the system.
    fn change(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        apply: impl FnOnce(&mut Job),
        watch: &mut impl Watch,
    ) -> Result<(), EventsFault> {
        self.advance(at)?;
        let job = self.jobs.get_mut(&number).ok_or(EventsFault::UnknownJob(number))?;
        check_phase(job, change)?;
        watch.leave(at, job, change)?;
        apply(job);
        watch.enter(at, job, change)
    }

    /// Takes a job out of the system.
    fn remove(
        &mut self,
        at: u64,
        number: u64,
        change: Change,
        watch: &mut impl Watch,
    ) -> Result<(), EventsFault> {
        self.advance(at)?;
        let job = self.jobs.remove(&number).ok_or(EventsFault::UnknownJob(number))?;
        check_phase(&job, change)?;
        watch.leave(at, &job, change)
    }
}

fn known_yield(job: u64, units: u32) -> Result<Yield, EventsFault> {
    Yield::try_from_units(units).ok_or(EventsFault::AboveOne(job))
}

/// Whether a change can happen to a job as it is.
fn check_phase(job: &Job, change: Change) -> Result<(), EventsFault> {
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
    if job.phase == phase { Ok(()) } else { Err(EventsFault::Phase { job: job.sequence, expected }) }
}
