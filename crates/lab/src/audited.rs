//! A simulation under the eyes of the independent checker.

use dfrsim_audit::{Auditor, Faults};
use dfrsim_cluster::{Metrics, Observer, Occurrence, SummaryOptions, records};
use dfrsim_model::{SimSpan, SimTime};

/// An observer that hands every record to the [`Auditor`] while the simulation runs: no file is written.
pub(crate) struct Audited {
    auditor: Auditor,
    nodes: u32,
}

impl Audited {
    pub(crate) fn new(policy: &str, nodes: u32, penalty: SimSpan) -> Result<Audited, Faults> {
        Ok(Audited { auditor: Auditor::begin(&records::run(policy, nodes, penalty))?, nodes })
    }

    /// What is wrong with the schedule, or with the figures that the metrics make of all of its jobs.
    pub(crate) fn verdict(mut self, metrics: &Metrics, tau: SimSpan) -> Result<(), Faults> {
        let options = SummaryOptions { taus: vec![tau], ..SummaryOptions::new(self.nodes) };
        if let Some(summary) = metrics.summary(&options) {
            self.auditor.record(&summary.record());
        }
        self.auditor.finish().map(drop)
    }
}

impl Observer for Audited {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.auditor.record(&occurrence.record(now, job));
    }
}
