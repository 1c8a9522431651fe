//! The loop: events of a moment, one decision, its check, its effect.

use crate::check::Checker;
use crate::decision::{Change, Verb};
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use crate::{
    Decision, JobHandle, JobRecord, JobState, Observer, Occurrence, Options, Overrun, Scheduler, Situation,
    View, Violation,
};
use dfrsim_des::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Job, JobId, NodeTasks, SimTime, Yield};

/// Why a simulation ended before its jobs did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// The policy broke a rule.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// Jobs are left, nothing is scheduled to happen and the policy waits.
    #[error("nothing happens any more at {time} s, but {jobs} jobs are left, the first of them job {first}")]
    Stuck {
        /// The moment of the last event.
        time: SimTime,
        /// How many jobs are left.
        jobs: usize,
        /// The earliest of them.
        first: JobId,
    },
    /// A job without tasks or without run time, or one that arrives before its predecessor.
    #[error("job {0} is not valid: jobs need tasks and a run time, and come in order of submission")]
    InvalidJob(JobId),
}

const NEXT_SUBMISSION: Slot = Slot(0);
const WAKE_UP: Slot = Slot(1);
const FIRST_JOB: u32 = 2;

/// After so many wake-ups in a row without a change, while no job runs and none is to come, a policy is stuck.
const MOST_IDLE_TICKS: u32 = 100_000;

/// Simulates one policy on one cluster of `nodes` nodes until all jobs have left.
///
/// Jobs come by rising submission time and are pulled one ahead, so memory grows with the jobs in the system.
///
/// # Errors
/// If the policy breaks a rule or leaves jobs waiting for ever, or if a job is not valid.
pub fn simulate(
    nodes: u32,
    options: &Options,
    jobs: impl IntoIterator<Item = Job>,
    scheduler: &mut dyn Scheduler,
    observer: &mut impl Observer,
) -> Result<(), SimulationError> {
    let mut simulation = Simulation {
        options,
        events: EventQueue::new(),
        jobs: JobTable::default(),
        nodes: NodeLoads::new(nodes),
        arrivals: jobs.into_iter(),
        next: None,
        completed: Vec::new(),
        submitted: Vec::new(),
        observer,
    };
    simulation.run(scheduler)
}

struct Simulation<'a, I, O> {
    options: &'a Options,
    events: EventQueue,
    jobs: JobTable,
    nodes: NodeLoads,
    arrivals: I,
    /// The job that arrives next.
    next: Option<Job>,
    /// What happened at this moment.
    completed: Vec<JobHandle>,
    submitted: Vec<JobHandle>,
    observer: &'a mut O,
}

impl<I: Iterator<Item = Job>, O: Observer> Simulation<'_, I, O> {
    fn run(&mut self, scheduler: &mut dyn Scheduler) -> Result<(), SimulationError> {
        let mut decision = Decision::default();
        let mut checker = Checker::default();
        let mut now = SimTime::ZERO;
        self.pull_submission(now)?;
        let mut idle_ticks = 0;
        while let Some((key, _)) = self.events.peek() {
            if idle_ticks > MOST_IDLE_TICKS {
                break;
            }
            now = key.time();
            let tick = self.apply_events(now)?;
            decision.clear();
            let view = View { now, jobs: &self.jobs, nodes: &self.nodes };
            let situation = Situation { view, completed: &self.completed, submitted: &self.submitted, tick };
            scheduler.decide(&situation, &mut decision);
            checker.check(now, &decision, &self.jobs, &mut self.nodes)?;
            self.apply(now, &decision);
            // Only the wake-up is left to happen, and the policy makes nothing of it.
            let idle = decision.changes.is_empty() && self.events.len() == 1 && self.next.is_none() && tick;
            idle_ticks = if idle { idle_ticks + 1 } else { 0 };
            for job in self.completed.drain(..) {
                self.jobs.release(job);
            }
        }
        match self.jobs.in_system() {
            [] => Ok(()),
            left @ [first, ..] => Err(SimulationError::Stuck {
                time: now,
                jobs: left.len(),
                first: self.jobs.get(*first).job.id,
            }),
        }
    }

    /// Applies all events of this moment; whether the wake-up is among them.
    fn apply_events(&mut self, now: SimTime) -> Result<bool, SimulationError> {
        self.submitted.clear();
        let mut tick = false;
        while let Some((_, slot)) = self.events.peek().filter(|(key, _)| key.time() == now) {
            self.events.pop();
            match slot {
                NEXT_SUBMISSION => {
                    self.submit(now);
                    self.pull_submission(now)?;
                }
                WAKE_UP => tick = true,
                Slot(slot) => self.complete(now, JobHandle(slot - FIRST_JOB)),
            }
        }
        Ok(tick)
    }

    /// Schedules the arrival of the next job, if there is one.
    fn pull_submission(&mut self, now: SimTime) -> Result<(), SimulationError> {
        self.next = self.arrivals.next();
        if let Some(job) = &self.next {
            if job.submit < now || job.tasks == 0 || job.run_time.is_zero() {
                return Err(SimulationError::InvalidJob(job.id));
            }
            self.events.schedule(NEXT_SUBMISSION, EventKey::new(job.submit, Rank::Submission, 0));
        }
        Ok(())
    }

    fn submit(&mut self, now: SimTime) {
        let mut job = self.next.take().expect("a submission is scheduled only with its job");
        let estimate = self.options.estimates.estimate(&job, self.options.seed);
        let kill_at = estimate.filter(|&span| self.options.overrun == Overrun::Kill && span < job.run_time);
        if let Some(span) = kill_at {
            job.run_time = span;
        }
        let handle = self.jobs.insert(job, estimate, kill_at.is_some());
        self.submitted.push(handle);
        let active = self.jobs.get(handle);
        self.observer.observe(now, active.sequence, Occurrence::Submitted(&active.job));
    }

    fn complete(&mut self, now: SimTime, handle: JobHandle) {
        let active = self.jobs.get(handle);
        let job = &active.job;
        self.nodes.remove(&active.placement, job.need, job.memory, active.job_yield);
        let record = JobRecord {
            id: job.id,
            submit: job.submit,
            start: active.first_start.expect("what completes has started"),
            end: now,
            tasks: job.tasks,
            need: job.need,
            memory: job.memory,
            run_time: job.run_time,
            killed: active.killed,
            pauses: active.pauses,
            migrations: active.migrations,
        };
        self.observer.observe(now, active.sequence, Occurrence::Completed(&record));
        self.jobs.leave(handle, JobState::Completed);
        self.completed.push(handle);
    }

    /// Applies a decision that has been checked; the node totals already hold it.
    fn apply(&mut self, now: SimTime, decision: &Decision) {
        for change in &decision.changes {
            self.apply_change(now, change, decision.placement(change));
        }
        match decision.wake_up {
            Some(time) => self.events.schedule(WAKE_UP, EventKey::new(time, Rank::Tick, 0)),
            None => self.events.cancel(WAKE_UP),
        }
    }

    fn apply_change(&mut self, now: SimTime, change: &Change, placement: &[NodeTasks]) {
        let penalty = self.options.penalty;
        let handle = change.job;
        let active = self.jobs.get_mut(handle);
        let sequence = active.sequence;
        let moved = match change.verb {
            Verb::Migrate => moved_tasks(&active.placement, placement),
            _ => 0,
        };
        if change.verb == Verb::Reject {
            self.jobs.leave(handle, JobState::Rejected);
            self.jobs.release(handle);
            self.observer.observe(now, sequence, Occurrence::Rejected);
            return;
        }
        active.change_yield(now, change.job_yield);
        if change.verb.places() {
            active.placement.clear();
            active.placement.extend_from_slice(placement);
        }
        let memory = |tasks: u32| f64::from(tasks) * active.job.memory.as_f64();
        let occurrence = match change.verb {
            Verb::Start => {
                active.state = JobState::Running;
                active.first_start = Some(now);
                Occurrence::Started(placement, change.job_yield)
            }
            Verb::Resume => {
                active.state = JobState::Running;
                active.begin_penalty(now, penalty);
                Occurrence::Resumed(placement, change.job_yield)
            }
            Verb::Migrate if moved > 0 => {
                active.migrations += 1;
                let moved_memory = memory(moved);
                active.begin_penalty(now, penalty);
                Occurrence::Migrated(placement, change.job_yield, moved, moved_memory)
            }
            Verb::Pause => {
                active.state = JobState::Paused;
                active.pauses += 1;
                active.placement.clear();
                Occurrence::Paused(memory(active.job.tasks))
            }
            Verb::Migrate | Verb::SetYield => Occurrence::YieldChanged(change.job_yield),
            Verb::Reject => unreachable!("a rejected job has left above"),
        };
        self.observer.observe(now, sequence, occurrence);
        let slot = Slot(FIRST_JOB + handle.0);
        let running = active.state == JobState::Running && active.job_yield > Yield::ZERO;
        match active.completion().filter(|_| running) {
            Some(time) => self.events.schedule(slot, EventKey::new(time, Rank::Completion, sequence)),
            None => self.events.cancel(slot),
        }
    }
}

/// The tasks that leave a node: sum over nodes of max(0, before - after). Both lists have rising nodes.
fn moved_tasks(before: &[NodeTasks], after: &[NodeTasks]) -> u32 {
    let mut after = after.iter().peekable();
    before
        .iter()
        .map(|old| {
            while after.next_if(|new| new.node < old.node).is_some() {}
            let stay = after.next_if(|new| new.node == old.node).map_or(0, |new| new.tasks);
            old.tasks.saturating_sub(stay)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::moved_tasks;
    use dfrsim_model::{NodeId, NodeTasks};
    use proptest::prelude::*;

    fn placement(counts: &[u32]) -> Vec<NodeTasks> {
        let parts = counts.iter().enumerate().filter(|&(_, &tasks)| tasks > 0);
        parts.map(|(node, &tasks)| NodeTasks { node: NodeId(node as u32), tasks }).collect()
    }

    proptest! {
        #[test]
        fn moved_tasks_agree_with_counting_by_node(pairs in prop::collection::vec((0..3u32, 0..3u32), 0..8)) {
            let before: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
            let after: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
            let expected: u32 = pairs.iter().map(|(before, after)| before.saturating_sub(*after)).sum();
            prop_assert_eq!(moved_tasks(&placement(&before), &placement(&after)), expected);
        }
    }
}
