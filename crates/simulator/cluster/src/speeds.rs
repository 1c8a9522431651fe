//! Speeds of jobs whose CPU needs are not known exactly.
//!
//! Nodes share their CPU in the work-conserving way of the dissertation's section 7.2.1: a task is
//! entitled to its (known need) * yield. CPU that the tasks of a node leave, because they need less
//! than their entitlement or because no task is entitled to it, is shared equally among the tasks
//! there that need more. All tasks of a job progress alike, at the speed of the slowest.

use crate::job_table::{ActiveJob, JobTable};
use crate::options::MIN_NEED;
use crate::{JobHandle, JobState};
use dfrsim_model::{CpuUse, Share, Yield};

impl ActiveJob {
    /// Returns the CPU that one task is entitled to, in units of [`CpuUse`].
    fn entitlement(&self) -> u64 {
        self.believed_need.used_by(1, self.job_yield).units()
    }
    /// Returns the CPU that one task could use at most, in units of [`CpuUse`].
    fn wanted(&self) -> u64 {
        self.job.cpu_need.used_by(1, Yield::ONE).units()
    }
    /// Returns the speed at which one task uses this much CPU; a job that needs none is always at
    /// full speed.
    fn speed_of(&self, used: u64) -> Yield {
        if self.wanted() == 0 { Yield::ONE } else { Yield::from_ratio(used, self.wanted()) }
    }
    /// Returns the speed that the yield guarantees regardless of other jobs: the yield times the
    /// node speed if the need is known exactly.
    pub(crate) fn granted_speed(&self) -> Yield {
        if self.believed_need == self.job.cpu_need {
            if self.node_speed == Yield::ONE { self.job_yield } else { self.job_yield.times(self.node_speed) }
        } else {
            self.speed_of(self.entitlement())
        }
    }

    /// Updates the known need by the observed use, as in the dissertation's section 7.2.2: down if a
    /// task leaves some of its entitlement unused, up if it uses more than the known need. The
    /// entitlement of tasks that use it stays the same. Returns whether the known need changed.
    pub(crate) fn discover_need(&mut self) -> bool {
        let entitlement = self.entitlement();
        let used = self.job.cpu_need.used_by(1, self.speed).units();
        let found = if self.speed == Yield::ONE && used < entitlement {
            // The task is not limited by its entitlement, so its use is its true need.
            self.job.cpu_need.max(MIN_NEED)
        } else {
            let used =
                Share::try_from_units((used >> Yield::BITS) as u32).expect("no task uses more than a node");
            self.believed_need.max(used)
        };
        let changed = found != self.believed_need;
        self.believed_need = found;
        let whole = found.used_by(1, Yield::ONE).units();
        if changed {
            self.job_yield = Yield::from_ratio(entitlement, whole);
        }
        changed
    }
}

/// Calculator of the speeds of all running jobs.
#[derive(Debug)]
pub(crate) struct Speeds {
    nodes: Vec<NodeUse>,
    speeds: Vec<(JobHandle, Yield)>,
}

/// Use of a node by tasks within their entitlements.
#[derive(Clone, Copy, Debug, Default)]
struct NodeUse {
    /// CPU used within entitlements, in units of [`CpuUse`].
    used: u64,
    /// Number of tasks that need more than their entitlement.
    unsatisfied: u64,
}

impl Speeds {
    pub(crate) fn new(nodes: u32) -> Speeds {
        Speeds { nodes: vec![NodeUse::default(); nodes as usize], speeds: Vec::new() }
    }

    /// Returns the running jobs in order of submission, with their speeds.
    pub(crate) fn all(&self) -> &[(JobHandle, Yield)] {
        &self.speeds
    }

    pub(crate) fn compute(&mut self, jobs: &JobTable) {
        let running = || {
            let all = jobs.in_system().iter().map(|&handle| (handle, jobs.get(handle)));
            all.filter(|(_, active)| active.state == JobState::Running)
        };
        self.nodes.fill(NodeUse::default());
        for (_, active) in running() {
            let (entitlement, wanted) = (active.entitlement(), active.wanted());
            for part in active.placement() {
                let node = &mut self.nodes[part.node.index()];
                node.used += entitlement.min(wanted) * u64::from(part.tasks);
                node.unsatisfied += if wanted > entitlement { part.tasks.into() } else { 0 };
            }
        }
        let nodes = &self.nodes;
        self.speeds.clear();
        self.speeds.extend(running().map(|(handle, active)| {
            let (entitlement, wanted) = (active.entitlement(), active.wanted());
            if wanted <= entitlement {
                return (handle, Yield::ONE);
            }
            let slack = active.placement().iter().map(|part| {
                let NodeUse { used, unsatisfied: hungry } = nodes[part.node.index()];
                (CpuUse::ONE.units() - used) / hungry
            });
            let used = entitlement + slack.min().unwrap_or(0);
            (handle, active.speed_of(used.min(wanted)))
        }));
    }
}
