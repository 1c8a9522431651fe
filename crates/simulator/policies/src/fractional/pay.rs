//! Migration and preemption budget per job, and statistics of completed jobs that decide whether a
//! preemption is worth its cost: `/PAY`.

use dfrsim_cluster::{JobHandle, JobView, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};
use std::collections::VecDeque;

/// Number of recently completed jobs that are remembered.
const HISTORY_LENGTH: usize = 100;

/// Work of the last completed jobs, in whole microseconds.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// Work by time of completion, then by submission.
    last: VecDeque<u64>,
    /// Work in ascending order.
    sorted: Vec<u64>,
}

impl Outcomes {
    /// Adds completed jobs, given by order of submission.
    pub(super) fn add(&mut self, view: View<'_>, completed: &[JobHandle]) {
        for &job in completed {
            if self.last.len() == HISTORY_LENGTH {
                let oldest = self.last.pop_front().expect("a full history must have an oldest job");
                self.sorted.remove(self.count_shorter(oldest));
            }
            let done = micros(view.job(job).virtual_time());
            self.last.push_back(done);
            self.sorted.insert(self.count_shorter(done), done);
        }
    }

    /// Counts the remembered jobs that did less work.
    fn count_shorter(&self, done: u64) -> usize {
        self.sorted.partition_point(|&other| other < done)
    }

    /// Returns whether a job that has paid `paid` so far may be preempted under `/PAY=most`. Two
    /// conditions must hold: `most` times its virtual time is at least three penalties and at least
    /// what it has paid plus one penalty; and, if at least ten remembered jobs had done as much
    /// work, at most nine tenths of these ended within one further penalty.
    pub(super) fn may_preempt(&self, view: View<'_>, job: JobView<'_>, paid: SimSpan, most: u32) -> bool {
        let (done, penalty) = (job.virtual_time(), view.penalty().micros());
        let costs = paid.micros().max(penalty.saturating_mul(2)).saturating_add(penalty);
        if u128::from(costs) << Yield::BITS > u128::from(most) * done.units() {
            return false;
        }
        let done = micros(done);
        let reached = self.sorted.len() - self.count_shorter(done);
        let went_on = self.sorted.len() - self.count_shorter(done.saturating_add(penalty));
        reached < 10 || reached <= 10 * went_on
    }
}

/// Rescheduling penalties of a job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Penalties {
    /// Total duration of all penalties begun.
    begun: SimSpan,
    /// End of the last penalty.
    until: SimTime,
}

impl Penalties {
    /// Returns the total penalty time served until `now`.
    pub(super) fn paid(self, now: SimTime) -> SimSpan {
        SimSpan::from_micros(self.begun.micros() - self.until.saturating_since(now).micros())
    }

    /// Ends the current penalty, if any, as the job leaves its nodes.
    pub(super) fn end(&mut self, now: SimTime) {
        *self = Penalties { begun: self.paid(now), until: now };
    }

    /// Begins a penalty, as the job resumes or migrates.
    pub(super) fn begin(&mut self, now: SimTime, penalty: SimSpan) {
        *self = Penalties { begun: self.paid(now) + penalty, until: now + penalty };
    }
}

fn micros(done: VirtualTime) -> u64 {
    u64::try_from(done.units() >> Yield::BITS).unwrap_or(u64::MAX)
}
