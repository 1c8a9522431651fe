//! Table of the jobs in the system.

use crate::{JobRecord, NodeRange, Options, Overrun, Placement};
use dfrsim_model::platform::Interruption;
use dfrsim_model::{Clock, Job, Share, SimSpan, SimTime, VirtualTime, Yield};

/// Handle of a job in the system. Handles are small numbers, reused once a job has left, so that a
/// policy can keep vectors with one entry per handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobHandle(pub(crate) u32);

impl JobHandle {
    /// Creates the handle of this number, for callers that drive parts of a policy without a
    /// simulated cluster and number jobs themselves.
    pub const fn new(number: u32) -> JobHandle {
        JobHandle(number)
    }
    /// Returns the handle as an index into a vector with one entry per handle.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// State of a job in its life cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Submitted and not running; never started, or requeued.
    Waiting,
    /// Running: its tasks are on nodes.
    Running,
    /// Paused: it has started and is on no node now.
    Paused,
    /// Completed: all of its work is done. The job leaves after the decision of the current instant.
    Completed,
    /// Rejected by the policy.
    Rejected,
    /// Killed by the policy before its work was done.
    Killed,
    /// Lost with a node that went down, or removed as lost by the policy.
    Lost,
}

/// Job in the system with its state in the cluster.
#[derive(Debug)]
pub(crate) struct ActiveJob {
    pub(crate) job: Job,
    /// Sequence number in the order of submission, from 0.
    pub(crate) sequence: u64,
    pub(crate) estimate: Option<SimSpan>,
    /// Weight in fractional shares; 1 if no weights are set.
    pub(crate) weight: u32,
    pub(crate) state: JobState,
    /// Current placement; after completion, the last one.
    pub(crate) placement: Vec<NodeRange>,
    pub(crate) job_yield: Yield,
    /// CPU need of a task as schedulers know it; the yield is a fraction of this.
    pub(crate) believed_need: Share,
    /// Fraction of the true CPU need that the job gets; equal to its yield if needs are exact.
    pub(crate) speed: Yield,
    /// Speed of the slowest of its nodes, at its level.
    pub(crate) node_speed: Yield,
    /// Speed level; 0, full speed, unless it runs below.
    pub(crate) level: u8,
    /// Speed last reported to the observer.
    pub(crate) reported_speed: Yield,
    /// Time from which its need can be inferred from its use: its last start, resumption or
    /// migration, plus the penalty.
    pub(crate) observable_from: SimTime,
    /// Virtual time reached at `progress_from`.
    work_done: VirtualTime,
    /// Time from which the job progresses at `speed`; in the future during a penalty.
    progress_from: SimTime,
    clock: Option<Clock>,
    pub(crate) first_start: Option<SimTime>,
    pub(crate) killed: bool,
    pub(crate) preemptions: u32,
    pub(crate) migrations: u32,
    pub(crate) interruptions: u32,
    /// Total work: run time, checkpoints written and epilog.
    duration: SimSpan,
    /// Estimate of the remaining work at the next start, including the costs of that start.
    pub(crate) remaining: Option<SimSpan>,
    /// Time without progress at the next start, for reading a checkpoint.
    pub(crate) restart: SimSpan,
}

impl ActiveJob {
    /// Returns the current placement; for a job that has just completed, the last one.
    pub(crate) fn placement(&self) -> Placement<'_> {
        Placement::new(&self.placement)
    }

    /// Returns the yield and the speed level.
    pub(crate) fn pace(&self) -> (Yield, u8) {
        (self.job_yield, self.level)
    }

    pub(crate) fn virtual_time(&self, now: SimTime) -> VirtualTime {
        let span = now.saturating_since(self.progress_from);
        match self.clock {
            None => self.work_done.advanced(span, self.speed),
            Some(clock) => {
                self.work_done.advanced(clock.work(span, self.job.cpu_need, self.speed), Yield::ONE)
            }
        }
    }

    /// Creates the record of the job, if it leaves at `end`.
    pub(crate) fn record(&self, end: SimTime) -> JobRecord {
        let job = &self.job;
        JobRecord {
            id: job.id,
            submit: job.submit,
            start: self.first_start.expect("only jobs that started are recorded"),
            end,
            tasks: job.tasks,
            cpu_need: job.cpu_need,
            memory: job.memory,
            run_time: job.run_time,
            user: job.user,
            killed: self.killed,
            preemptions: self.preemptions,
            migrations: self.migrations,
            interruptions: self.interruptions,
        }
    }

    /// Returns the larger of the true and the estimated duration, in microseconds.
    pub(crate) fn max_duration(&self) -> u128 {
        u128::from(self.duration.max(self.estimate.unwrap_or_default()).micros())
    }

    /// Takes the job off its nodes and makes it wait, with the work that the rule lets it keep.
    /// Returns its former nodes, the work kept and the work lost.
    pub(crate) fn interrupt(
        &mut self,
        now: SimTime,
        rule: Interruption,
    ) -> (Vec<NodeRange>, SimSpan, VirtualTime) {
        let done = self.virtual_time(now);
        let kept = rule.kept(done);
        (self.job_yield, self.level) = (Yield::ZERO, 0);
        self.speed = Yield::ZERO;
        self.reported_speed = Yield::ZERO;
        self.work_done = VirtualTime::of(kept);
        self.progress_from = now;
        self.state = JobState::Waiting;
        self.interruptions += 1;
        let restart = rule.restart(kept);
        self.restart = restart;
        let least = SimSpan::from_micros(1);
        self.remaining = self.estimate.map(|estimate| {
            let left = estimate.micros().saturating_sub(kept.micros());
            SimSpan::from_micros(left).max(least).saturating_add(restart)
        });
        (std::mem::take(&mut self.placement), kept, VirtualTime::of(kept).until(done))
    }

    /// Returns the estimate of the remaining work after a pause, including the penalty for resuming;
    /// `None` without an estimate.
    pub(crate) fn after_pause(&self, penalty: SimSpan) -> Option<SimSpan> {
        let left = self.work_done.until(VirtualTime::of(self.estimate?)).time_at(Yield::ONE)?;
        Some(left.max(SimSpan::from_micros(1)).saturating_add(penalty))
    }

    /// Sets the yield from `now` on, and the speed that follows from it.
    pub(crate) fn change_yield(&mut self, now: SimTime, job_yield: Yield) {
        self.job_yield = job_yield;
        self.change_speed(now, self.granted_speed());
    }

    /// Sets the speed from `now` on.
    pub(crate) fn change_speed(&mut self, now: SimTime, speed: Yield) {
        self.work_done = self.virtual_time(now);
        self.progress_from = self.progress_from.max(now);
        self.speed = speed;
    }

    /// Starts a rescheduling penalty: no progress for this span from `now` on.
    pub(crate) fn begin_penalty(&mut self, now: SimTime, penalty: SimSpan) {
        self.work_done = self.virtual_time(now);
        self.progress_from = now + penalty;
        self.observable_from = self.progress_from;
    }

    /// Returns the time from now on without progress; zero unless the job runs.
    pub(crate) fn penalty_left(&self, now: SimTime) -> SimSpan {
        let is_running = self.state == JobState::Running;
        if is_running { self.progress_from.saturating_since(now) } else { SimSpan::ZERO }
    }

    /// Returns the expected completion time at the current yield if the estimate and the known CPU
    /// need are right; `None` without an estimate or at yield 0.
    pub(crate) fn expected_end(&self) -> Option<SimTime> {
        let left = self.work_done.until(VirtualTime::of(self.estimate?));
        Some(self.progress_from.saturating_add(left.time_at(self.job_yield.times(self.node_speed))?))
    }

    /// Returns the completion time at the current speed; `None` at speed 0.
    pub(crate) fn completion(&self) -> Option<SimTime> {
        let left = self.work_done.until(VirtualTime::of(self.duration));
        if let Some(clock) = self.clock {
            return clock.completion(self.progress_from, left, self.job.cpu_need, self.speed);
        }
        Some(self.progress_from.saturating_add(left.time_at(self.speed)?))
    }
}

/// Largest number of ranges for which the memory of a placement is reused.
const MAX_REUSED_RANGES: usize = 32;

/// All jobs in the system, by handle and by order of submission.
#[derive(Debug, Default)]
pub(crate) struct JobTable {
    jobs: Vec<ActiveJob>,
    free: Vec<JobHandle>,
    order: SubmissionOrder,
    submitted: u64,
}

impl JobTable {
    pub(crate) fn get(&self, handle: JobHandle) -> &ActiveJob {
        &self.jobs[handle.index()]
    }
    pub(crate) fn get_mut(&mut self, handle: JobHandle) -> &mut ActiveJob {
        &mut self.jobs[handle.index()]
    }
    /// Returns the jobs in the system in order of submission, without completed ones.
    pub(crate) fn in_system(&self) -> &[JobHandle] {
        self.order.handles()
    }
    /// Returns the number of handles ever issued: the length of a vector with one entry per handle.
    pub(crate) fn handles(&self) -> usize {
        self.jobs.len()
    }

    /// Inserts an arriving job with its estimate. `rule` adds the costs of checkpoints to its
    /// duration.
    pub(crate) fn insert(
        &mut self,
        job: Job,
        estimate: Option<SimSpan>,
        options: &Options,
        rule: Option<Interruption>,
    ) -> JobHandle {
        let handle = self.insert_hypothetical(job, estimate, options, rule);
        self.get_mut(handle).sequence = self.submitted;
        self.submitted += 1;
        self.order.push(handle);
        handle
    }

    /// Inserts a job that may arrive later, as in [`JobTable::insert`]. It sorts after all other
    /// jobs and is not in the system.
    pub(crate) fn insert_hypothetical(
        &mut self,
        mut job: Job,
        estimate: Option<SimSpan>,
        options: &Options,
        rule: Option<Interruption>,
    ) -> JobHandle {
        let kill_at = estimate.filter(|&span| options.overrun == Overrun::Kill && span < job.run_time);
        job.run_time = kill_at.unwrap_or(job.run_time);
        let lengthened = |span| rule.map_or(span, |rule| rule.lengthened(span));
        let wake = options.longest_wake();
        let (submit, estimate) = (job.submit, estimate.map(|span| lengthened(span.saturating_add(wake))));
        let mut active = ActiveJob {
            sequence: u64::MAX,
            estimate,
            weight: options.weights.as_ref().map_or(1, |weights| weights.of(job.user, job.origin)),
            state: JobState::Waiting,
            placement: Vec::new(),
            job_yield: Yield::ZERO,
            believed_need: options.needs.known(job.cpu_need),
            speed: Yield::ZERO,
            reported_speed: Yield::ZERO,
            node_speed: Yield::ONE,
            level: 0,
            observable_from: submit,
            work_done: VirtualTime::ZERO,
            progress_from: submit,
            clock: options.clock,
            first_start: None,
            killed: kill_at.is_some(),
            preemptions: 0,
            migrations: 0,
            interruptions: 0,
            duration: lengthened(job.run_time).saturating_add(options.epilog),
            remaining: estimate,
            restart: SimSpan::ZERO,
            job,
        };
        match self.free.pop() {
            Some(handle) => {
                let entry = self.get_mut(handle);
                active.placement = std::mem::take(&mut entry.placement);
                *entry = active;
                handle
            }
            None => {
                self.jobs.push(active);
                JobHandle((self.jobs.len() - 1) as u32)
            }
        }
    }

    /// Removes a job from the order of those in the system. Its entry stays readable until the
    /// handle is released.
    pub(crate) fn remove_from_order(&mut self, handle: JobHandle, state: JobState) {
        let sequence = self.get(handle).sequence;
        let at = self.order.position(|other| self.get(other).sequence < sequence);
        debug_assert_eq!(self.in_system()[at], handle);
        self.order.remove(at);
        self.get_mut(handle).state = state;
    }

    /// Releases the handle for reuse, with the memory of a short placement, so that a long log needs
    /// no allocation per job. The memory of a long placement is freed: otherwise each handle would
    /// end with the memory of the most scattered job that it ever had.
    pub(crate) fn release(&mut self, handle: JobHandle) {
        let placement = &mut self.get_mut(handle).placement;
        placement.clear();
        placement.shrink_to(MAX_REUSED_RANGES);
        self.free.push(handle);
    }
}

/// Handles of the jobs in the system, in order of submission.
///
/// The jobs that leave are mostly near the front of a long queue. A removal therefore shifts the
/// shorter side, and the list may begin past the start of its memory.
#[derive(Debug, Default)]
struct SubmissionOrder {
    memory: Vec<JobHandle>,
    /// Index in `memory` at which the list begins.
    begin: usize,
}

impl SubmissionOrder {
    fn handles(&self) -> &[JobHandle] {
        &self.memory[self.begin..]
    }

    /// Appends the job that was submitted last.
    fn push(&mut self, job: JobHandle) {
        if self.memory.len() == self.memory.capacity() && self.begin > self.memory.len() / 2 {
            self.memory.drain(..self.begin);
            self.begin = 0;
        }
        self.memory.push(job);
    }

    /// Finds the first index whose job does not satisfy `is_before`, by an exponential search from
    /// the front.
    fn position(&self, is_before: impl Fn(JobHandle) -> bool) -> usize {
        let handles = self.handles();
        let mut stride = 1;
        while stride < handles.len() && is_before(handles[stride]) {
            stride *= 2;
        }
        let (from, to) = (stride / 2, (stride + 1).min(handles.len()));
        from + handles[from..to].partition_point(|&job| is_before(job))
    }

    fn remove(&mut self, at: usize) {
        let place = self.begin + at;
        if at < self.handles().len() / 2 {
            self.memory.copy_within(self.begin..place, self.begin + 1);
            self.begin += 1;
        } else {
            self.memory.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{JobHandle, SubmissionOrder};
    use proptest::prelude::*;

    proptest! {
        /// Ascending handles are in order of submission here, so the reference is a plain sorted
        /// list.
        #[test]
        fn the_order_of_submission_agrees_with_a_plain_list(steps in prop::collection::vec((0..3u8, any::<u16>()), 0..300)) {
            let (mut order, mut twin) = (SubmissionOrder::default(), Vec::new());
            for (number, (step, place)) in (0..).zip(steps) {
                if step == 0 && !twin.is_empty() {
                    let at = usize::from(place) % twin.len();
                    let job: JobHandle = twin.remove(at);
                    prop_assert_eq!(order.position(|other| other < job), at);
                    order.remove(at);
                } else {
                    order.push(JobHandle(number));
                    twin.push(JobHandle(number));
                }
                prop_assert_eq!(order.handles(), &twin[..]);
            }
        }
    }
}
