//! Earliest deadline first with resident jobs.

use dfrsim_cluster::{Decision, FreeNodes, JobHandle, Scheduler, Situation, View, decide_for_residents};
use dfrsim_model::{SimSpan, SimTime};
use std::fmt;

/// Beginning of the name; the target follows.
const NAME: &str = "EDF/STRETCH=";
/// Shortest time from which a deadline is counted: the tau of the bounded stretch.
const SHORTEST: SimSpan = SimSpan::from_secs(10);

/// Order by deadline: submission + target * estimated run time, of at least 10 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EarliestDue {
    /// Bounded stretch that a job has if it ends at its deadline, at least 1.
    stretch: u32,
}

impl EarliestDue {
    /// Order that the catalogue lists.
    pub(crate) const LISTED: EarliestDue = EarliestDue { stretch: 20 };

    /// Parses a name; `None` if it is none of these.
    pub(crate) fn parse(name: &str) -> Option<EarliestDue> {
        let stretch = name.strip_prefix(NAME)?.parse().ok().filter(|stretch| *stretch > 0)?;
        // Each policy has one name.
        Some(EarliestDue { stretch }).filter(|it| it.to_string() == name)
    }

    /// Returns a one-line description.
    pub(crate) fn description(self) -> String {
        let stretch = self.stretch;
        format!(
            "full speed for the earliest deadline, submission + {stretch} * estimate; the others stay in memory"
        )
    }

    /// Returns the deadline of a job; `None` if it has no estimate.
    fn due(self, view: View<'_>, job: JobHandle) -> Option<SimTime> {
        let seen = view.job(job);
        let allowed = seen.estimate()?.max(SHORTEST).micros().saturating_mul(self.stretch.into());
        Some(seen.submit().saturating_add(SimSpan::from_micros(allowed)))
    }
}

impl fmt::Display for EarliestDue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}{}", self.stretch)
    }
}

/// Scheduler that gives the CPU to jobs by deadline; jobs on nodes stay in memory, and
/// [leave](decide_for_residents) only for the memory, or the licences, of a job that is due before them. A
/// power cap counts as the CPU of nodes does: jobs for which no power is left stay at a yield of 0.
///
/// A job that does not fit the empty cluster is rejected. Nodes that are down are not used; wrong CPU
/// needs and jobs without an estimate are refused.
#[derive(Debug)]
pub struct EarliestDueScheduler(EarliestDue);

impl EarliestDueScheduler {
    /// Creates the scheduler of an order.
    #[must_use]
    pub fn new(order: EarliestDue) -> EarliestDueScheduler {
        EarliestDueScheduler(order)
    }
}

impl Scheduler for EarliestDueScheduler {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let (view, order) = (situation.view, self.0);
        if !situation.discovered.is_empty() {
            decision.fail(format!("{order} is for exact CPU needs"));
            return;
        }
        let all = FreeNodes::all(view);
        let fits_none = |job: &JobHandle| !all.fits(view, *job);
        let rejected: Vec<JobHandle> = situation.submitted.iter().copied().filter(fits_none).collect();
        rejected.iter().for_each(|&job| decision.reject(job));
        let mut jobs: Vec<(SimTime, JobHandle)> = Vec::new();
        for &job in view.jobs().iter().filter(|job| !rejected.contains(job)) {
            let Some(due) = order.due(view, job) else {
                let id = view.job(job).id();
                decision.fail(format!("{order} needs estimates of run times, and job {id} has none"));
                return;
            };
            jobs.push((due, job));
        }
        jobs.sort_by_key(|&(due, job)| (due, view.job(job).sequence()));
        let ranked: Vec<JobHandle> = jobs.into_iter().map(|(_, job)| job).collect();
        decide_for_residents(view, &ranked, decision);
        let step = view.classes().and_then(|classes| classes.next_common_step(view.now()));
        if let Some(step) = step.filter(|_| !ranked.is_empty()) {
            decision.wake_at(step);
        }
    }
}
