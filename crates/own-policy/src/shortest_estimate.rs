//! Shortest job first, on whole nodes.

use dfrsim::prelude::*;

/// Policy that starts, at every event, the waiting jobs that fit, those with the shortest estimates
/// first. A task gets a whole node, and a running job keeps its nodes.
pub struct ShortestEstimate {
    nodes: u32,
}

impl ShortestEstimate {
    /// Creates the policy for a cluster of `nodes` nodes.
    pub fn new(nodes: u32) -> ShortestEstimate {
        ShortestEstimate { nodes }
    }
}

impl Scheduler for ShortestEstimate {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let mut is_free = vec![true; self.nodes as usize];
        let mut waiting = Vec::new();
        for &handle in view.jobs() {
            let job = view.job(handle);
            match job.state() {
                JobState::Waiting => waiting.push(handle),
                _ => job.placement().iter().for_each(|part| is_free[part.node.index()] = false),
            }
        }
        let mut free: Vec<NodeId> =
            (0..self.nodes).map(NodeId).filter(|node| is_free[node.index()]).collect();
        waiting.sort_by_key(|&handle| (view.job(handle).estimate(), view.job(handle).sequence()));
        for handle in waiting {
            let tasks = view.job(handle).tasks() as usize;
            if tasks <= free.len() {
                let on = free.drain(..tasks).map(|node| NodeTasks { node, tasks: 1 });
                decision.start(handle, on, Yield::ONE);
            }
        }
    }
}
