//! Asks at each moment, and makes a decision of the answer.

use super::Partner;
use super::messages::{Answer, Arrival, Change, FORMAT, Greeting, Message, Nodes, Placed, Progress};
use crate::nodes;
use crate::pace::Pace;
use crate::seconds::moment;
use dfrsim_cluster::{Decision, JobHandle, JobView, Scheduler, Situation, View};
use dfrsim_model::{NodeTasks, Share, SimSpan, SimTime, UserId, Yield};
use std::collections::BTreeMap;

/// A policy that a [`Partner`] decides.
pub struct ProtocolScheduler<P: Partner> {
    partner: P,
    nodes: u32,
    stage: Stage,
    wants_progress: bool,
    now: SimTime,
    pace: Pace,
    /// The jobs in the system by their place in the order of submission.
    jobs: BTreeMap<u64, JobHandle>,
}

/// How far the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Silent,
    Begun,
    Failed,
}

impl<P: Partner> Scheduler for ProtocolScheduler<P> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.now = situation.view.now();
        if let Err(fault) = self
            .pace
            .check(situation)
            .and_then(|()| self.begin())
            .and_then(|()| self.ask(situation, decision))
        {
            self.stage = Stage::Failed;
            decision.fail(fault);
        }
    }
}

impl<P: Partner> Drop for ProtocolScheduler<P> {
    fn drop(&mut self) {
        if self.stage == Stage::Begun {
            self.partner.end(&Message::End { now: self.now.as_secs_f64() });
        }
    }
}

impl<P: Partner> ProtocolScheduler<P> {
    /// For a cluster of this many nodes. The first message is sent with the first decision.
    pub fn new(partner: P, nodes: u32) -> ProtocolScheduler<P> {
        ProtocolScheduler {
            partner,
            nodes,
            stage: Stage::Silent,
            wants_progress: false,
            now: SimTime::ZERO,
            pace: Pace::default(),
            jobs: BTreeMap::new(),
        }
    }

    fn begin(&mut self) -> Result<(), String> {
        if self.stage == Stage::Silent {
            let share_units = Share::ONE.units();
            let message = Message::Begin { format: FORMAT, nodes: self.nodes, share_units };
            let Greeting { progress, error } = self.partner.begin(&message)?;
            self.stage = Stage::Begun;
            self.wants_progress = progress;
            given_up(error)?;
        }
        Ok(())
    }

    fn ask(&mut self, situation: &Situation<'_>, decision: &mut Decision) -> Result<(), String> {
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
        let Answer { changes, wake_at, error } = self.partner.decide(&message)?;
        given_up(error)?;
        for change in changes {
            self.change(change, decision)?;
        }
        if let Some(seconds) = wake_at {
            decision.wake_at(moment(seconds, "wake_at").map_err(|fault| fault.to_string())?);
        }
        Ok(())
    }

    fn change(&mut self, change: Change, decision: &mut Decision) -> Result<(), String> {
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

    fn placed(&self, placed: Placed) -> Result<(JobHandle, Vec<NodeTasks>, Yield), String> {
        let Placed { job, nodes, job_yield } = placed;
        let nodes = match nodes {
            Nodes::List(nodes) => nodes,
            Nodes::Ranges(text) => {
                nodes::parse(&text, self.nodes).map_err(|fault| format!("job {job}: {fault}"))?
            }
        };
        Ok((self.handle(job)?, nodes::placement(nodes), part_of_node(job, job_yield)?))
    }

    fn handle(&self, job: u64) -> Result<JobHandle, String> {
        self.jobs.get(&job).copied().ok_or_else(|| unknown(job))
    }

    fn leave(&mut self, job: u64) -> Result<JobHandle, String> {
        self.jobs.remove(&job).ok_or_else(|| unknown(job))
    }
}

fn unknown(job: u64) -> String {
    format!("it names job {job}, which is not in the system")
}

fn given_up(error: Option<String>) -> Result<(), String> {
    error.map_or(Ok(()), |error| Err(format!("it says: {error}")))
}

/// A yield, rounded down.
fn part_of_node(job: u64, part: f64) -> Result<Yield, String> {
    if !(0.0..=1.0).contains(&part) {
        return Err(format!("job {job}: a yield of {part} is not between 0 and 1"));
    }
    Ok(Yield::from_f64(part))
}

fn arrival(job: JobView<'_>) -> Arrival {
    let origin = job.origin();
    Arrival {
        job: job.sequence(),
        id: job.id().0,
        submit: job.submit().as_secs_f64(),
        tasks: job.tasks(),
        cpu_need: job.cpu_need().as_f64(),
        memory: job.memory().as_f64(),
        estimate: job.estimate().map(SimSpan::as_secs_f64),
        requested_time: job.requested_time().map(SimSpan::as_secs_f64),
        user: job.user().map(UserId::number),
        group: origin.group(),
        queue: origin.queue(),
        partition: origin.partition(),
    }
}

fn progress(view: View<'_>) -> Vec<Progress> {
    let of = |&handle: &JobHandle| {
        let job = view.job(handle);
        Progress { job: job.sequence(), virtual_time: job.virtual_time().as_secs_f64() }
    };
    view.jobs().iter().map(of).collect()
}
