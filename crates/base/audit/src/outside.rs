//! Cluster of a grid: its jobs can also be withdrawn by a meta-scheduler, and it decides several
//! times at one time.

use crate::auditor::Auditor;
use crate::head::{Rank, RecordHead};
use crate::policy::CheckedPolicy;
use crate::{Faults, Phase};
use dfrsim_model::batch::{Backfilling, BatchPolicy, Compression, QueueOrder};
use dfrsim_model::event::{FORMAT_VERSION, Record};

impl Auditor {
    /// Creates the auditor of a cluster with this number of nodes under a batch policy, whose
    /// decisions are checked if the policy is known.
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
            kills_at_estimates: false,
        };
        let mut auditor = Auditor::begin(&run)?;
        let policy = BatchPolicy::parse(policy);
        auditor.cluster_policy = policy;
        policy.into_iter().for_each(|policy| auditor.set_check(CheckedPolicy::Batch(policy)));
        auditor.check.iter_mut().for_each(|check| check.join_grid());
        Ok(auditor)
    }

    /// Checks a record that is at this line of a file with records of several clusters.
    pub fn record_at(&mut self, line: u64, record: &Record<'_>) {
        self.line = line - 1;
        self.record(record);
    }
    /// Ends a decision before a job joins or leaves the queue, if jobs started in it or the next
    /// decision depends on it. Under a policy without reservations only the last decision at a time
    /// counts.
    pub fn begin_pass(&mut self, at: u64, decided: bool) {
        let counts = self.limits.is_some()
            || self.cluster_policy.is_none_or(|policy| match policy.backfilling {
                Backfilling::Fcfs | Backfilling::FirstFit | Backfilling::Easy | Backfilling::TwoQueues => {
                    false
                }
                Backfilling::Conservative(Compression::OneByOne | Compression::Plan(_))
                | Backfilling::Slurm => true,
                Backfilling::Conservative(Compression::Replan) => policy.order != QueueOrder::Arrival,
            });
        // A decision without a record is judged before the job leaves, too.
        if at > self.now && decided && counts {
            let head = RecordHead { at, job: None, name: "decide", rank: Rank::Completion };
            self.advance(head);
        }
        if at == self.now && (decided && counts || self.rank == Rank::Change) {
            self.settle();
            self.rank = Rank::Completion;
        }
    }

    /// Withdraws an unfinished job in any phase, by a record at this line of the file.
    pub fn withdraw(&mut self, line: u64, at: u64, number: u64) {
        self.line = line;
        let head = RecordHead { at, job: Some(number), name: "cancel", rank: Rank::Submission };
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
