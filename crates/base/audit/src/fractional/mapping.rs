//! Mapping of jobs to nodes during a decision.

use super::nodes::{FractionalNodes, PlacementRequest};
use crate::Phase;
use crate::nodes::Size;
use crate::nodes::TasksByNode;
use dfrsim_model::{SimSpan, SortedMap, Yield};
use std::cmp::Ordering;
use std::sync::Arc;

/// Job in the system as the policy sees it at the current time.
#[derive(Clone, Debug)]
pub(super) struct JobView {
    pub(super) tasks: u32,
    pub(super) size: Arc<Size>,
    pub(super) weight: u32,
    pub(super) phase: Phase,
    /// Current placement in the cluster.
    pub(super) home: TasksByNode,
    /// Time since its submission in microseconds.
    pub(super) flow: u64,
    /// Virtual time: the work done in microseconds * 2^-20.
    pub(super) done: u128,
    /// True if `/PAY` permits its preemption.
    pub(super) may_be_preempted: bool,
    /// Priority under the policy.
    pub(super) priority: f64,
    /// Level and priority of the site, which precede that of the policy.
    pub(super) site_rank: (u32, u128),
}

impl JobView {
    pub(super) fn wanted(&self) -> PlacementRequest<'_> {
        PlacementRequest { size: &self.size, tasks: self.tasks, weight: self.weight, spread: false }
    }
    pub(super) fn flow_s(&self) -> f64 {
        SimSpan::from_micros(self.flow).as_secs_f64()
    }
    pub(super) fn done_s(&self) -> f64 {
        self.done as f64 / (f64::from(Yield::ONE.units()) * 1e6)
    }
    /// Computes the current priority, infinite before any progress: flow time / (virtual time)^2, or
    /// under `/AHEAD` (flow time + seconds) / virtual time. Virtual time is divided by the weight of
    /// the job.
    pub(super) fn priority(&self, ahead: Option<SimSpan>) -> f64 {
        if self.done == 0 {
            return f64::INFINITY;
        }
        let (done, weight) = (self.done_s(), f64::from(self.weight));
        match ahead {
            Some(ahead) => weight * ((self.flow_s() + ahead.as_secs_f64()) / done),
            None => weight * weight * (self.flow_s() / (done * done)),
        }
    }
    /// Computes the growth rate of its yield: by weight, and under `/LAS` by seconds / (virtual time
    /// + seconds) in units of 2^-31.
    pub(super) fn share_weight(&self, las: Option<SimSpan>) -> f64 {
        let by_service = las.map(|las| {
            let offset = u128::from(las.micros());
            ((offset << 31) / ((self.done >> Yield::BITS) + offset)).max(1)
        });
        f64::from(self.weight) * by_service.unwrap_or(1) as f64
    }
}

#[derive(Debug)]
pub(super) struct Mapping<'a> {
    pub(super) jobs: &'a SortedMap<u64, JobView>,
    pub(super) nodes: FractionalNodes,
    pub(super) on: SortedMap<u64, TasksByNode>,
}

impl<'a> Mapping<'a> {
    /// Creates the mapping of the cluster, without the jobs that have an unavailable node.
    pub(super) fn of_cluster(jobs: &'a SortedMap<u64, JobView>, nodes: FractionalNodes) -> Mapping<'a> {
        let mut mapping = Mapping { jobs, nodes, on: SortedMap::default() };
        for (&job, seen) in jobs.iter().filter(|(_, seen)| seen.phase == Phase::Running) {
            if seen.home.iter().all(|&(node, _)| mapping.nodes.all[node as usize].is_open) {
                mapping.put(job, seen.home.clone());
            }
        }
        mapping
    }
    pub(super) fn has(&self, job: u64) -> bool {
        self.on.contains_key(&job)
    }
    fn wanted(&self, job: u64, beside: bool) -> PlacementRequest<'a> {
        PlacementRequest { spread: beside, ..self.jobs[&job].wanted() }
    }

    pub(super) fn put(&mut self, job: u64, on: TasksByNode) {
        let JobView { size, weight, .. } = &self.jobs[&job];
        self.nodes.add(&on, size, *weight);
        if !on.is_empty() {
            self.on.insert(job, on);
        }
    }
    pub(super) fn remove(&mut self, job: u64) -> TasksByNode {
        let JobView { size, weight, .. } = &self.jobs[&job];
        let on = self.on.remove(&job).unwrap_or_default();
        self.nodes.remove(&on, size, *weight);
        on
    }
    pub(super) fn set_all(&mut self, places: SortedMap<u64, TasksByNode>) {
        self.nodes = self.nodes.without_tasks();
        self.on.clear();
        places.into_iter().for_each(|(job, on)| self.put(job, on));
    }
    pub(super) fn fits(&self, job: u64, beside: bool) -> bool {
        self.nodes.fits(self.wanted(job, beside))
    }
    /// Places a job by Greedy; returns whether it fits.
    pub(super) fn place(&mut self, job: u64, beside: bool) -> bool {
        let found = self.nodes.place(self.wanted(job, beside));
        found.map(|on| self.on.insert(job, on)).is_some()
    }

    /// Sorts jobs by descending rank: site, policy, then submission.
    pub(super) fn ranked(&self, mut jobs: Vec<u64>) -> Vec<u64> {
        jobs.sort_unstable_by(|a, b| {
            let (one, other) = (&self.jobs[a], &self.jobs[b]);
            let by_priority = other.priority.partial_cmp(&one.priority).unwrap_or(Ordering::Equal);
            other.site_rank.cmp(&one.site_rank).then(by_priority).then(a.cmp(b))
        });
        jobs
    }
}
