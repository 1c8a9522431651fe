//! Progress of a job in the system.

use crate::Phase;
use crate::nodes::Size;
use dfrsim_model::event::Record;
use dfrsim_model::{Clock, Share, SimSpan, SimTime, VirtualTime, Yield};
use std::sync::Arc;

/// Job that was submitted and has not left the system.
#[derive(Debug, Default)]
pub(crate) struct Job {
    pub(crate) phase: Phase,
    /// Number in the log.
    pub(crate) id: u64,
    pub(crate) submit: u64,
    pub(crate) tasks: u32,
    pub(crate) need: u32,
    /// Resources that a task takes of its node.
    pub(crate) size: Arc<Size>,
    /// True after the `ask` record of the job.
    pub(crate) has_asked: bool,
    /// Cores that it requested, if these are not the ones that its tasks hold.
    pub(crate) requested_cores: Option<u32>,
    /// Nodes that it requested, if it has another number of them.
    pub(crate) requested_nodes: Option<u32>,
    /// True if each of its tasks needs a different node.
    pub(crate) needs_distinct_nodes: bool,
    pub(crate) run: u64,
    /// Run time including checkpoints and the epilog, in microseconds.
    pub(crate) length: u64,
    /// Estimate of the policy for `length`, in microseconds; `u64::MAX` without an estimate.
    pub(crate) estimate: u64,
    /// Number of the user, if known.
    pub(crate) user: Option<u32>,
    /// Numbers of the group, the queue and the partition, if known.
    pub(crate) group: Option<u32>,
    pub(crate) queue: Option<u32>,
    pub(crate) partition: Option<u32>,
    /// Placement of its tasks; empty unless it runs.
    pub(crate) placement: Vec<(u32, u32)>,
    /// Yield in units of 2^-20; 0 unless it runs.
    pub(crate) job_yield: u32,
    /// Number of its speed level; 0 at full speed, and unless it runs.
    pub(crate) level: u32,
    /// Number of the slowest level at which it has run.
    pub(crate) slowest: u32,
    /// Speed of the slowest of its nodes at that level, in units of 2^-20.
    pub(crate) node_speed: u32,
    /// Time of its last change by a decision.
    pub(crate) changed: Option<u64>,
    /// Time at which its work reaches its run time if its speed does not change.
    pub(crate) due: Option<u64>,
    /// Work in microseconds * 2^-20 at the time `counted`.
    done: u128,
    counted: u64,
    /// Time before which it makes no progress.
    penalised_until: u64,
    /// Work kept at the last interruption, and the time without progress at the next start.
    kept: u64,
    pub(crate) restart: u64,
    clock: Option<Clock>,
}

impl Job {
    /// Creates the job of a `submit` record; `clock` is set if time is coarse.
    pub(crate) fn submitted(record: &Record<'_>, clock: Option<Clock>) -> Option<Job> {
        let &Record::Submit {
            at_us: at,
            id,
            tasks,
            cpu_need: need,
            memory,
            run_us: run,
            estimate_us,
            user,
            group,
            queue,
            partition,
            ..
        } = record
        else {
            return None;
        };
        Some(Job {
            id,
            submit: at,
            tasks,
            need,
            size: Arc::new(Size::new(need, memory)),
            run,
            length: run,
            estimate: estimate_us.unwrap_or(run),
            user,
            group,
            queue,
            partition,
            node_speed: Yield::ONE.units(),
            counted: at,
            penalised_until: at,
            clock,
            ..Job::default()
        })
    }

    /// Applies `length` to the run time and the estimate, to add checkpoints.
    pub(crate) fn lengthened(self, length: impl Fn(u64) -> u64) -> Job {
        Job { length: length(self.run), estimate: length(self.estimate), ..self }
    }

    /// Requeues the job with the work that it keeps.
    pub(crate) fn interrupt(&mut self, now: u64, kept: u64, restart: u64) {
        self.phase = Phase::Waiting;
        self.placement.clear();
        (self.job_yield, self.level, self.due) = (0, 0, None);
        (self.done, self.counted) = (u128::from(kept) << 20, now);
        self.penalised_until = now;
        (self.kept, self.restart) = (kept, if kept > 0 { restart } else { 0 });
    }

    /// Returns the estimated time from the next start to the end; `u64::MAX` without an estimate.
    pub(crate) fn remaining(&self) -> u64 {
        match self.estimate {
            u64::MAX => u64::MAX,
            estimate => estimate.saturating_sub(self.kept).max(1).saturating_add(self.restart),
        }
    }

    /// Returns the estimated time from a resumption to the end after a pause at `now`: the remaining
    /// work by the estimate, and the penalty.
    pub(crate) fn remaining_after_pause(&self, now: u64, penalty: u64) -> u64 {
        if self.estimate == u64::MAX {
            return u64::MAX;
        }
        let left = (u128::from(self.estimate) << Yield::BITS).saturating_sub(self.done_at(now));
        let left = left.div_ceil(1 << Yield::BITS).max(1);
        u64::try_from(left + u128::from(penalty)).unwrap_or(u64::MAX)
    }

    fn share(&self) -> Share {
        Share::try_from_units(self.need).unwrap_or(Share::ONE)
    }

    /// Returns the end of the last time without progress: a penalty, a restart or the waking of nodes.
    pub(crate) fn penalised_until(&self) -> u64 {
        self.penalised_until
    }

    /// Starts a penalty without progress; it replaces a penalty in progress.
    pub(crate) fn penalise(&mut self, now: u64, penalty: u64) {
        self.accrue(now);
        self.penalised_until = now.saturating_add(penalty);
    }

    /// Sets the speed of its nodes from now on.
    pub(crate) fn set_node_speed(&mut self, now: u64, speed: u32) {
        self.accrue(now);
        self.node_speed = speed;
    }

    /// Returns the speed of progress in units of 2^-20.
    fn rate(&self) -> u64 {
        (u64::from(self.job_yield) * u64::from(self.node_speed)) >> Yield::BITS
    }

    /// Sets the yield from now on.
    pub(crate) fn set_yield(&mut self, now: u64, job_yield: u32) {
        self.accrue(now);
        self.job_yield = job_yield;
        let missing = self.goal().saturating_sub(self.done);
        if let (Some(clock), Some(at)) = (self.clock, Yield::try_from_units(job_yield)) {
            let from = SimTime::from_micros(now.max(self.penalised_until));
            let left =
                VirtualTime::ZERO.advanced(SimSpan::from_micros((missing >> Yield::BITS) as u64), Yield::ONE);
            self.due = clock.completion(from, left, self.share(), at).map(SimTime::micros);
            return;
        }
        self.due = match u128::from(self.rate()) {
            _ if missing == 0 => Some(now),
            0 => None,
            speed => u64::try_from(missing.div_ceil(speed))
                .ok()
                .and_then(|span| now.max(self.penalised_until).checked_add(span)),
        };
    }

    /// Adds the work since the last change.
    fn accrue(&mut self, now: u64) {
        self.done = self.done_at(now);
        self.counted = now;
    }

    /// Returns the work done by now, in microseconds * 2^-20.
    pub(crate) fn done_at(&self, now: u64) -> u128 {
        let progressing = now.saturating_sub(self.counted.max(self.penalised_until));
        if let (Some(clock), Some(at)) = (self.clock, Yield::try_from_units(self.job_yield)) {
            let work = clock.work(SimSpan::from_micros(progressing), self.share(), at);
            return self.done + (u128::from(work.micros()) << Yield::BITS);
        }
        self.done + u128::from(progressing) * u128::from(self.rate())
    }

    /// Returns the total work, in microseconds * 2^-20.
    fn goal(&self) -> u128 {
        u128::from(self.length) << Yield::BITS
    }

    /// Returns whether its work has reached its run time, or all but the last millisecond by a
    /// coarse clock.
    pub(crate) fn is_done(&self, now: u64) -> bool {
        self.done_at(now) >= self.goal() || self.clock.is_some() && self.due.is_some_and(|due| due <= now)
    }

    /// Returns the work done by now, in seconds.
    pub(crate) fn done_s(&self, now: u64) -> f64 {
        self.done_at(now) as f64 / (f64::from(Yield::ONE.units()) * 1e6)
    }
}
