//! Clairvoyant schedule, as an estimate of what policies without knowledge of run times could reach.

use dfrsim_cluster::{
    Decision, FreeNodes, JobHandle, JobState, Metrics, NodeOrder, NodeRange, Options, Scheduler,
    SimulationError, Situation, SummaryOptions, View, decide_for_residents, simulate,
};
use dfrsim_model::{Job, SimSpan, SimTime, Yield};

/// Maximum number of bisection steps after the target has been doubled until it was reached.
const MAX_BISECTIONS: u32 = 7;

/// Returns the maximum bounded stretch of the best schedule found by a scheduler that knows all run
/// times.
///
/// Jobs, which must be in order of submission, run at full speed or not at all, keep their memory,
/// and pay the penalty when they resume or migrate. A target for the bounded stretch gives each job
/// a due time. A job can preempt others by one of four rules: if it is due before them, if it has
/// less slack than they have, or if it cannot wait any longer. By a fifth rule, jobs that are due
/// later stay on their nodes at a yield of 0 as long as memory allows it, so that they need not pay
/// for their return. Targets are searched upwards from `bound`
/// ([theorem 1](crate::max_stretch_bound)). The result is that of a schedule, not a bound: the optimum
/// is between the two.
///
/// # Errors
///
/// A job does not fit the cluster at full speed.
///
/// # Panics
///
/// If there are no jobs.
pub fn clairvoyant_stretch(
    jobs: &[Job],
    nodes: u32,
    penalty: SimSpan,
    tau: SimSpan,
    bound: f64,
) -> Result<f64, SimulationError> {
    let mut best = f64::INFINITY;
    for rule in Rule::ALL {
        let mut reach = |target: f64| -> Result<bool, SimulationError> {
            let mut scheduler = Deadlines { target, tau, rule };
            let options = Options { penalty, ..Options::default() };
            let mut metrics = Metrics::new(SummaryOptions { taus: vec![tau], ..SummaryOptions::new(nodes) });
            simulate(nodes, &options, jobs.iter().cloned(), &mut scheduler, &mut metrics)?;
            let summary = metrics.summary().expect("a simulation with jobs must have a summary");
            let max_stretch = summary.bounded_stretch[0].distribution.max;
            best = best.min(max_stretch);
            Ok(max_stretch <= target * (1.0 + 1e-9))
        };
        let (mut low, mut high) = (bound, bound);
        while !reach(high)? && high < 1e6 {
            low = high;
            high *= 2.0;
        }
        for _ in 0..MAX_BISECTIONS {
            let target = (low * high).sqrt();
            if target <= low || target >= high {
                break;
            }
            if reach(target)? { high = target } else { low = target }
        }
    }
    Ok(best)
}

/// Condition under which a job without nodes preempts others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The job is due before them.
    EarliestDue,
    /// The job has less slack than they have.
    LeastSlack,
    /// The job has no slack left.
    AtLatestStart,
    /// The job has at most one penalty of slack left.
    PenaltyBeforeLatestStart,
    /// The job is due before them, and they stay in memory at a yield of 0 if there is room.
    EarliestDueResident,
}

impl Rule {
    const ALL: [Rule; 5] = [
        Rule::EarliestDue,
        Rule::LeastSlack,
        Rule::AtLatestStart,
        Rule::PenaltyBeforeLatestStart,
        Rule::EarliestDueResident,
    ];
}

/// Scheduler that tries to keep the bounded stretch of every job at or below a target.
struct Deadlines {
    target: f64,
    tau: SimSpan,
    rule: Rule,
}

/// A job and its due time.
#[derive(Clone, Copy, Debug)]
struct DueJob {
    job: JobHandle,
    /// Latest permitted end.
    due: SimTime,
    /// Latest start or resumption that meets the due time, including a penalty if the job has been
    /// started before.
    latest: SimTime,
    is_running: bool,
}

impl Scheduler for Deadlines {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        if self.rule == Rule::EarliestDueResident {
            self.decide_resident(situation.view, decision);
        } else {
            self.decide_exclusive(situation.view, decision);
        }
    }
}

/// Starts or resumes a job at full speed.
fn run(view: View<'_>, job: JobHandle, on: Vec<NodeRange>, decision: &mut Decision) {
    if view.job(job).state() == JobState::Waiting {
        decision.start(job, on, Yield::ONE);
    } else {
        decision.resume(job, on, Yield::ONE);
    }
}

impl Deadlines {
    /// Runs jobs at full speed; those that give way leave their nodes.
    fn decide_exclusive(&self, view: View<'_>, decision: &mut Decision) {
        let now = view.now();
        let mut free = FreeNodes::besides_running(view);
        let all: Vec<DueJob> = view.jobs().iter().map(|&job| self.due(view, job)).collect();
        let (mut running, mut idle): (Vec<DueJob>, Vec<DueJob>) =
            all.into_iter().partition(|it| it.is_running);
        // Jobs with the most slack are preempted first.
        running.sort_by_key(|it| std::cmp::Reverse((it.latest, it.job)));
        idle.sort_by_key(|it| (self.rank(it), view.job(it.job).sequence()));
        let mut evicted: Vec<DueJob> = Vec::new();
        for it in &idle {
            let mut placement = free.place(view, it.job, NodeOrder::Fullest);
            if placement.is_none() && self.may_preempt(now, view.penalty(), it) {
                placement = self.preempt(view, it, &mut running, &mut evicted, &mut free);
            }
            if let Some(on) = placement {
                run(view, it.job, on, decision);
            }
        }
        evicted.sort_by_key(|it| (it.latest, it.job));
        for it in evicted {
            match free.place(view, it.job, NodeOrder::Fullest) {
                Some(on) => decision.migrate(it.job, on, Yield::ONE),
                None => decision.pause(it.job),
            }
        }
        let next = idle.iter().map(|it| self.takeover_time(view.penalty(), it)).filter(|&at| at > now).min();
        if let Some(next) = next {
            decision.wake_at(next);
        }
    }

    /// Gives the CPU to jobs by due time, and keeps those on nodes in memory.
    fn decide_resident(&self, view: View<'_>, decision: &mut Decision) {
        let mut jobs: Vec<DueJob> = view.jobs().iter().map(|&job| self.due(view, job)).collect();
        jobs.sort_by_key(|it| (it.due, view.job(it.job).sequence()));
        let ranked: Vec<JobHandle> = jobs.into_iter().map(|it| it.job).collect();
        decide_for_residents(view, &ranked, decision);
    }

    fn due(&self, view: View<'_>, handle: JobHandle) -> DueJob {
        let job = view.job(handle);
        let run = job.estimate().expect("the estimate must be known");
        let due = job.submit().saturating_add(run.max(self.tau).scaled(self.target));
        let left = job.remaining_estimate().expect("the estimate must be known");
        let has_begun = job.state() != JobState::Waiting;
        let needed = if has_begun { left + view.penalty() } else { left };
        let latest = SimTime::from_micros(due.micros().saturating_sub(needed.micros()));
        DueJob { job: handle, due, latest, is_running: job.state() == JobState::Running }
    }

    fn rank(&self, it: &DueJob) -> SimTime {
        if self.rule == Rule::EarliestDue { it.due } else { it.latest }
    }

    /// Returns the time from which a job without nodes preempts others, under the rules that depend
    /// on time.
    fn takeover_time(&self, penalty: SimSpan, it: &DueJob) -> SimTime {
        match self.rule {
            Rule::PenaltyBeforeLatestStart => {
                SimTime::from_micros(it.latest.micros().saturating_sub(penalty.micros()))
            }
            _ => it.latest,
        }
    }

    fn may_preempt(&self, now: SimTime, penalty: SimSpan, it: &DueJob) -> bool {
        matches!(self.rule, Rule::EarliestDue | Rule::LeastSlack) || self.takeover_time(penalty, it) <= now
    }

    /// Preempts running jobs of lower urgency until the job fits; changes nothing if that does not
    /// suffice.
    fn preempt(
        &self,
        view: View<'_>,
        it: &DueJob,
        running: &mut Vec<DueJob>,
        evicted: &mut Vec<DueJob>,
        free: &mut FreeNodes,
    ) -> Option<Vec<NodeRange>> {
        let gives_way = |other: &&DueJob| self.rank(other) > self.rank(it);
        let candidates: Vec<JobHandle> = running.iter().filter(gives_way).map(|other| other.job).collect();
        let victims = free.victims(view, it.job, &candidates)?;
        for victim in victims.into_iter().map(|at| candidates[at]) {
            free.vacate(view, victim, view.job(victim).placement());
            let place = running.iter().position(|other| other.job == victim)?;
            evicted.push(running.remove(place));
        }
        free.place(view, it.job, NodeOrder::Fullest)
    }
}
