//! Checks decisions.

use crate::decision::{Change, Decision, Verb};
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::unequal::Unequal;
use crate::{JobHandle, JobState, Placement, Rule, Violation};
use dfrsim_model::{Job, NodeId, SimTime};

impl Verb {
    /// Its name, and the state that a job needs.
    fn rule(self) -> (&'static str, JobState) {
        match self {
            Verb::Start => ("start", JobState::Waiting),
            Verb::Pause => ("pause", JobState::Running),
            Verb::Resume => ("resume", JobState::Paused),
            Verb::Migrate => ("migrate", JobState::Running),
            Verb::SetYield => ("change its yield", JobState::Running),
            Verb::Reject => ("be rejected", JobState::Waiting),
            Verb::Kill => ("be killed", JobState::Running),
            Verb::Requeue => ("be requeued", JobState::Running),
            Verb::Lose => ("be lost", JobState::Running),
        }
    }
    pub(crate) fn places(self) -> bool {
        matches!(self, Verb::Start | Verb::Resume | Verb::Migrate)
    }
    /// The state in which a job leaves for good.
    pub(crate) fn leaves_in(self) -> Option<JobState> {
        match self {
            Verb::Reject => Some(JobState::Rejected),
            Verb::Kill => Some(JobState::Killed),
            Verb::Lose => Some(JobState::Lost),
            _ => None,
        }
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
        mut unequal: Option<&mut Unequal>,
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
            if let Some(unequal) = &mut unequal {
                unequal.remove(change.job, active.placement(), active.job_yield);
            }
        }
        for change in &decision.changes {
            let (active, placement) = (jobs.get(change.job), placement_after(change, decision, jobs));
            nodes.add(placement, active.believed_need, active.job.memory, change.job_yield);
            if let Some(unequal) = &mut unequal {
                unequal.add(change.job, placement, change.job_yield);
            }
        }
        // The last change that put or kept tasks on a node is the one that is wrong.
        let mut last_first = decision.changes.iter().rev();
        let fault = |change: &Change| {
            let placement = placement_after(change, decision, jobs);
            let rule = match &unequal {
                Some(unequal) => unequal.fault(change.job, placement, nodes),
                None => nodes.excess(placement),
            };
            Some(violation(Some(change.job), rule?))
        };
        last_first.find_map(fault).map_or(Ok(()), Err)
    }
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
    let (name, needed) = change.verb.rule();
    if active.state != needed {
        return Err(Rule::State(name, active.state));
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
