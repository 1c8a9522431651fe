//! Occupancy of the nodes, and the resulting yields.

use super::Sharing;
use dfrsim_model::Yield;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Jobs on each node.
#[derive(Debug)]
pub(super) struct NodeOccupancy {
    sharing: Sharing,
    /// Names of the jobs, by node.
    jobs: Vec<Vec<Rc<str>>>,
    /// Nodes whose jobs have changed, if nodes may be shared.
    changed: BTreeSet<u32>,
}

impl NodeOccupancy {
    pub(super) fn new(nodes: u32, sharing: Sharing) -> NodeOccupancy {
        NodeOccupancy { sharing, jobs: vec![Vec::new(); nodes as usize], changed: BTreeSet::new() }
    }

    pub(super) fn allocate(&mut self, job: &Rc<str>, on: &[u32]) -> Result<(), String> {
        for &node in on {
            let jobs = &mut self.jobs[node as usize];
            if let (Some(other), Sharing::Forbidden) = (jobs.first(), self.sharing) {
                return Err(format!("EXECUTE_JOB of {job}: node {node} is used by {other}"));
            }
            jobs.push(Rc::clone(job));
        }
        self.mark_changed(on);
        Ok(())
    }

    pub(super) fn release(&mut self, job: &str, on: &[u32]) {
        for &node in on {
            self.jobs[node as usize].retain(|other| **other != *job);
        }
        self.mark_changed(on);
    }

    fn mark_changed(&mut self, on: &[u32]) {
        if self.sharing == Sharing::Allowed {
            self.changed.extend(on);
        }
    }

    /// Returns the yield of a job on these nodes: the share of each job on the busiest of them.
    pub(super) fn share(&self, on: &[u32]) -> Yield {
        let most = on.iter().map(|&node| self.jobs[node as usize].len()).max();
        Yield::from_ratio(1, most.map_or(1, |most| most.max(1) as u64))
    }

    /// Takes the jobs on nodes that have changed since the last call; their yields may have changed.
    pub(super) fn take_changed(&mut self) -> BTreeSet<Rc<str>> {
        let changed = std::mem::take(&mut self.changed);
        changed.iter().flat_map(|&node| &self.jobs[node as usize]).cloned().collect()
    }
}
