//! EQUIPARTITION: the same share for every job (dissertation, section 5.1.2).

use super::cap::shrink_to_cap;
use super::common::has_common;
use super::mapper::{Mapper, Sharing};
use super::preemption;
use super::priority::Priority;
use super::weights::weights_of;
use dfrsim_cluster::{Decision, JobHandle, Scheduler, Situation};
use dfrsim_model::Yield;
use dfrsim_model::site::SiteSettings;
use dfrsim_packing::shares::Shares;
use std::cmp::Reverse;
use std::sync::Arc;

/// Policy that gives all running jobs the same yield, the largest that the most loaded node allows;
/// or, with weights, yields in proportion to them, up to 1, at the largest level that all nodes
/// allow.
///
/// The dissertation studies it on one node. This implementation also places jobs as Greedy does:
/// each task in turn on the node with the smallest sum of needs among those with enough memory
/// (ties: the lowest node). A job whose tasks do not all fit waits. Waiting jobs are tried at every
/// event in order of submission, or in the order of the site. A job that does not fit into the empty
/// cluster is rejected. No job is moved, and none is paused except by preempting classes. An
/// interrupted job is requeued at its position by submission. Maintenance windows are not
/// anticipated. A job whose licences are not free waits, and a power cap shrinks all yields in the same
/// proportion.
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
    /// Creates the scheduler for a cluster of `nodes` nodes. The settings of the site, if there are
    /// any, must have been [checked](SiteSettings::check).
    pub fn new(nodes: u32, site: Option<&Arc<SiteSettings>>) -> Equipartition {
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
        let change = self.mapper.update(situation, false);
        if change.has_new_nodes {
            self.shares = self.mapper.nodes.shares();
        }
        self.waiting.extend(change.interrupted);
        for &job in situation.submitted {
            self.mapper.nodes.learn(view, job);
            let is_admitted = self.mapper.site.as_mut().is_none_or(|site| site.submit(view, job));
            let is_licensed = !self.mapper.is_never_licensed(job);
            if is_admitted && is_licensed && self.mapper.nodes.can_fit(view, job, true) {
                self.waiting.push(job);
            } else {
                decision.reject(job);
            }
        }
        let site = self.mapper.site.as_ref();
        let tier = |job: JobHandle| site.map_or(0, |site| site.tier(job));
        self.waiting.sort_by_cached_key(|&job| (Reverse(tier(job)), view.job(job).sequence()));
        self.waiting.retain(|&job| !self.mapper.place_greedily(view, job));
        let _ = preemption::preempt_by_class(&mut self.mapper, view, self.waiting.iter().copied());
        let mapper = &self.mapper;
        let paused = mapper.involved().filter(|&job| !mapper.is_placed(job));
        self.waiting.retain(|&job| !mapper.is_placed(job));
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
        if has_common(view) {
            self.mapper.level = shrink_to_cap(view, &self.mapper, &self.sharing.jobs, &mut self.by_handle);
        }
        self.mapper.decide(view, &self.by_handle, decision);
        let step = view.classes().and_then(|classes| classes.next_common_step(view.now()));
        let step = step.filter(|_| !view.jobs().is_empty());
        let candidate = self.mapper.next_candidate(view, self.waiting.iter().copied());
        if let Some(time) = step.into_iter().chain(candidate).min() {
            decision.wake_at(time);
        }
    }
}
