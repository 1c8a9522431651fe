//! The rules that a decision must keep.

use crate::decision::{Change, Decision, Verb};
use crate::job_table::JobTable;
use crate::node_loads::{Excess, NodeLoads};
use crate::platform::Platform;
use crate::unequal::Unequal;
use crate::{JobHandle, JobState, Placement};
use dfrsim_model::{Job, JobId, NodeId, SimTime};
use std::fmt;
use std::sync::Arc;

/// A rule that a decision broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Each job may be named once in a decision.
    NamedOnce,
    /// The job is in no state in which this can be done to it: (what was asked, its state).
    State(&'static str, JobState),
    /// The tasks placed must be the tasks of the job: (placed, has).
    TaskCount(u64, u32),
    /// The nodes of a placement must rise, each with at least one task.
    RisingNodes,
    /// The node must exist.
    KnownNode(NodeId),
    /// The node must be up.
    NodeUp(NodeId),
    /// The tasks on a node must fit its memory.
    Memory(NodeId),
    /// The CPU given to the tasks on a node must not exceed the node.
    Cpu(NodeId),
    /// What tasks use of a resource of a node must not exceed what it has.
    Resource(NodeId, Arc<str>),
    /// A node must have the features that a job asks for.
    Feature(NodeId, Arc<str>),
    /// A wake-up must lie in the future.
    FutureWakeUp(SimTime),
    /// A job that the policy submits must have tasks and a run time, and arrive in the future.
    FutureSubmission(SimTime),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::NamedOnce => f.write_str("a decision may name a job once"),
            Rule::State(verb, state) => write!(f, "a job that is {state:?} cannot be asked to {verb}"),
            Rule::TaskCount(placed, has) => write!(f, "{placed} tasks were placed of a job that has {has}"),
            Rule::RisingNodes => {
                f.write_str("the nodes of a placement must rise, with at least one task each")
            }
            Rule::KnownNode(node) => write!(f, "there is no node {node}"),
            Rule::NodeUp(node) => write!(f, "node {node} is down"),
            Rule::Memory(node) => write!(f, "the memory of node {node} is exceeded"),
            Rule::Cpu(node) => write!(f, "the CPU of node {node} is exceeded"),
            Rule::Resource(node, name) => write!(f, "the {name} of node {node} is exceeded"),
            Rule::Feature(node, name) => write!(f, "node {node} does not have the feature {name}"),
            Rule::FutureWakeUp(time) => write!(f, "a wake-up at {time} s is not in the future"),
            Rule::FutureSubmission(time) => write!(
                f,
                "a job that a policy submits must have tasks and a run time, and arrive in the future, not at {time} s"
            ),
        }
    }
}

/// A decision that cannot be applied: which rule it breaks, for which job, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The moment of the decision.
    pub time: SimTime,
    /// The job whose change breaks the rule; `None` for rules about the decision as a whole.
    pub job: Option<JobId>,
    /// The rule.
    pub rule: Rule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wrong decision at {} s", self.time)?;
        if let Some(job) = self.job {
            write!(f, " for job {job}")?;
        }
        write!(f, ": {}", self.rule)
    }
}

impl std::error::Error for Violation {}

impl Verb {
    fn name(self) -> &'static str {
        match self {
            Verb::Start => "start",
            Verb::Pause => "pause",
            Verb::Resume => "resume",
            Verb::Migrate => "migrate",
            Verb::SetYield => "change its yield",
            Verb::Reject => "be rejected",
            Verb::Kill => "be killed",
            Verb::Requeue => "be requeued",
            Verb::Lose => "be lost",
        }
    }
    fn needs(self) -> JobState {
        match self {
            Verb::Start | Verb::Reject => JobState::Waiting,
            Verb::Resume => JobState::Paused,
            Verb::Pause | Verb::Migrate | Verb::SetYield | Verb::Kill | Verb::Requeue | Verb::Lose => {
                JobState::Running
            }
        }
    }
    pub(crate) fn places(self) -> bool {
        matches!(self, Verb::Start | Verb::Resume | Verb::Migrate)
    }
}

/// Checks decisions, each as a whole.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    /// The number of the last decision that named each handle.
    named_in: Vec<u64>,
    decisions: u64,
}

impl Checker {
    /// Checks the whole decision and moves the node totals to what it makes of them. Jobs are not touched; the
    /// totals are of no use after a violation, which ends the run.
    pub(crate) fn check(
        &mut self,
        now: SimTime,
        decision: &Decision,
        jobs: &JobTable,
        nodes: &mut NodeLoads,
        platform: Option<&Platform>,
        unequal: Option<&mut Unequal>,
    ) -> Result<(), Violation> {
        let violation = |job: Option<JobHandle>, rule| Violation {
            time: now,
            job: job.map(|job| jobs.get(job).job.id),
            rule,
        };
        if let Some(time) = decision.wake_up.filter(|&time| time <= now) {
            return Err(violation(None, Rule::FutureWakeUp(time)));
        }
        let invalid = |job: &&Job| job.submit <= now || job.tasks == 0 || job.run_time.is_zero();
        if let Some(job) = decision.submissions.iter().find(invalid) {
            return Err(Violation { time: now, job: Some(job.id), rule: Rule::FutureSubmission(job.submit) });
        }
        self.decisions += 1;
        self.named_in.resize(jobs.handles(), 0);
        for change in &decision.changes {
            let named_in = &mut self.named_in[change.job.index()];
            if std::mem::replace(named_in, self.decisions) == self.decisions {
                return Err(violation(Some(change.job), Rule::NamedOnce));
            }
            check_change(change, decision.placement(change), jobs, nodes.len())
                .map_err(|rule| violation(Some(change.job), rule))?;
            if let Some(platform) = platform
                && let Some(node) =
                    decision.placement(change).ranges().iter().find_map(|&it| platform.down_in(it))
            {
                return Err(violation(Some(change.job), Rule::NodeUp(node)));
            }
        }
        for change in &decision.changes {
            let active = jobs.get(change.job);
            nodes.remove(active.placement(), active.believed_need, active.job.memory, active.job_yield);
        }
        for change in &decision.changes {
            let active = jobs.get(change.job);
            nodes.add(
                placement_after(change, decision, jobs),
                active.believed_need,
                active.job.memory,
                change.job_yield,
            );
        }
        if let Some(unequal) = unequal {
            return check_unequal(decision, jobs, nodes, unequal)
                .map_err(|(job, rule)| violation(Some(job), rule));
        }
        let placements = decision.changes.iter().map(|change| placement_after(change, decision, jobs));
        placements.into_iter().find_map(|placement| nodes.excess(placement)).map_or(Ok(()), |excess| {
            let (node, rule) = match excess {
                Excess::Memory(node) => (node, Rule::Memory(node)),
                Excess::Cpu(node) => (node, Rule::Cpu(node)),
            };
            Err(violation(culprit(node, decision, jobs), rule))
        })
    }
}

/// Checks what nodes have of everything, where they differ.
fn check_unequal(
    decision: &Decision,
    jobs: &JobTable,
    nodes: &NodeLoads,
    unequal: &mut Unequal,
) -> Result<(), (JobHandle, Rule)> {
    for change in &decision.changes {
        let active = jobs.get(change.job);
        unequal.remove(change.job, active.placement(), active.job_yield);
    }
    for change in &decision.changes {
        unequal.add(change.job, placement_after(change, decision, jobs), change.job_yield);
    }
    let mut last_first = decision.changes.iter().rev();
    let fault = |change: &Change| {
        let rule = unequal.fault(change.job, placement_after(change, decision, jobs), nodes)?;
        Some((change.job, rule))
    };
    last_first.find_map(fault).map_or(Ok(()), Err)
}

/// The last job in the decision that put or kept tasks on the node.
fn culprit(node: NodeId, decision: &Decision, jobs: &JobTable) -> Option<JobHandle> {
    let uses_node = |placement: Placement<'_>| placement.ranges().iter().any(|range| range.has(node));
    let mut last_first = decision.changes.iter().rev();
    last_first.find(|change| uses_node(placement_after(change, decision, jobs))).map(|change| change.job)
}

/// The nodes of a job's tasks after a change.
fn placement_after<'a>(change: &Change, decision: &'a Decision, jobs: &'a JobTable) -> Placement<'a> {
    match change.verb {
        Verb::SetYield => jobs.get(change.job).placement(),
        _ => decision.placement(change),
    }
}

fn check_change(change: &Change, placement: Placement<'_>, jobs: &JobTable, nodes: u32) -> Result<(), Rule> {
    let active = jobs.get(change.job);
    if active.state != change.verb.needs() {
        return Err(Rule::State(change.verb.name(), active.state));
    }
    if !change.verb.places() {
        return Ok(());
    }
    let ranges = placement.ranges();
    if ranges.windows(2).any(|pair| pair[0].end() > u64::from(pair[1].first.0))
        || ranges.iter().any(|range| range.nodes == 0 || range.tasks == 0)
    {
        return Err(Rule::RisingNodes);
    }
    if let Some(range) = ranges.iter().find(|range| range.end() > u64::from(nodes)) {
        return Err(Rule::KnownNode(range.first.max(NodeId(nodes))));
    }
    let placed = placement.tasks();
    if placed != u64::from(active.job.tasks) {
        return Err(Rule::TaskCount(placed, active.job.tasks));
    }
    Ok(())
}
