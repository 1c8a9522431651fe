//! EQUIPARTITION: every job the same share (dissertation, section 5.1.2).

use super::mapper::{Mapper, Sharing};
use super::scheduler::weights_of;
use dfrsim_cluster::{Decision, JobHandle, JobState, Scheduler, Situation};
use dfrsim_model::Yield;
use dfrsim_packing::shares::Shares;

/// Gives all running jobs the same yield, the largest that the fullest node allows, or yields in proportion to their weights, up to 1, at
/// the largest level that all nodes allow.
///
/// The dissertation studies it on one node; here it also places jobs as Greedy does: task after task on the node with the smallest
/// sum of needs that has the memory (ties: the lowest node). A job whose tasks do not all fit waits; waiting jobs
/// are tried in order of submission at every moment, and one that would not even fit an empty cluster is rejected.
/// No job is paused or moved. An interrupted job waits again, at its place by submission; no window is planned around.
#[derive(Debug)]
pub struct Equipartition {
    mapper: Mapper,
    shares: Shares,
    sharing: Sharing,
    waiting: Vec<JobHandle>,
    yields: Vec<Yield>,
}

impl Equipartition {
    /// For a cluster of this many nodes.
    #[must_use]
    pub fn new(nodes: u32) -> Equipartition {
        Equipartition {
            mapper: Mapper::new(nodes),
            shares: Shares::new(nodes),
            sharing: Sharing::default(),
            waiting: Vec::new(),
            yields: Vec::new(),
        }
    }
}

impl Scheduler for Equipartition {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        let view = situation.view;
        let change = self.mapper.follow(situation, false);
        if change.are_other_nodes {
            self.shares = self.mapper.nodes.shares();
        }
        self.waiting.extend(change.interrupted);
        for &job in situation.submitted {
            self.mapper.nodes.learn(view, job);
            if self.mapper.nodes.fit(view, job, true) {
                self.waiting.push(job);
            } else {
                decision.reject(job);
            }
        }
        self.waiting.sort_unstable_by_key(|&job| view.job(job).sequence());
        self.waiting.retain(|&job| !self.mapper.place_greedily(view, job));
        self.sharing.gather(&mut self.mapper, true);
        let (running, jobs) = (&self.sharing.jobs, self.sharing.shared(view, &self.mapper));
        if let Some(weights) = weights_of(view, running) {
            let weights: Vec<u64> = weights.into_iter().map(u64::from).collect();
            self.shares.weighted_common(&jobs, &weights, &mut self.yields);
        } else {
            let common = self.shares.common(&jobs);
            self.yields.clear();
            self.yields.resize(running.len(), common);
        }
        let all = || running.iter().zip(&self.yields).map(|(&job, &at)| (job, view.job(job), at));
        let is_running = |state: JobState| state == JobState::Running;
        for (job, _, at) in all().filter(|(_, job, at)| is_running(job.state()) && job.current_yield() != *at)
        {
            decision.set_yield(job, at);
        }
        for (job, _, at) in all().filter(|(_, job, _)| !is_running(job.state())) {
            let placement = self.mapper.available.to_nodes(self.mapper.placement(job));
            decision.start(job, placement.iter().copied(), at);
        }
    }
}
