//! What giving way may cost a job, and what the last jobs say of whether it is worth that: `/PAY`.

use dfrsim_cluster::{JobHandle, JobView, View};
use dfrsim_model::{VirtualTime, Yield};
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

    /// Whether a job may give way under `/PAY=most`: its penalties with this one and one to spare are at most that many times its
    /// virtual time, and of the remembered jobs that had done as much work, at most nine tenths were over within a
    /// penalty more.
    pub(super) fn allow(&self, view: View<'_>, job: JobView<'_>, most: u32) -> bool {
        let (done, penalty) = (job.virtual_time(), view.penalty().micros());
        let paid = (u128::from(job.reschedulings()) + 2) * u128::from(penalty);
        if paid << Yield::BITS > u128::from(most) * done.units() {
            return false;
        }
        let done = micros(done);
        let reached = self.sorted.len() - self.shorter_than(done);
        let went_on = self.sorted.len() - self.shorter_than(done.saturating_add(penalty));
        reached <= 10 * went_on
    }
}

fn micros(done: VirtualTime) -> u64 {
    u64::try_from(done.units() >> Yield::BITS).unwrap_or(u64::MAX)
}
