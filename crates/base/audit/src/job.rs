//! A job in the system, and its progress.

use crate::Phase;
use crate::nodes::Size;
use dfrsim_model::event::Record;
use dfrsim_model::{Clock, Share, SimSpan, SimTime, VirtualTime, Yield};
use std::sync::Arc;

/// A job that was submitted and has not left the system.
#[derive(Debug, Default)]
pub(crate) struct Job {
    pub(crate) phase: Phase,
    /// Its number in the log.
    pub(crate) id: u64,
    pub(crate) submit: u64,
    pub(crate) tasks: u32,
    pub(crate) need: u32,
    /// What a task takes of its node.
    pub(crate) size: Arc<Size>,
    /// Whether it has said for which resources it asks.
    pub(crate) has_asked: bool,
    pub(crate) run: u64,
    /// Its run time, the checkpoints that it writes and its epilog.
    pub(crate) length: u64,
    /// What the policy knows of that; the largest number if that is unknown.
    pub(crate) estimate: u64,
    /// The number of its user, if known.
    pub(crate) user: Option<u32>,
    /// Those of its group, its queue and its partition.
    pub(crate) group: Option<u32>,
    pub(crate) queue: Option<u32>,
    pub(crate) partition: Option<u32>,
    /// Where its tasks are; empty unless it runs.
    pub(crate) placement: Vec<(u32, u32)>,
    /// In units of 2^-20; 0 unless it runs.
    pub(crate) job_yield: u32,
    /// The speed of the slowest of its nodes, in the same units.
    node_speed: u32,
    /// The moment of its last change by a decision.
    pub(crate) changed: Option<u64>,
    /// When its work reaches its run time if its speed does not change.
    pub(crate) due: Option<u64>,
    /// Its work in microseconds * 2^-20, up to the moment `counted`.
    done: u128,
    counted: u64,
    /// No progress before this moment.
    penalised_until: u64,
    /// What it has kept at its last interruption, and how long it makes no progress when it starts after that.
    kept: u64,
    pub(crate) restart: u64,
    clock: Option<Clock>,
}

impl Job {
    /// The job of a `submit` record, whose time may be coarse.
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

    /// The job whose lengths become these, as it writes checkpoints.
    pub(crate) fn lengthened(self, length: impl Fn(u64) -> u64) -> Job {
        Job { length: length(self.run), estimate: length(self.estimate), ..self }
    }

    /// It leaves its nodes and waits, with the work that it has kept.
    pub(crate) fn interrupt(&mut self, now: u64, kept: u64, restart: u64) {
        self.phase = Phase::Waiting;
        self.placement.clear();
        (self.job_yield, self.due) = (0, None);
        (self.done, self.counted) = (u128::from(kept) << 20, now);
        self.penalised_until = now;
        (self.kept, self.restart) = (kept, if kept > 0 { restart } else { 0 });
    }

    /// What the policy knows of the time that it takes from its next start on.
    pub(crate) fn remaining(&self) -> u64 {
        match self.estimate {
            u64::MAX => u64::MAX,
            estimate => estimate.saturating_sub(self.kept).max(1).saturating_add(self.restart),
        }
    }

    /// The same when it is paused: the work that is left by the estimate, and the penalty.
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

    /// No progress for so long from now on; a penalty that runs is forgotten.
    pub(crate) fn penalise(&mut self, now: u64, penalty: u64) {
        self.count(now);
        self.penalised_until = now.saturating_add(penalty);
    }

    /// It is on nodes of this speed from now on.
    pub(crate) fn set_node_speed(&mut self, now: u64, speed: u32) {
        self.count(now);
        self.node_speed = speed;
    }

    /// How fast it progresses, in units of 2^-20.
    fn rate(&self) -> u64 {
        (u64::from(self.job_yield) * u64::from(self.node_speed)) >> Yield::BITS
    }

    /// Goes on at this yield from now on.
    pub(crate) fn set_yield(&mut self, now: u64, job_yield: u32) {
        self.count(now);
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
    fn count(&mut self, now: u64) {
        self.done = self.done_at(now);
        self.counted = now;
    }

    /// The work that it has done by now, in microseconds * 2^-20.
    pub(crate) fn done_at(&self, now: u64) -> u128 {
        let progressing = now.saturating_sub(self.counted.max(self.penalised_until));
        if let (Some(clock), Some(at)) = (self.clock, Yield::try_from_units(self.job_yield)) {
            let work = clock.work(SimSpan::from_micros(progressing), self.share(), at);
            return self.done + (u128::from(work.micros()) << Yield::BITS);
        }
        self.done + u128::from(progressing) * u128::from(self.rate())
    }

    /// All of its work.
    fn goal(&self) -> u128 {
        u128::from(self.length) << Yield::BITS
    }

    /// Whether its work has reached its run time, or all but the last millisecond by a coarse clock.
    pub(crate) fn is_done(&self, now: u64) -> bool {
        self.done_at(now) >= self.goal() || self.clock.is_some() && self.due.is_some_and(|due| due <= now)
    }

    /// The same in seconds.
    pub(crate) fn done_s(&self, now: u64) -> f64 {
        self.done_at(now) as f64 / (f64::from(Yield::ONE.units()) * 1e6)
    }
}
