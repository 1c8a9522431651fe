//! From planners to schedulers.

use super::free_nodes::FreeNodes;
use super::{BatchJob, Place, Planner};
use dfrsim_cluster::{Decision, JobHandle, NodeRange, Scheduler, Situation};
use dfrsim_model::Yield;

/// Runs a [`Planner`] as a [`Scheduler`]: the planner says which jobs start, this picks their nodes by a
/// [rule](Place).
///
/// A job wider than the cluster is rejected.
#[derive(Debug)]
pub struct BatchScheduler<P> {
    planner: P,
    nodes: u32,
    free: FreeNodes,
    starts: Vec<JobHandle>,
    placement: Vec<NodeRange>,
}

impl<P: Planner> BatchScheduler<P> {
    /// For a planner of a cluster of this many nodes.
    #[must_use]
    pub fn new(planner: P, nodes: u32, place: Place) -> BatchScheduler<P> {
        BatchScheduler {
            planner,
            nodes,
            free: FreeNodes::all(nodes, place),
            starts: Vec::new(),
            placement: Vec::new(),
        }
    }
}

impl<P: Planner> Scheduler for BatchScheduler<P> {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let now = view.now();
        for &job in situation.completed {
            for &range in view.job(job).placement().ranges() {
                self.free.insert(range);
            }
            self.planner.ended(now, job);
        }
        for &handle in situation.submitted {
            let job = view.job(handle);
            if job.tasks() > self.nodes {
                decision.reject(handle);
                continue;
            }
            self.planner.submit(BatchJob::new(view, handle, job.estimate()));
        }
        self.starts.clear();
        self.planner.pass(now, &mut self.starts);
        for &job in &self.starts {
            self.free.take(view.job(job).tasks(), &mut self.placement);
            decision.start(job, self.placement.iter().copied(), Yield::ONE);
        }
        if let Some(time) = self.planner.next_start(now) {
            decision.wake_at(time);
        }
    }
}
