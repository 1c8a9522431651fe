//! Which job has which node, and how fast it is there.

use super::Sharing;
use dfrsim_model::Yield;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The jobs of each node.
#[derive(Debug)]
pub(super) struct Owners {
    sharing: Sharing,
    /// The names of the jobs of each node.
    jobs: Vec<Vec<Rc<str>>>,
    /// Nodes of which the jobs have changed, where jobs may share them.
    changed: BTreeSet<u32>,
}

impl Owners {
    pub(super) fn new(nodes: u32, sharing: Sharing) -> Owners {
        Owners { sharing, jobs: vec![Vec::new(); nodes as usize], changed: BTreeSet::new() }
    }

    pub(super) fn take(&mut self, job: &Rc<str>, on: &[u32]) -> Result<(), String> {
        for &node in on {
            let jobs = &mut self.jobs[node as usize];
            if let (Some(other), Sharing::Forbidden) = (jobs.first(), self.sharing) {
                return Err(format!("EXECUTE_JOB of {job}: node {node} is used by {other}"));
            }
            jobs.push(Rc::clone(job));
        }
        self.note(on);
        Ok(())
    }

    pub(super) fn release(&mut self, job: &str, on: &[u32]) {
        for &node in on {
            self.jobs[node as usize].retain(|other| **other != *job);
        }
        self.note(on);
    }

    fn note(&mut self, on: &[u32]) {
        if self.sharing == Sharing::Allowed {
            self.changed.extend(on);
        }
    }

    /// The yield of a job on these nodes: what the busiest of them gives each of its tasks.
    pub(super) fn share(&self, on: &[u32]) -> Yield {
        let most = on.iter().map(|&node| self.jobs[node as usize].len()).max();
        Yield::from_ratio(1, most.map_or(1, |most| most.max(1) as u64))
    }

    /// The jobs on nodes that have changed since the last call, of which the yields may have changed.
    pub(super) fn take_changed(&mut self) -> BTreeSet<Rc<str>> {
        let changed = std::mem::take(&mut self.changed);
        changed.iter().flat_map(|&node| &self.jobs[node as usize]).cloned().collect()
    }
}
