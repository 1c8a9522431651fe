//! Count of the jobs that no node can hold.

use dfrsim_cluster::{Observer, Occurrence};
use dfrsim_model::platform::classes::{Demand, Misfits, Sharing, UnequalNodes};
use dfrsim_model::{Share, SimTime, counted};
use dfrsim_policies::Policy;

/// Observer that counts the submitted jobs that no node can hold.
#[derive(Debug)]
pub(super) struct MisfitCounts<'a> {
    nodes: &'a UnequalNodes,
    counts: Misfits,
    /// True if tasks use parts of units that are shared; otherwise they hold whole units.
    shares: bool,
    /// Number of jobs that need parts of units and hold whole ones.
    rounded: u64,
}

impl<'a> MisfitCounts<'a> {
    pub(super) fn new(nodes: &'a UnequalNodes, policy: Policy) -> MisfitCounts<'a> {
        let shares = !matches!(policy, Policy::Batch(_));
        MisfitCounts { nodes, counts: Misfits::default(), shares, rounded: 0 }
    }

    /// Returns whether a task needs a part of a unit of which it holds a whole one.
    fn is_rounded(&self, demand: &Demand) -> bool {
        let resources = self.nodes.classes.resources().iter().zip(&demand.resources);
        let of_parts = resources.filter(|(_, asked)| asked.count > 0 && asked.need < Share::ONE);
        { of_parts }.any(|(resource, _)| match resource.sharing {
            Sharing::Rigid => true,
            Sharing::Shared => !self.shares,
            Sharing::Devices => false,
        })
    }

    /// Formats the counts, one line for each reason.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = self.counts.lines(&self.nodes.classes);
        let jobs = counted(self.rounded as usize, "job");
        lines.extend((self.rounded > 0).then(|| {
            format!("{jobs}: parts of units count as whole ones; `devices` in the platform names the resource of which jobs hold parts")
        }));
        lines
    }
}

impl Observer for MisfitCounts<'_> {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Submitted(job, _) = occurrence {
            let demand = self.nodes.demand(job);
            self.rounded += u64::from(self.is_rounded(&demand));
            self.counts.add(&self.nodes.classes, job, &demand);
        }
    }
}
