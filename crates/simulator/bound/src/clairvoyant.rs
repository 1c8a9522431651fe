//! A schedule that knows all run times, as a measure of what policies that do not know them could reach.

use dfrsim_cluster::{
    Decision, JobHandle, JobState, Metrics, NodeRange, Options, Placement, Scheduler, SimulationError,
    Situation, SummaryOptions, View, simulate,
};
use dfrsim_model::{Job, NodeId, Share, SimSpan, SimTime, Yield};

/// How many targets are tried beyond those that double until one is reached.
const HALVINGS: u32 = 7;

/// Returns the largest bounded stretch of the best schedule found that knows all run times and what can be reached.
///
/// Jobs, which are in the order of submission, run at full speed or not at all, keep their memory, and pay the penalty when they
/// resume or move. Each is due when its bounded stretch comes to a target; one that is due before others, has less time to spare than
/// they, or cannot wait any longer, takes their places, by one of four rules. Targets are searched from `bound`
/// ([theorem 1](crate::max_stretch_bound)) up. This is a schedule, not a bound: what is possible lies between the two.
///
/// # Errors
/// A job does not fit the cluster at full speed.
///
/// # Panics
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
            let summary = metrics.summary().expect("there are jobs");
            let max_stretch = summary.bounded_stretch[0].distribution.max;
            best = best.min(max_stretch);
            Ok(max_stretch <= target * (1.0 + 1e-9))
        };
        let (mut low, mut high) = (bound, bound);
        while !reach(high)? && high < 1e6 {
            low = high;
            high *= 2.0;
        }
        for _ in 0..HALVINGS {
            let target = (low * high).sqrt();
            if target <= low || target >= high {
                break;
            }
            if reach(target)? { high = target } else { low = target }
        }
    }
    Ok(best)
}

/// When a job without nodes takes those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// As soon as it is due before them.
    EarliestDue,
    /// As soon as it has less time to spare than they.
    LeastTimeToSpare,
    /// When it has no time to spare.
    AtTheLast,
    /// When it has no time to spare but a penalty.
    BeforeTheLast,
}

impl Rule {
    const ALL: [Rule; 4] = [Rule::EarliestDue, Rule::LeastTimeToSpare, Rule::AtTheLast, Rule::BeforeTheLast];
}

/// Runs jobs so that none exceeds a target of bounded stretch, if it can.
struct Deadlines {
    target: f64,
    tau: SimSpan,
    rule: Rule,
}

/// A job, and by when it is due.
#[derive(Clone, Copy, Debug)]
struct Due {
    job: JobHandle,
    /// When it has to be over.
    due: SimTime,
    /// When it has to go on at the latest for that, with a penalty if it was paused or would be.
    latest: SimTime,
    is_running: bool,
}

#[derive(Clone, Copy, Debug)]
struct Free {
    memory: u32,
    cpu: u32,
}

impl Scheduler for Deadlines {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let (view, now) = (situation.view, situation.view.now());
        let mut free =
            vec![Free { memory: Share::ONE.units(), cpu: Share::ONE.units() }; view.nodes() as usize];
        let all: Vec<Due> = view.jobs().iter().map(|&job| self.due(view, job)).collect();
        let (mut running, mut idle): (Vec<Due>, Vec<Due>) = all.into_iter().partition(|it| it.is_running);
        for it in &running {
            occupy(view, it.job, view.job(it.job).placement(), &mut free);
        }
        // Those with the most time to spare give way first.
        running.sort_by_key(|it| std::cmp::Reverse((it.latest, it.job)));
        idle.sort_by_key(|it| (self.rank(it), view.job(it.job).sequence()));
        let mut evicted: Vec<Due> = Vec::new();
        for it in &idle {
            let mut placement = place(view, it.job, &mut free);
            if placement.is_none() && self.may_displace(now, view.penalty(), it) {
                placement = self.displace(view, it, &mut running, &mut evicted, &mut free);
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
        let next = idle.iter().map(|it| self.last_moment(view.penalty(), it)).filter(|&at| at > now).min();
        if let Some(next) = next {
            decision.wake_at(next);
        }
    }
}

impl Deadlines {
    fn due(&self, view: View<'_>, handle: JobHandle) -> Due {
        let job = view.job(handle);
        let run = job.estimate().expect("run times are known");
        let due = job.submit().saturating_add(run.max(self.tau).scaled(self.target));
        let left = job.remaining_estimate().expect("run times are known");
        let has_begun = job.state() != JobState::Waiting;
        let needed = if has_begun { left + view.penalty() } else { left };
        let latest = SimTime::from_micros(due.micros().saturating_sub(needed.micros()));
        Due { job: handle, due, latest, is_running: job.state() == JobState::Running }
    }

    fn rank(&self, it: &Due) -> SimTime {
        if self.rule == Rule::EarliestDue { it.due } else { it.latest }
    }

    /// From when on a job without nodes takes those of others, where that depends on the time.
    fn last_moment(&self, penalty: SimSpan, it: &Due) -> SimTime {
        match self.rule {
            Rule::BeforeTheLast => SimTime::from_micros(it.latest.micros().saturating_sub(penalty.micros())),
            _ => it.latest,
        }
    }

    fn may_displace(&self, now: SimTime, penalty: SimSpan, it: &Due) -> bool {
        matches!(self.rule, Rule::EarliestDue | Rule::LeastTimeToSpare)
            || self.last_moment(penalty, it) <= now
    }

    /// Takes running jobs that can wait longer off their nodes, until there is room for a job; leaves them if that is not enough.
    fn displace(
        &self,
        view: View<'_>,
        it: &Due,
        running: &mut Vec<Due>,
        evicted: &mut Vec<Due>,
        free: &mut [Free],
    ) -> Option<Vec<NodeRange>> {
        let mut after = free.to_vec();
        let gives_way = |other: &Due| self.rank(other) > self.rank(it);
        let mut off = Vec::new();
        running.iter().enumerate().filter(|(_, other)| gives_way(other)).find(|(at, other)| {
            vacate(view, other.job, &mut after);
            off.push(*at);
            room(view, it.job, &after)
        })?;
        // Those that were not in the way stay, the most urgent first.
        let mut leaving = Vec::new();
        for at in off.into_iter().rev() {
            let other = running[at];
            occupy(view, other.job, view.job(other.job).placement(), &mut after);
            if !room(view, it.job, &after) {
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

/// How many more tasks of a job a node takes at full speed.
fn takes(view: View<'_>, job: JobHandle, node: Free) -> u32 {
    let job = view.job(job);
    let by = |free: u32, each: Share| free.checked_div(each.units()).unwrap_or(u32::MAX);
    by(node.memory, job.memory()).min(by(node.cpu, job.cpu_need()))
}

fn room(view: View<'_>, job: JobHandle, free: &[Free]) -> bool {
    let tasks = u64::from(view.job(job).tasks());
    free.iter().map(|&node| u64::from(takes(view, job, node))).sum::<u64>() >= tasks
}

/// Places the tasks of a job on the fullest nodes that have room.
fn place(view: View<'_>, job: JobHandle, free: &mut [Free]) -> Option<Vec<NodeRange>> {
    if !room(view, job, free) {
        return None;
    }
    let mut order: Vec<usize> = (0..free.len()).filter(|&node| takes(view, job, free[node]) > 0).collect();
    order.sort_by_key(|&node| (u64::from(free[node].memory) + u64::from(free[node].cpu), node));
    let mut left = view.job(job).tasks();
    let mut parts: Vec<NodeRange> = Vec::new();
    for node in order {
        let tasks = takes(view, job, free[node]).min(left);
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

fn occupy(view: View<'_>, job: JobHandle, placement: Placement<'_>, free: &mut [Free]) {
    let job = view.job(job);
    for part in placement {
        let node = &mut free[part.node.index()];
        node.memory -= job.memory().units() * part.tasks;
        node.cpu -= job.cpu_need().units() * part.tasks;
    }
}

fn vacate(view: View<'_>, job: JobHandle, free: &mut [Free]) {
    let job = view.job(job);
    for part in job.placement() {
        let node = &mut free[part.node.index()];
        node.memory += job.memory().units() * part.tasks;
        node.cpu += job.cpu_need().units() * part.tasks;
    }
}
