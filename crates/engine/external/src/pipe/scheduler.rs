//! Asks a process at each moment, and makes a decision of its answer.

use super::messages::{Answer, Arrival, Change, FORMAT, Greeting, Message, Nodes, Placed, Progress};
use super::read;
use crate::command::Command;
use crate::fault::Fault;
use crate::nodes;
use crate::process::{Lines, Process};
use crate::seconds::moment;
use dfrsim_cluster::{Decision, JobHandle, JobView, Scheduler, Situation, View};
use dfrsim_model::{NodeTasks, Share, SimSpan, SimTime, Yield};
use std::collections::BTreeMap;
use std::time::Duration;

/// A policy that a process decides.
pub(super) struct PipeScheduler {
    command: Command,
    nodes: u32,
    session: Option<Session>,
    now: SimTime,
}

/// The process, and what it knows of.
struct Session {
    process: Process,
    lines: Lines,
    limit: Duration,
    wants_progress: bool,
    nodes: u32,
    /// The jobs in the system by their place in the order of submission.
    jobs: BTreeMap<u64, JobHandle>,
}

impl PipeScheduler {
    pub(super) fn new(command: Command, nodes: u32) -> PipeScheduler {
        PipeScheduler { command, nodes, session: None, now: SimTime::ZERO }
    }

    fn session(&mut self) -> Result<&mut Session, Fault> {
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::begin(&self.command, self.nodes)?,
        };
        Ok(self.session.insert(session))
    }
}

impl Scheduler for PipeScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.now = situation.view.now();
        let decided = self.session().and_then(|session| session.decide(situation, decision));
        if let Err(fault) = decided {
            self.session = None;
            decision.fail(fault.to_string());
        }
    }
}

impl Drop for PipeScheduler {
    fn drop(&mut self) {
        if let Some(Session { mut process, lines, .. }) = self.session.take() {
            lines.write(line(&Message::End { now: self.now.as_secs_f64() }));
            // Its standard input ends, and with it the process.
            drop(lines);
            process.end();
        }
    }
}

fn line(message: &Message) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages are plain");
    line.push(b'\n');
    line
}

impl Session {
    fn begin(command: &Command, nodes: u32) -> Result<Session, Fault> {
        let (process, lines) = Process::start_piped(&command.words)?;
        let limit = command.limit;
        let mut session =
            Session { process, lines, limit, wants_progress: false, nodes, jobs: BTreeMap::new() };
        let share_units = Share::ONE.units();
        let answer = session.ask(&Message::Begin { format: FORMAT, nodes, share_units })?;
        let Greeting { progress, error } = read(&answer)?;
        session.wants_progress = progress;
        error.map_or(Ok(session), |error| Err(Fault::Own(error)))
    }

    /// A message, and the line that answers it.
    fn ask(&mut self, message: &Message) -> Result<String, Fault> {
        self.lines.write(line(message));
        let answer = self.lines.next(&mut self.process, self.limit)?;
        String::from_utf8(answer).map_err(|_| Fault::Wrong("its answer is not UTF-8".into()))
    }

    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> Result<(), Fault> {
        let view = situation.view;
        let sequence = |&handle: &JobHandle| view.job(handle).sequence();
        let completed: Vec<u64> = situation.completed.iter().map(sequence).collect();
        for job in &completed {
            self.jobs.remove(job);
        }
        self.jobs.extend(situation.submitted.iter().map(|handle| (sequence(handle), *handle)));
        let message = Message::Decide {
            now: view.now().as_secs_f64(),
            tick: situation.tick,
            all_submitted: situation.all_submitted,
            submitted: situation.submitted.iter().map(|&handle| arrival(view.job(handle))).collect(),
            completed,
            progress: self.wants_progress.then(|| progress(view)),
        };
        let answer = self.ask(&message)?;
        let Answer { changes, wake_at, error } = read(&answer)?;
        if let Some(error) = error {
            return Err(Fault::Own(error));
        }
        for change in changes {
            self.change(change, decision)?;
        }
        if let Some(seconds) = wake_at {
            decision.wake_at(moment(seconds, "wake_at")?);
        }
        Ok(())
    }

    fn change(&mut self, change: Change, decision: &mut Decision) -> Result<(), Fault> {
        match change {
            Change::Start(placed) => {
                let (job, on, job_yield) = self.placed(placed)?;
                decision.start(job, on, job_yield);
            }
            Change::Resume(placed) => {
                let (job, on, job_yield) = self.placed(placed)?;
                decision.resume(job, on, job_yield);
            }
            Change::Migrate(placed) => {
                let (job, on, job_yield) = self.placed(placed)?;
                decision.migrate(job, on, job_yield);
            }
            Change::Yield { job, job_yield } => {
                decision.set_yield(self.handle(job)?, part_of_node(job, job_yield)?);
            }
            Change::Pause { job } => decision.pause(self.handle(job)?),
            Change::Reject { job } => decision.reject(self.leave(job)?),
            Change::Kill { job } => decision.kill(self.leave(job)?),
        }
        Ok(())
    }

    fn placed(&self, placed: Placed) -> Result<(JobHandle, Vec<NodeTasks>, Yield), Fault> {
        let Placed { job, nodes, job_yield } = placed;
        let nodes = match nodes {
            Nodes::List(nodes) => nodes,
            Nodes::Ranges(text) => nodes::parse(&text, self.nodes)
                .map_err(|fault| Fault::Wrong(format!("job {job}: {fault}")))?,
        };
        Ok((self.handle(job)?, nodes::placement(nodes), part_of_node(job, job_yield)?))
    }

    fn handle(&self, job: u64) -> Result<JobHandle, Fault> {
        self.jobs.get(&job).copied().ok_or_else(|| unknown(job))
    }

    fn leave(&mut self, job: u64) -> Result<JobHandle, Fault> {
        self.jobs.remove(&job).ok_or_else(|| unknown(job))
    }
}

fn unknown(job: u64) -> Fault {
    Fault::Wrong(format!("it names job {job}, which is not in the system"))
}

/// A yield, rounded down.
fn part_of_node(job: u64, part: f64) -> Result<Yield, Fault> {
    if !(0.0..=1.0).contains(&part) {
        return Err(Fault::Wrong(format!("job {job}: a yield of {part} is not between 0 and 1")));
    }
    Ok(Yield::from_f64(part))
}

fn arrival(job: JobView<'_>) -> Arrival {
    Arrival {
        job: job.sequence(),
        id: job.id().0,
        submit: job.submit().as_secs_f64(),
        tasks: job.tasks(),
        cpu_need: job.cpu_need().as_f64(),
        memory: job.memory().as_f64(),
        estimate: job.estimate().map(SimSpan::as_secs_f64),
    }
}

fn progress(view: View<'_>) -> Vec<Progress> {
    let of = |&handle: &JobHandle| {
        let job = view.job(handle);
        Progress { job: job.sequence(), virtual_time: job.virtual_time().as_secs_f64() }
    };
    view.jobs().iter().map(of).collect()
}
