//! EQUIPARTITION: every job the same share (dissertation, section 5.1.2).

use super::mapper::{Mapper, Sharing};
use super::preemption;
use super::priority::Priority;
use super::scheduler::weights_of;
use dfrsim_cluster::{Decision, JobHandle, Scheduler, Situation};
use dfrsim_model::Yield;
use dfrsim_model::priority::Priorities;
use dfrsim_packing::shares::Shares;
use std::cmp::Reverse;
use std::sync::Arc;

/// Gives all running jobs the same yield, the largest that the fullest node allows, or yields in proportion to their weights, up to 1, at
/// the largest level that all nodes allow.
///
/// The dissertation studies it on one node; here it also places jobs as Greedy does: task after task on the node with the smallest
/// sum of needs that has the memory (ties: the lowest node). A job whose tasks do not all fit waits; waiting jobs
/// are tried in order of submission, or as a site ranks them, at every moment, and one that would not even fit an empty cluster is
/// rejected. No job is moved, and none is paused but by classes that preempt others. An interrupted job waits again, at its place by
/// submission; no window is planned around.
#[derive(Debug)]
pub struct Equipartition {
    mapper: Mapper,
    shares: Shares,
    sharing: Sharing,
    waiting: Vec<JobHandle>,
    yields: Vec<Yield>,
    by_handle: Vec<Yield>,
}

impl Equipartition {
    /// For a cluster of this many nodes, with the settings of a site if there are any, which must have been
    /// [checked](Priorities::check).
    pub fn new(nodes: u32, site: Option<&Arc<Priorities>>) -> Equipartition {
        Equipartition {
            mapper: Mapper::new(nodes, site, Priority::default()),
            shares: Shares::new(nodes),
            sharing: Sharing::default(),
            waiting: Vec::new(),
            yields: Vec::new(),
            by_handle: Vec::new(),
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
            let is_admitted = self.mapper.site.as_mut().is_none_or(|site| site.submit(view, job));
            if is_admitted && self.mapper.nodes.fit(view, job, true) {
                self.waiting.push(job);
            } else {
                decision.reject(job);
            }
        }
        let site = self.mapper.site.as_ref();
        let tier = |job: JobHandle| site.map_or(0, |site| site.tier(job));
        self.waiting.sort_by_cached_key(|&job| (Reverse(tier(job)), view.job(job).sequence()));
        self.waiting.retain(|&job| !self.mapper.place_greedily(view, job));
        let _ = preemption::make_room(&mut self.mapper, view, self.waiting.iter().copied());
        let mapper = &self.mapper;
        let paused = mapper.involved().filter(|&job| !mapper.runs(job));
        self.waiting.retain(|&job| !mapper.runs(job));
        self.waiting.extend(paused);
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
        self.by_handle.resize(view.handles(), Yield::ZERO);
        for (job, &at) in running.iter().zip(&self.yields) {
            self.by_handle[job.index()] = at;
        }
        self.mapper.decide(view, &self.by_handle, decision);
        if let Some(time) = self.mapper.next_candidate(view, self.waiting.iter().copied()) {
            decision.wake_at(time);
        }
    }
}
