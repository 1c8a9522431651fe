//! A cluster of a grid: its jobs also leave by the word of a program above it, and it decides several times in a moment.

use crate::auditor::{Auditor, Rank};
use crate::batch::{BatchPolicy, Depth, Order};
use crate::policy::{CheckedPolicy, PolicyCheck};
use crate::{Fault, Faults, Phase, Rule};
use dfrsim_model::SimTime;
use dfrsim_model::event::{FORMAT_VERSION, Record};

impl Auditor {
    /// Begins with a cluster of this many nodes under a batch policy, which is judged if it is known.
    pub(crate) fn of_cluster(policy: &str, nodes: u32) -> Result<Auditor, Faults> {
        let (penalty_us, tau_us) = (0, 10_000_000);
        let run = Record::Run {
            format: FORMAT_VERSION,
            policy: policy.into(),
            nodes,
            penalty_us,
            tau_us,
            options: None,
        };
        let mut auditor = Auditor::begin(&run)?;
        let policy = BatchPolicy::parse(policy);
        auditor.outside = policy;
        auditor.check = policy.map(|policy| CheckedPolicy::Batch(policy).check(nodes));
        Ok(auditor)
    }

    /// The next record is this line of a file with others too.
    pub(crate) fn go_to_line(&mut self, line: u64) {
        self.line = line - 1;
    }
    /// A job joins or leaves the queue next. If a decision came before in which jobs started, or on which the next one depends, it is over:
    /// of a policy without reservations the last decision of a moment is the only one that counts.
    pub(crate) fn begin_pass(&mut self, at: u64, decided: bool) {
        let counts = self.limits.is_some()
            || self.outside.is_none_or(|policy| match policy.depth {
                Depth::Fcfs | Depth::Easy => false,
                Depth::Spare | Depth::Conservative => true,
                Depth::Replan => policy.order != Order::Arrival,
            });
        if at == self.now && (decided && counts || self.rank == Rank::Change) {
            self.settle();
            self.rank = Rank::Completion;
        }
    }

    /// A job leaves in any state, and is not done.
    pub(crate) fn withdraw(&mut self, at: u64, number: u64) {
        if !self.jobs.contains_key(&number) || !self.advance(at, Rank::Submission, number, "cancel") {
            return;
        }
        let Some(job) = self.leave(number) else { return };
        if job.phase == Phase::Running {
            if let Some(check) = &mut self.check {
                check.complete(number, at);
            }
            if let Some(limits) = &mut self.limits {
                limits.end(number);
            }
            return;
        }
        if let Some(PolicyCheck::Batch(batch)) = &mut self.check {
            batch.withdraw(number);
        }
    }

    /// The faults that were found, when the file ends.
    pub(crate) fn end(mut self, at: u64) -> Faults {
        self.advance(at.max(self.now), Rank::Completion, None, "summary");
        self.settle();
        for (number, phase) in self.jobs.iter().map(|(&number, job)| (number, job.phase)) {
            let rule = Rule::Unfinished { phase };
            let at = Some(SimTime::from_micros(self.now));
            self.faults.push(Fault { line: self.line, at, job: Some(number), rule });
        }
        self.faults
    }
}
