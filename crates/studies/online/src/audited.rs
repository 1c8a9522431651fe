//! A simulation followed by the independent checker.

use dfrsim_audit::{Auditor, Faults};
use dfrsim_cluster::{Metrics, Observer, Occurrence, Options, SummaryOptions, records};
use dfrsim_model::{SimSpan, SimTime};

/// An observer that gives every record to the [`Auditor`] while the simulation runs; no file is written.
pub(crate) struct Audited {
    auditor: Auditor,
    /// Of all jobs: the audit knows nothing of trimming.
    metrics: Metrics,
}

impl Audited {
    pub(crate) fn new(policy: &str, nodes: u32, options: &Options, tau: SimSpan) -> Result<Audited, Faults> {
        let auditor = Auditor::begin(&records::run(policy, nodes, options.penalty, tau))?;
        let auditor = auditor.with_clock(options.clock);
        let metrics = Metrics::new(SummaryOptions { taus: vec![tau], ..SummaryOptions::new(nodes) });
        Ok(Audited { auditor, metrics })
    }

    /// What is wrong with the schedule, or with the metrics of all of its jobs.
    pub(crate) fn verdict(mut self) -> Result<(), Faults> {
        if let Some(summary) = self.metrics.summary() {
            self.auditor.record(&summary.record());
        }
        self.auditor.finish().map(drop)
    }
}

impl Observer for Audited {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.auditor.record(&occurrence.record(now, job));
        self.metrics.observe(now, job, occurrence);
    }
}
