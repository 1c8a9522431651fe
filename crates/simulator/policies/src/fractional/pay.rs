//! What giving way may cost a job, and what the last jobs say of whether it is worth that: `/PAY`.

use dfrsim_cluster::{JobHandle, JobView, View};
use dfrsim_model::{SimSpan, SimTime, VirtualTime, Yield};
use std::collections::VecDeque;

/// How many of the last completed jobs are remembered.
const REMEMBERED: usize = 100;

/// The work of the last completed jobs, in whole microseconds.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// By completion, and at one moment by submission.
    last: VecDeque<u64>,
    /// The same by length.
    sorted: Vec<u64>,
}

impl Outcomes {
    /// These jobs have completed, by order of submission.
    pub(super) fn add(&mut self, view: View<'_>, completed: &[JobHandle]) {
        for &job in completed {
            if self.last.len() == REMEMBERED {
                let oldest = self.last.pop_front().expect("there are some");
                self.sorted.remove(self.shorter_than(oldest));
            }
            let done = micros(view.job(job).virtual_time());
            self.last.push_back(done);
            self.sorted.insert(self.shorter_than(done), done);
        }
    }

    /// How many of them did less work.
    fn shorter_than(&self, done: u64) -> usize {
        self.sorted.partition_point(|&other| other < done)
    }

    /// Whether a job that has paid this may give way under `/PAY=most`: that many times its virtual time is at least three
    /// penalties and at least what it has paid and one more, and of ten remembered jobs or more that had done as much work, at
    /// most nine tenths were over within a penalty more.
    pub(super) fn allow(&self, view: View<'_>, job: JobView<'_>, paid: SimSpan, most: u32) -> bool {
        let (done, penalty) = (job.virtual_time(), view.penalty().micros());
        let costs = paid.micros().max(penalty.saturating_mul(2)).saturating_add(penalty);
        if u128::from(costs) << Yield::BITS > u128::from(most) * done.units() {
            return false;
        }
        let done = micros(done);
        let reached = self.sorted.len() - self.shorter_than(done);
        let went_on = self.sorted.len() - self.shorter_than(done.saturating_add(penalty));
        reached < 10 || reached <= 10 * went_on
    }
}

/// The penalties of a job.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Penalties {
    /// What all of them take.
    begun: SimSpan,
    /// When the last one is over.
    until: SimTime,
}

impl Penalties {
    /// How long they have taken.
    pub(super) fn paid(self, now: SimTime) -> SimSpan {
        SimSpan::from_micros(self.begun.micros() - self.until.saturating_since(now).micros())
    }

    /// The job leaves its nodes, and a penalty that is not over ends.
    pub(super) fn end(&mut self, now: SimTime) {
        *self = Penalties { begun: self.paid(now), until: now };
    }

    /// It goes on.
    pub(super) fn begin(&mut self, now: SimTime, penalty: SimSpan) {
        *self = Penalties { begun: self.paid(now) + penalty, until: now + penalty };
    }
}

fn micros(done: VirtualTime) -> u64 {
    u64::try_from(done.units() >> Yield::BITS).unwrap_or(u64::MAX)
}
