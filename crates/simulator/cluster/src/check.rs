//! Validation of decisions.

use crate::decision::{Action, Change, Decision};
use crate::job_table::JobTable;
use crate::node_loads::NodeLoads;
use crate::platform::Platform;
use crate::unequal::UnequalState;
use crate::{JobHandle, JobState, Placement, Rule, Violation};
use dfrsim_model::{Job, NodeId, SimTime, Yield};

impl Action {
    /// Returns the action as an infinitive, for error messages, and the state that it requires of
    /// the job.
    fn name_and_state(self) -> (&'static str, JobState) {
        match self {
            Action::Start => ("start", JobState::Waiting),
            Action::Pause => ("pause", JobState::Running),
            Action::Resume => ("resume", JobState::Paused),
            Action::Migrate => ("migrate", JobState::Running),
            Action::SetYield => ("change its yield", JobState::Running),
            Action::Reject => ("be rejected", JobState::Waiting),
            Action::Kill => ("be killed", JobState::Running),
            Action::Requeue => ("be requeued", JobState::Running),
            Action::Lose => ("be lost", JobState::Running),
        }
    }
    pub(crate) fn has_placement(self) -> bool {
        matches!(self, Action::Start | Action::Resume | Action::Migrate)
    }
    /// Returns the final state of a job that leaves the system by this action; `None` if the job
    /// stays.
    pub(crate) fn final_state(self) -> Option<JobState> {
        match self {
            Action::Reject => Some(JobState::Rejected),
            Action::Kill => Some(JobState::Killed),
            Action::Lose => Some(JobState::Lost),
            _ => None,
        }
    }
}

/// Validator of decisions; a decision is accepted or refused as a whole.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    /// Number of the last decision that named the job, by handle; detects a job that is named twice.
    last_named: Vec<u64>,
    checked: u64,
}

impl Checker {
    /// Checks the whole decision and updates the node totals to the state after it. The jobs
    /// themselves are not changed. After a violation the totals are invalid; a violation ends the
    /// run.
    pub(crate) fn check(
        &mut self,
        now: SimTime,
        decision: &Decision,
        jobs: &JobTable,
        nodes: &mut NodeLoads,
        platform: Option<&Platform>,
        mut unequal: Option<&mut UnequalState>,
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
        self.checked += 1;
        self.last_named.resize(jobs.handles(), 0);
        for change in &decision.changes {
            let named_in = &mut self.last_named[change.job.index()];
            if std::mem::replace(named_in, self.checked) == self.checked {
                return Err(violation(Some(change.job), Rule::NamedOnce));
            }
            check_change(change, decision.placement(change), jobs, nodes.len())
                .map_err(|rule| violation(Some(change.job), rule))?;
            let level = change.level_after(jobs.get(change.job).level);
            if level > 0
                && usize::from(level) > unequal.as_ref().map_or(0, |unequal| unequal.classes().levels().len())
            {
                return Err(violation(Some(change.job), Rule::Level(level)));
            }
            if let Some(platform) = platform
                && let Some(node) =
                    decision.placement(change).ranges().iter().find_map(|&it| platform.first_closed(it))
            {
                return Err(violation(Some(change.job), Rule::NodeUp(node)));
            }
        }
        if let Some(unequal) = &mut unequal {
            unequal.keep_common_use();
        }
        for change in &decision.changes {
            let active = jobs.get(change.job);
            nodes.remove(active.placement(), active.believed_need, active.job.memory, active.job_yield);
            if let Some(unequal) = &mut unequal {
                unequal.remove(change.job, active.placement(), active.pace());
                match change.action {
                    Action::SetYield => unequal.set_device_yield(change.job, Yield::ZERO),
                    _ => unequal.unbind(change.job),
                }
            }
        }
        for change in &decision.changes {
            let (active, placement) = (jobs.get(change.job), placement_after(change, decision, jobs));
            nodes.add(placement, active.believed_need, active.job.memory, change.job_yield);
            if let Some(unequal) = &mut unequal {
                let pace = (change.job_yield, change.level_after(active.level));
                unequal.add(change.job, placement, pace);
                if change.action.has_placement() {
                    unequal.bind(change.job, placement, decision.devices(change), change.job_yield);
                } else if change.action == Action::SetYield {
                    unequal.set_device_yield(change.job, change.job_yield);
                }
            }
        }
        if let Some(rule) = unequal.as_ref().and_then(|unequal| unequal.exceeded_common(now)) {
            let runs = |change: &&Change| !placement_after(change, decision, jobs).is_empty();
            let last = decision.changes.iter().rev().find(runs);
            return Err(violation(last.map(|change| change.job), rule));
        }
        // Changes were applied in order, so the last one that touched an overloaded node is
        // reported.
        let mut reversed = decision.changes.iter().rev();
        let violation_of = |change: &Change| {
            let placement = placement_after(change, decision, jobs);
            let rule = match &unequal {
                Some(unequal) => unequal.violated_rule(change.job, placement, nodes),
                None => nodes.excess(placement),
            };
            Some(violation(Some(change.job), rule?))
        };
        reversed.find_map(violation_of).map_or(Ok(()), Err)
    }
}

/// Returns the placement of a job after the change; a change of yield keeps the current one.
fn placement_after<'a>(change: &Change, decision: &'a Decision, jobs: &'a JobTable) -> Placement<'a> {
    match change.action {
        Action::SetYield => jobs.get(change.job).placement(),
        _ => decision.placement(change),
    }
}

fn check_change(change: &Change, placement: Placement<'_>, jobs: &JobTable, nodes: u32) -> Result<(), Rule> {
    let active = jobs.get(change.job);
    let (name, needed) = change.action.name_and_state();
    if active.state != needed {
        return Err(Rule::State(name, active.state));
    }
    if !change.action.has_placement() {
        return Ok(());
    }
    let ranges = placement.ranges();
    if ranges.windows(2).any(|pair| pair[0].end() > u64::from(pair[1].first.0))
        || ranges.iter().any(|range| range.nodes == 0 || range.tasks == 0)
    {
        return Err(Rule::AscendingNodes);
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
