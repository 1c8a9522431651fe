//! The jobs in the system.

use crate::{JobRecord, NodeRange, Options, Overrun, Placement};
use dfrsim_model::platform::Interruption;
use dfrsim_model::{Clock, Job, Share, SimSpan, SimTime, VirtualTime, Yield};

/// A job in the system. Handles are small numbers, reused once a job has left, so that a policy can keep
/// vectors with one entry a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobHandle(pub(crate) u32);

impl JobHandle {
    /// The handle of this number, for callers that drive a policy's parts without a simulated cluster and number jobs
    /// themselves.
    pub const fn new(number: u32) -> JobHandle {
        JobHandle(number)
    }
    /// The handle as an index of a vector with one entry a handle.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Submitted and never started.
    Waiting,
    /// Its tasks are on nodes.
    Running,
    /// Started before, on no node now.
    Paused,
    /// All of its work is done; it leaves when the decision of this moment is made.
    Completed,
    /// Turned away.
    Rejected,
    /// Ended by the policy before its work was done.
    Killed,
    /// Gone with a node that went down.
    Lost,
}

/// A job and what the cluster knows of it.
#[derive(Debug)]
pub(crate) struct ActiveJob {
    pub(crate) job: Job,
    /// Its place in the order of submission, from 0.
    pub(crate) sequence: u64,
    pub(crate) estimate: Option<SimSpan>,
    /// How much it counts in fractional shares; 1 where all jobs count the same.
    pub(crate) weight: u32,
    pub(crate) state: JobState,
    /// The ranges of its placement.
    pub(crate) placement: Vec<NodeRange>,
    pub(crate) job_yield: Yield,
    /// The CPU need of a task as schedulers know it: its yield is a part of this.
    pub(crate) believed_need: Share,
    /// The part of its true need that it gets: its yield, where needs are exact.
    pub(crate) speed: Yield,
    /// The speed of the slowest of its nodes.
    pub(crate) node_speed: Yield,
    /// The speed that the observer knows of.
    pub(crate) reported_speed: Yield,
    /// Since when its need can be inferred from its use: its last start, resumption or migration.
    pub(crate) runs_since: SimTime,
    /// The virtual time reached at `progress_from`.
    done: VirtualTime,
    /// Since when it progresses at its speed; in the future while a penalty runs.
    progress_from: SimTime,
    clock: Option<Clock>,
    pub(crate) first_start: Option<SimTime>,
    pub(crate) killed: bool,
    pub(crate) preemptions: u32,
    pub(crate) migrations: u32,
    pub(crate) interruptions: u32,
    /// Its work: its run time, the checkpoints that it writes and its epilog.
    length: SimSpan,
    /// What is said of the work that it has left when it starts, with what the start takes.
    pub(crate) remaining: Option<SimSpan>,
    /// How long it makes no progress when it starts, since it reads a checkpoint.
    pub(crate) restart: SimSpan,
}

impl ActiveJob {
    /// Where its tasks are; of a job that has just completed, where they were.
    pub(crate) fn placement(&self) -> Placement<'_> {
        Placement::new(&self.placement)
    }

    pub(crate) fn virtual_time(&self, now: SimTime) -> VirtualTime {
        let span = now.saturating_since(self.progress_from);
        match self.clock {
            None => self.done.advanced(span, self.speed),
            Some(clock) => self.done.advanced(clock.work(span, self.job.cpu_need, self.speed), Yield::ONE),
        }
    }

    /// Its life, if it leaves at this moment.
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

    /// The longer of its work and what is said of it, in microseconds.
    pub(crate) fn longest(&self) -> u128 {
        u128::from(self.length.max(self.estimate.unwrap_or_default()).micros())
    }

    /// It leaves its nodes and waits with the work that it has kept by a rule. Its former nodes, and the work that it has kept and lost.
    pub(crate) fn interrupt(
        &mut self,
        now: SimTime,
        rule: Interruption,
    ) -> (Vec<NodeRange>, SimSpan, VirtualTime) {
        let done = self.virtual_time(now);
        let kept = rule.kept(done);
        self.job_yield = Yield::ZERO;
        self.speed = Yield::ZERO;
        self.reported_speed = Yield::ZERO;
        self.done = VirtualTime::of(kept);
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

    /// What is said of the work that it has left after a pause, with the penalty of going on.
    pub(crate) fn after_pause(&self, penalty: SimSpan) -> Option<SimSpan> {
        let left = self.done.until(VirtualTime::of(self.estimate?)).time_at(Yield::ONE)?;
        Some(left.max(SimSpan::from_micros(1)).saturating_add(penalty))
    }

    /// From now on it has the given yield, and progresses accordingly.
    pub(crate) fn change_yield(&mut self, now: SimTime, job_yield: Yield) {
        self.job_yield = job_yield;
        self.change_speed(now, self.granted_speed());
    }

    /// From now on it progresses at the given speed.
    pub(crate) fn change_speed(&mut self, now: SimTime, speed: Yield) {
        self.done = self.virtual_time(now);
        self.progress_from = self.progress_from.max(now);
        self.speed = speed;
    }

    /// From now on it makes no progress for the length of the penalty.
    pub(crate) fn begin_penalty(&mut self, now: SimTime, penalty: SimSpan) {
        self.done = self.virtual_time(now);
        self.progress_from = now + penalty;
        self.runs_since = self.progress_from;
    }

    /// When it completes at its current yield if its estimate and the CPU need that is known are right; `None` if it has no estimate or no
    /// yield.
    pub(crate) fn expected_end(&self) -> Option<SimTime> {
        let left = self.done.until(VirtualTime::of(self.estimate?));
        Some(self.progress_from.saturating_add(left.time_at(self.job_yield.times(self.node_speed))?))
    }

    /// When it completes at its current speed; never at speed zero.
    pub(crate) fn completion(&self) -> Option<SimTime> {
        let left = self.done.until(VirtualTime::of(self.length));
        if let Some(clock) = self.clock {
            return clock.completion(self.progress_from, left, self.job.cpu_need, self.speed);
        }
        Some(self.progress_from.saturating_add(left.time_at(self.speed)?))
    }
}

/// The most ranges of a placement whose memory is used again.
const SHORT_PLACEMENT: usize = 32;

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
    /// By order of submission; completed ones are not among them.
    pub(crate) fn in_system(&self) -> &[JobHandle] {
        self.order.handles()
    }
    /// The number of handles ever given: the length of a vector with one entry a handle.
    pub(crate) fn handles(&self) -> usize {
        self.jobs.len()
    }

    /// A job arrives of whose run time this is said, at a cluster with these options and this rule for interruptions.
    pub(crate) fn insert(
        &mut self,
        job: Job,
        estimate: Option<SimSpan>,
        options: &Options,
        rule: Option<Interruption>,
    ) -> JobHandle {
        let handle = self.consider(job, estimate, options, rule);
        self.get_mut(handle).sequence = self.submitted;
        self.submitted += 1;
        self.order.push(handle);
        handle
    }

    /// The same of a job that may arrive, behind all others: it is not in the system.
    pub(crate) fn consider(
        &mut self,
        mut job: Job,
        estimate: Option<SimSpan>,
        options: &Options,
        rule: Option<Interruption>,
    ) -> JobHandle {
        let kill_at = estimate.filter(|&span| options.overrun == Overrun::Kill && span < job.run_time);
        job.run_time = kill_at.unwrap_or(job.run_time);
        let lengthened = |span| rule.map_or(span, |rule| rule.lengthened(span));
        let (submit, estimate) = (job.submit, estimate.map(lengthened));
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
            runs_since: submit,
            done: VirtualTime::ZERO,
            progress_from: submit,
            clock: options.clock,
            first_start: None,
            killed: kill_at.is_some(),
            preemptions: 0,
            migrations: 0,
            interruptions: 0,
            length: lengthened(job.run_time).saturating_add(options.epilog),
            remaining: estimate,
            restart: SimSpan::ZERO,
            job,
        };
        match self.free.pop() {
            Some(handle) => {
                let place = self.get_mut(handle);
                active.placement = std::mem::take(&mut place.placement);
                *place = active;
                handle
            }
            None => {
                self.jobs.push(active);
                JobHandle((self.jobs.len() - 1) as u32)
            }
        }
    }

    /// Takes a job out of the order of those in the system; it can be examined until it is released.
    pub(crate) fn leave(&mut self, handle: JobHandle, state: JobState) {
        let sequence = self.get(handle).sequence;
        let at = self.order.position(|other| self.get(other).sequence < sequence);
        debug_assert_eq!(self.in_system()[at], handle);
        self.order.remove(at);
        self.get_mut(handle).state = state;
    }

    /// Lets the handle be given to another job, with the memory of a short placement, so that a long log costs no
    /// allocation a job. That of a long one is given back: otherwise each handle would end with as much as the most
    /// scattered job that it ever had.
    pub(crate) fn release(&mut self, handle: JobHandle) {
        let placement = &mut self.get_mut(handle).placement;
        placement.clear();
        placement.shrink_to(SHORT_PLACEMENT);
        self.free.push(handle);
    }
}

/// The handles of the jobs in the system, by order of submission.
///
/// Jobs that leave are mostly among those that came first, before a long queue. So a removal moves the side that is
/// shorter, and the list may begin behind the beginning of its memory.
#[derive(Debug, Default)]
struct SubmissionOrder {
    memory: Vec<JobHandle>,
    /// Where the list begins.
    begin: usize,
}

impl SubmissionOrder {
    fn handles(&self) -> &[JobHandle] {
        &self.memory[self.begin..]
    }

    /// Adds the job that was submitted last.
    fn push(&mut self, job: JobHandle) {
        if self.memory.len() == self.memory.capacity() && self.begin > self.memory.len() / 2 {
            self.memory.drain(..self.begin);
            self.begin = 0;
        }
        self.memory.push(job);
    }

    /// The first place whose job was not submitted before another one. Looks from the front in strides that double.
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
        /// Ascending handles belong to jobs in order of submission.
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
