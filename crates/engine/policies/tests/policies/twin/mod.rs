//! Batch scheduling once more, slow and obvious: plain lists, everything computed from scratch at each moment.

mod conservative;
mod easy;
mod easy_spare;
mod profile;

pub(crate) use conservative::Conservative;
pub(crate) use easy::Easy;
pub(crate) use easy_spare::EasySpare;
pub(crate) use profile::SecondBySecond;

use dfrsim_cluster::{Options, Overrun};
use dfrsim_model::formula::Known;
use dfrsim_model::{Job, SimSpan};
use dfrsim_policies::batch::QueueOrder;
use std::cmp::Reverse;

/// In microseconds, the unit of all times here.
pub(crate) const SECOND: u64 = 1_000_000;

/// A job as it is simulated; the name of a job is its place in the list.
#[derive(Clone, Debug)]
pub(crate) struct TwinJob {
    pub(crate) submit: u64,
    pub(crate) width: u32,
    /// How long it runs, if killed until then.
    run: u64,
    pub(crate) estimate: u64,
}

/// What is where at one moment.
pub(crate) struct State<'a> {
    pub(crate) nodes: u32,
    pub(crate) now: u64,
    pub(crate) jobs: &'a [TwinJob],
    /// The waiting jobs by submission.
    pub(crate) queue: Vec<usize>,
    /// The running jobs with their starts.
    pub(crate) running: Vec<(usize, u64)>,
    /// Whether a job ended at this moment that was expected to go on.
    pub(crate) ended_early: bool,
}

impl State<'_> {
    /// When the estimate of a running job ends.
    pub(crate) fn estimated_end(&self, (job, start): (usize, u64)) -> u64 {
        start.saturating_add(self.jobs[job].estimate)
    }
    /// When a running job is expected to end.
    pub(crate) fn expected_end(&self, running: (usize, u64)) -> u64 {
        let end = self.estimated_end(running);
        if end <= self.now { self.now + SECOND } else { end }
    }
    pub(crate) fn free(&self) -> u32 {
        self.nodes - self.running.iter().map(|&(job, _)| self.jobs[job].width).sum::<u32>()
    }
    pub(crate) fn start(&mut self, job: usize) {
        self.queue.retain(|&other| other != job);
        self.running.push((job, self.now));
    }
    /// The queue in the given order at this moment.
    pub(crate) fn ordered(&self, order: QueueOrder) -> Vec<usize> {
        let mut queue = self.queue.clone();
        let job = |index: usize| &self.jobs[index];
        match order {
            QueueOrder::Arrival => {}
            QueueOrder::Sjf => queue.sort_by_key(|&at| job(at).estimate),
            QueueOrder::Ljf => queue.sort_by_key(|&at| Reverse(job(at).estimate)),
            QueueOrder::Saf => {
                queue.sort_by_key(|&at| u128::from(job(at).estimate) * u128::from(job(at).width));
            }
            QueueOrder::Wfp3 => {
                let urgency = |at: usize| {
                    let patience = (self.now - job(at).submit) as f64 / job(at).estimate as f64;
                    patience * patience * patience * f64::from(job(at).width)
                };
                queue.sort_by(|&a, &b| urgency(b).total_cmp(&urgency(a)));
            }
            QueueOrder::Formula(formula) => {
                let seconds = |micros: u64| micros as f64 / 1e6;
                let value = |at: usize| {
                    formula.value(&Known {
                        wait: seconds(self.now - job(at).submit),
                        estimate: seconds(job(at).estimate),
                        width: job(at).width.into(),
                        submit: seconds(job(at).submit),
                    })
                };
                queue.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            }
        }
        queue
    }
}

/// A policy as its definition says it.
pub(crate) trait Twin {
    /// Starts jobs; returns the time of the next requested call, if there is one.
    fn pass(&mut self, state: &mut State<'_>) -> Option<u64>;
    /// When each job was first promised to start, if it was.
    fn promises(&self) -> Vec<(usize, u64)> {
        Vec::new()
    }
}

/// First come, first served.
pub(crate) struct Fcfs(pub(crate) QueueOrder);

impl Twin for Fcfs {
    fn pass(&mut self, state: &mut State<'_>) -> Option<u64> {
        for job in state.ordered(self.0) {
            if state.jobs[job].width > state.free() {
                break;
            }
            state.start(job);
        }
        None
    }
}

/// Start and end of each job, in microseconds; `None` for jobs wider than the cluster.
pub(crate) fn simulate(
    nodes: u32,
    options: &Options,
    jobs: &[Job],
    twin: &mut impl Twin,
) -> Vec<Option<(u64, u64)>> {
    let jobs: Vec<TwinJob> = jobs
        .iter()
        .map(|job| {
            let estimate = options.estimates.estimate(job, options.seed).map_or(u64::MAX, SimSpan::micros);
            let killed = options.overrun == Overrun::Kill;
            let run = if killed { job.run_time.micros().min(estimate) } else { job.run_time.micros() };
            TwinJob { submit: job.submit.micros(), width: job.tasks, run, estimate }
        })
        .collect();
    let mut state =
        State { nodes, now: 0, jobs: &jobs, queue: Vec::new(), running: Vec::new(), ended_early: false };
    let mut schedule = vec![None; jobs.len()];
    let mut arrivals = (0..jobs.len()).peekable();
    let mut wake_up = None;
    loop {
        let arrival = arrivals.peek().map(|&job| jobs[job].submit);
        let ends = state.running.iter().map(|&(job, start)| start + jobs[job].run);
        let Some(now) = ends.chain(arrival).chain(wake_up).min() else { return schedule };
        state.now = now;
        let (ended, going): (Vec<_>, Vec<_>) =
            state.running.iter().partition(|&&(job, start)| start + jobs[job].run == now);
        state.ended_early = ended.iter().any(|&job| state.estimated_end(job) > now);
        state.running = going;
        while let Some(job) = arrivals.next_if(|&job| jobs[job].submit == now) {
            if jobs[job].width <= nodes {
                state.queue.push(job);
            }
        }
        wake_up = twin.pass(&mut state);
        for &(job, start) in &state.running {
            schedule[job] = Some((start, start + jobs[job].run));
        }
    }
}
