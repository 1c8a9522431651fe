//! Clairvoyant schedule, as an estimate of what policies without knowledge of run times could reach.

use dfrsim_cluster::{
    Decision, JobHandle, JobState, Metrics, NodeRange, Options, Placement, Scheduler, SimulationError,
    Situation, SummaryOptions, View, simulate,
};
use dfrsim_model::{Job, NodeId, Share, SimSpan, SimTime, Yield};

/// Maximum number of bisection steps after the target has been doubled until it was reached.
const MAX_BISECTIONS: u32 = 7;

/// Returns the maximum bounded stretch of the best schedule found by a scheduler that knows all run
/// times.
///
/// Jobs, which must be in order of submission, run at full speed or not at all, keep their memory,
/// and pay the penalty when they resume or migrate. A target for the bounded stretch gives each job
/// a due time. A job can preempt others by one of four rules: if it is due before them, if it has
/// less slack than they have, or if it cannot wait any longer. Targets are searched upwards from
/// `bound` ([theorem 1](crate::max_stretch_bound)). The result is that of a schedule, not a bound:
/// the optimum is between the two.
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
}

impl Rule {
    const ALL: [Rule; 4] =
        [Rule::EarliestDue, Rule::LeastSlack, Rule::AtLatestStart, Rule::PenaltyBeforeLatestStart];
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

#[derive(Clone, Copy, Debug)]
struct FreeCapacity {
    memory: u32,
    cpu: u32,
}

impl Scheduler for Deadlines {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let (view, now) = (situation.view, situation.view.now());
        let mut free =
            vec![FreeCapacity { memory: Share::ONE.units(), cpu: Share::ONE.units() }; view.nodes() as usize];
        let all: Vec<DueJob> = view.jobs().iter().map(|&job| self.due(view, job)).collect();
        let (mut running, mut idle): (Vec<DueJob>, Vec<DueJob>) =
            all.into_iter().partition(|it| it.is_running);
        for it in &running {
            occupy(view, it.job, view.job(it.job).placement(), &mut free);
        }
        // Jobs with the most slack are preempted first.
        running.sort_by_key(|it| std::cmp::Reverse((it.latest, it.job)));
        idle.sort_by_key(|it| (self.rank(it), view.job(it.job).sequence()));
        let mut evicted: Vec<DueJob> = Vec::new();
        for it in &idle {
            let mut placement = place(view, it.job, &mut free);
            if placement.is_none() && self.may_preempt(now, view.penalty(), it) {
                placement = self.preempt(view, it, &mut running, &mut evicted, &mut free);
            }
            match placement {
                Some(on) if view.job(it.job).state() == JobState::Waiting => {
                    decision.start(it.job, on, Yield::ONE);
                }
                Some(on) => decision.resume(it.job, on, Yield::ONE),
                None => {}
            }
        }
        evicted.sort_by_key(|it| (it.latest, it.job));
        for it in evicted {
            match place(view, it.job, &mut free) {
                Some(on) => decision.migrate(it.job, on, Yield::ONE),
                None => decision.pause(it.job),
            }
        }
        let next = idle.iter().map(|it| self.takeover_time(view.penalty(), it)).filter(|&at| at > now).min();
        if let Some(next) = next {
            decision.wake_at(next);
        }
    }
}

impl Deadlines {
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
        free: &mut [FreeCapacity],
    ) -> Option<Vec<NodeRange>> {
        let mut after = free.to_vec();
        let gives_way = |other: &DueJob| self.rank(other) > self.rank(it);
        let mut off = Vec::new();
        running.iter().enumerate().filter(|(_, other)| gives_way(other)).find(|(at, other)| {
            vacate(view, other.job, &mut after);
            off.push(*at);
            fits(view, it.job, &after)
        })?;
        // Victims that turn out to be unnecessary keep their nodes, the most urgent first.
        let mut leaving = Vec::new();
        for at in off.into_iter().rev() {
            let other = running[at];
            occupy(view, other.job, view.job(other.job).placement(), &mut after);
            if !fits(view, it.job, &after) {
                vacate(view, other.job, &mut after);
                leaving.push(at);
            }
        }
        leaving.sort_unstable();
        evicted.extend(leaving.into_iter().rev().map(|at| running.remove(at)));
        free.copy_from_slice(&after);
        place(view, it.job, free)
    }
}

/// Counts the further tasks of a job that fit on a node at full speed.
fn tasks_that_fit(view: View<'_>, job: JobHandle, node: FreeCapacity) -> u32 {
    let job = view.job(job);
    let by = |free: u32, each: Share| free.checked_div(each.units()).unwrap_or(u32::MAX);
    by(node.memory, job.memory()).min(by(node.cpu, job.cpu_need()))
}

fn fits(view: View<'_>, job: JobHandle, free: &[FreeCapacity]) -> bool {
    let tasks = u64::from(view.job(job).tasks());
    free.iter().map(|&node| u64::from(tasks_that_fit(view, job, node))).sum::<u64>() >= tasks
}

/// Places the tasks of a job on the fullest nodes where they fit.
fn place(view: View<'_>, job: JobHandle, free: &mut [FreeCapacity]) -> Option<Vec<NodeRange>> {
    if !fits(view, job, free) {
        return None;
    }
    let mut order: Vec<usize> =
        (0..free.len()).filter(|&node| tasks_that_fit(view, job, free[node]) > 0).collect();
    order.sort_by_key(|&node| (u64::from(free[node].memory) + u64::from(free[node].cpu), node));
    let mut left = view.job(job).tasks();
    let mut parts: Vec<NodeRange> = Vec::new();
    for node in order {
        let tasks = tasks_that_fit(view, job, free[node]).min(left);
        parts.push(NodeRange { first: NodeId(node as u32), nodes: 1, tasks });
        left -= tasks;
        if left == 0 {
            break;
        }
    }
    parts.sort_unstable_by_key(|part| part.first);
    occupy(view, job, Placement::new(&parts), free);
    Some(parts)
}

fn occupy(view: View<'_>, job: JobHandle, placement: Placement<'_>, free: &mut [FreeCapacity]) {
    let job = view.job(job);
    for part in placement {
        let node = &mut free[part.node.index()];
        node.memory -= job.memory().units() * part.tasks;
        node.cpu -= job.cpu_need().units() * part.tasks;
    }
}

fn vacate(view: View<'_>, job: JobHandle, free: &mut [FreeCapacity]) {
    let job = view.job(job);
    for part in job.placement() {
        let node = &mut free[part.node.index()];
        node.memory += job.memory().units() * part.tasks;
        node.cpu += job.cpu_need().units() * part.tasks;
    }
}
