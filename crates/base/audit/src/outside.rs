//! A cluster of a grid: its jobs also leave by the word of a program above it, and it decides several times in a moment.

use crate::auditor::Auditor;
use crate::head::{Head, Rank};
use crate::policy::CheckedPolicy;
use crate::{Faults, Phase};
use dfrsim_model::batch::{BatchPolicy, Compression, Discipline, QueueOrder};
use dfrsim_model::event::{FORMAT_VERSION, Record};

impl Auditor {
    /// Begins with a cluster of this many nodes under a batch policy, which is judged if it is known.
    pub fn of_cluster(policy: &str, nodes: u32) -> Result<Auditor, Faults> {
        let (penalty_us, tau_us) = (0, 10_000_000);
        let run = Record::Run {
            format: FORMAT_VERSION,
            policy: policy.into(),
            nodes,
            penalty_us,
            tau_us,
            options: None,
            period_us: None,
        };
        let mut auditor = Auditor::begin(&run)?;
        let policy = BatchPolicy::parse(policy);
        auditor.outside = policy;
        policy.into_iter().for_each(|policy| auditor.judge_by(CheckedPolicy::Batch(policy)));
        Ok(auditor)
    }

    /// Takes in a record that is this line of a file with others too.
    pub fn record_at(&mut self, line: u64, record: &Record<'_>) {
        self.line = line - 1;
        self.record(record);
    }
    /// A job joins or leaves the queue next. If a decision came before in which jobs started, or on which the next one depends, it is over:
    /// of a policy without reservations the last decision of a moment is the only one that counts.
    pub fn begin_pass(&mut self, at: u64, decided: bool) {
        let counts = self.limits.is_some()
            || self.outside.is_none_or(|policy| match policy.discipline {
                Discipline::Fcfs | Discipline::Easy => false,
                Discipline::Spare | Discipline::Conservative(Compression::OneByOne) | Discipline::Slurm => {
                    true
                }
                Discipline::Conservative(Compression::Replan) => policy.order != QueueOrder::Arrival,
            });
        if at == self.now && (decided && counts || self.rank == Rank::Change) {
            self.settle();
            self.rank = Rank::Completion;
        }
    }

    /// A job leaves in any state by a line of that file, and is not done.
    pub fn withdraw(&mut self, line: u64, at: u64, number: u64) {
        self.line = line;
        let head = Head { at, job: Some(number), name: "cancel", rank: Rank::Submission };
        if !self.jobs.contains_key(&number) || !self.advance(head) {
            return;
        }
        let Some(job) = self.leave(number) else { return };
        self.check.iter_mut().for_each(|check| match job.phase {
            Phase::Running => check.complete(number, at, &job),
            _ => check.withdraw(number, at),
        });
    }
}
