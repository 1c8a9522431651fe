//! Runs of a simulation under the independent auditor.

use dfrsim_audit::fractional::FractionalPolicy;
use dfrsim_audit::{Auditor, CheckedPolicy, Faults};
use dfrsim_cluster::{
    CommonMetrics, EnergyMetrics, Metrics, Observer, Occurrence, Options, PlatformChange, SummaryOptions,
    records,
};
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_policies::{Policy, PolicyOptions, Setup};

/// Observer that passes every record to the [`Auditor`] while the simulation runs. No file is
/// written.
pub(crate) struct Audited {
    auditor: Auditor,
    /// Metrics of all jobs: the audit ignores warm-up and cool-down.
    metrics: Metrics,
    energy: Option<EnergyMetrics>,
    common: Option<CommonMetrics>,
}

impl Audited {
    pub(crate) fn new(setup: &Setup) -> Result<Audited, Faults> {
        let Setup { policy, parameters, options, site, figures, .. } = setup;
        let (name, nodes, tau) = (policy.to_string(), figures.nodes, figures.taus[0]);
        let rules = (options.penalty, options.overrun);
        let auditor = Auditor::begin(&records::run(&name, nodes, rules, tau, (None, None)))?;
        let mut auditor = auditor.with_clock(options.clock);
        // The auditor's policy rules assume exact time, so they do not apply to a simulation with a
        // clock.
        if let Some(checked) = checked_policy(*policy, parameters).filter(|_| options.clock.is_none()) {
            auditor = auditor.with_policy(checked);
        }
        let Options { outages, unequal, .. } = options;
        let before = records::conditions(outages.as_deref(), unequal.as_deref(), site.as_deref());
        before.iter().for_each(|record| auditor.record(record));
        let (taus, all) = (vec![tau], SimSpan::ZERO);
        let figures = SummaryOptions { taus, warm_up: all, cool_down: all, ..figures.clone() };
        let classes = unequal.as_ref().map(|unequal| &unequal.classes);
        Ok(Audited {
            auditor,
            metrics: Metrics::new(figures),
            energy: classes.and_then(EnergyMetrics::new),
            common: classes.and_then(CommonMetrics::new),
        })
    }

    /// Checks the schedule and the metrics of all of its jobs, and returns the violations.
    pub(crate) fn verdict(mut self) -> Result<(), Faults> {
        let figures = records::figures(self.energy.as_ref(), self.common.as_ref());
        figures.iter().for_each(|record| self.auditor.record(record));
        if let Some(summary) = self.metrics.summary() {
            self.auditor.record(&summary.record());
        }
        self.auditor.finish().map(drop)
    }
}

/// Returns the policy if the auditor knows its rules. It knows those of fractional policies only
/// with default parameters.
fn checked_policy(policy: Policy, parameters: &PolicyOptions) -> Option<CheckedPolicy> {
    let checked = match policy {
        Policy::Batch(batch) => CheckedPolicy::Batch(batch),
        Policy::Equipartition => {
            CheckedPolicy::Fractional(FractionalPolicy::equipartition(parameters.period))
        }
        Policy::Fractional(parts) => {
            CheckedPolicy::Fractional(FractionalPolicy::new(parts, parameters.period))
        }
        Policy::Ranked(_) | Policy::EarliestDue(_) | Policy::Gang => {
            CheckedPolicy::FullSpeed(policy.to_string().parse().ok()?)
        }
        Policy::Custom(_) => return None,
    };
    Some(checked).filter(|_| policy.unusual_options(parameters).is_none())
}

impl Observer for Audited {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.auditor.record(&occurrence.record(now, job));
        self.metrics.observe(now, job, occurrence);
        self.energy.observe(now, job, occurrence);
        self.common.observe(now, job, occurrence);
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.auditor.record(&change.record(now));
        self.metrics.observe_platform(now, change);
        self.energy.observe_platform(now, change);
        self.common.observe_platform(now, change);
    }
}
