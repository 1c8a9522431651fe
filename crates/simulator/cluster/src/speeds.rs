//! How fast jobs progress where schedulers do not know their CPU needs.
//!
//! Nodes share their CPU in the work-conserving way of the dissertation's section 7.2.1: a task is entitled to its
//! (believed need) * yield. What the tasks of a node leave of the CPU, because they need less than they are entitled to
//! or because no task is entitled to it, is shared equally among the tasks there that need more. All tasks of a job
//! progress alike, at the speed of the slowest.

use crate::job_table::{ActiveJob, JobTable};
use crate::options::LEAST_NEED;
use crate::{JobHandle, JobState};
use dfrsim_model::{CpuUse, Share, Yield};

impl ActiveJob {
    /// The CPU that one task is entitled to.
    fn entitlement(&self) -> u64 {
        self.believed_need.used_by(1, self.job_yield).units()
    }
    /// The CPU that one task could use.
    fn wanted(&self) -> u64 {
        self.job.cpu_need.used_by(1, Yield::ONE).units()
    }
    /// The speed at which one task uses so much CPU; a job that needs none is always at full speed.
    fn speed_of(&self, used: u64) -> Yield {
        if self.wanted() == 0 { Yield::ONE } else { Yield::from_ratio(used, self.wanted()) }
    }
    /// The speed that its yield guarantees it, regardless of the others' use: the yield itself, where the need is
    /// known.
    pub(crate) fn granted_speed(&self) -> Yield {
        if self.believed_need == self.job.cpu_need {
            if self.node_speed == Yield::ONE { self.job_yield } else { self.job_yield.times(self.node_speed) }
        } else {
            self.speed_of(self.entitlement())
        }
    }

    /// Changes the belief by what is used, as in the dissertation's section 7.2.2: down where a task leaves some of its
    /// entitlement unused, up where it uses more than was believed. The entitlement of tasks that use it stays the same. Says
    /// whether the belief changed.
    pub(crate) fn discover_need(&mut self) -> bool {
        let entitlement = self.entitlement();
        let used = self.job.cpu_need.used_by(1, self.speed).units();
        let found = if self.speed == Yield::ONE && used < entitlement {
            // All that it needs.
            self.job.cpu_need.max(LEAST_NEED)
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

/// Computes the speeds of all running jobs.
#[derive(Debug)]
pub(crate) struct Speeds {
    nodes: Vec<NodeUse>,
    speeds: Vec<(JobHandle, Yield)>,
}

/// What the tasks of a node do with their entitlements.
#[derive(Clone, Copy, Debug, Default)]
struct NodeUse {
    /// In units of [`CpuUse`].
    used: u64,
    /// How many tasks need more.
    hungry: u64,
}

impl Speeds {
    pub(crate) fn new(nodes: u32) -> Speeds {
        Speeds { nodes: vec![NodeUse::default(); nodes as usize], speeds: Vec::new() }
    }

    /// The running jobs by order of submission, with their speeds.
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
                node.hungry += if wanted > entitlement { part.tasks.into() } else { 0 };
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
                let NodeUse { used, hungry } = nodes[part.node.index()];
                (CpuUse::ONE.units() - used) / hungry
            });
            let used = entitlement + slack.min().unwrap_or(0);
            (handle, active.speed_of(used.min(wanted)))
        }));
    }
}
