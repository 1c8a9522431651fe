//! Mapping of jobs to nodes during a decision.

use super::nodes::{FractionalNodes, PlacementRequest, whole_devices};
use crate::Phase;
use crate::devices::{DeviceList, DeviceTasks, in_order, request_at, triples};
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
    /// Power of the job at a yield of 1 at each speed level, in milliwatts; empty without a power cap.
    pub(super) draws: Arc<Vec<u64>>,
    pub(super) weight: u32,
    pub(super) phase: Phase,
    /// Current placement in the cluster.
    pub(super) home: TasksByNode,
    /// Devices there.
    pub(super) home_devices: DeviceList,
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
    /// Devices of each job on the nodes on which it is, or was last.
    pub(super) devices: SortedMap<u64, DeviceList>,
}

impl<'a> Mapping<'a> {
    /// Creates the mapping of the cluster, without the jobs that have an unavailable node.
    pub(super) fn of_cluster(jobs: &'a SortedMap<u64, JobView>, nodes: FractionalNodes) -> Mapping<'a> {
        let mut mapping = Mapping { jobs, nodes, on: SortedMap::default(), devices: SortedMap::default() };
        for (&job, seen) in jobs.iter().filter(|(_, seen)| seen.phase == Phase::Running) {
            if seen.home.iter().all(|&(node, _)| mapping.nodes.all[node as usize].is_open) {
                mapping.devices.insert(job, seen.home_devices.clone());
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
        if let Some((each, _)) = size.devices {
            // A job that comes back to its nodes has its devices again.
            let last = self.devices.get(&job).map_or(&[][..], Vec::as_slice);
            let is_last = |&(node, tasks): &(u32, u32)| {
                let parts = last.iter().filter(|it| it.0 == node).map(|it| u64::from(it.2));
                parts.sum::<u64>() == each * u64::from(tasks)
            };
            let is_elsewhere = last.iter().any(|it| on.iter().all(|(node, _)| *node != it.0));
            if is_elsewhere || !on.iter().all(is_last) {
                self.devices.insert(job, self.nodes.choose_devices(&on, size));
            }
            self.nodes.take_devices(self.devices.get(&job).map_or(&[], Vec::as_slice), size);
        }
        if !on.is_empty() {
            self.on.insert(job, on);
        }
    }
    pub(super) fn remove(&mut self, job: u64) -> TasksByNode {
        let JobView { size, weight, .. } = &self.jobs[&job];
        let on = self.on.remove(&job).unwrap_or_default();
        self.nodes.remove(&on, size, *weight);
        if let Some(devices) = self.devices.get(&job).filter(|_| !on.is_empty()) {
            self.nodes.return_devices(devices, size);
        }
        on
    }
    /// Replaces all placements, and the devices by those that jobs have there.
    pub(super) fn set_all(
        &mut self,
        places: SortedMap<u64, TasksByNode>,
        devices: SortedMap<u64, DeviceList>,
    ) {
        self.nodes = self.nodes.without_tasks();
        self.on.clear();
        self.devices = devices;
        places.into_iter().for_each(|(job, on)| self.put(job, on));
    }
    pub(super) fn fits(&self, job: u64, beside: bool) -> bool {
        self.nodes.fits(self.wanted(job, beside))
    }
    /// Places a job by Greedy; returns whether it fits.
    pub(super) fn place(&mut self, job: u64, beside: bool) -> bool {
        let Some(on) = self.nodes.place(self.wanted(job, beside)) else { return false };
        let size = &self.jobs[&job].size;
        if size.devices.is_some() {
            let chosen = self.nodes.choose_devices(&on, size);
            self.nodes.take_devices(&chosen, size);
            self.devices.insert(job, chosen);
        }
        self.on.insert(job, on);
        true
    }

    /// Determines the devices of a mapping by MCB, in which pinned jobs keep theirs. A job with as many
    /// tasks on a node as before keeps its devices there, and others get some by the rule of the platform;
    /// if they do not fit so, all jobs that are not pinned get some anew. Parts of shared devices count at
    /// the yields at which the jobs were packed.
    pub(super) fn devices_of(
        &self,
        places: &SortedMap<u64, TasksByNode>,
        pinned: &[u64],
        packed: &SortedMap<u64, u32>,
    ) -> SortedMap<u64, DeviceList> {
        let mut all: SortedMap<u64, DeviceList> = SortedMap::default();
        let mut here: SortedMap<u32, Vec<DeviceTasks>> = SortedMap::default();
        for (&number, on) in places {
            let size = &self.jobs[&number].size;
            let Some(mut request) = size.devices else { continue };
            if let Some(&at) = packed.get(&number).filter(|_| size.shares_devices) {
                request = request_at(request, at);
            }
            for &(node, tasks) in on {
                here.or_default(node).push(DeviceTasks { number, request, tasks: tasks.into() });
            }
        }
        for (node, tasks) in here {
            let on_node = |held: &[(u32, u32, u32)]| -> DeviceList {
                held.iter().copied().filter(|it| it.0 == node).collect()
            };
            let of_pinned = |it: &DeviceTasks| {
                let held = self.devices.get(&it.number).filter(|_| pinned.contains(&it.number))?;
                Some(on_node(held))
            };
            let kept = |it: &DeviceTasks| {
                let home = on_node(&self.jobs[&it.number].home_devices);
                let parts = home.iter().map(|it| u64::from(it.2)).sum::<u64>();
                of_pinned(it).or_else(|| (parts == it.request.0 * it.tasks).then_some(home))
            };
            let bind = |keeps: &dyn Fn(&DeviceTasks) -> Option<DeviceList>| {
                let kind = &self.nodes.kinds[self.nodes.all[node as usize].kind];
                let mut free = whole_devices(kind);
                let mut found = Vec::new();
                for it in &tasks {
                    for held in keeps(it).into_iter().flatten() {
                        let left = free.get_mut(held.1 as usize)?;
                        *left -= (it.request.1 * u64::from(held.2)) as i64;
                        found.push((it.number, held));
                    }
                }
                if free.iter().any(|free| *free < 0) {
                    return None;
                }
                let others = in_order(
                    free,
                    &kind.device_groups,
                    tasks.iter().copied().filter(|it| keeps(it).is_none()),
                )?;
                for (number, parts) in others {
                    found.extend(triples(node, &parts).map(|it| (number, it)));
                }
                Some(found)
            };
            for (number, held) in bind(&kept).or_else(|| bind(&of_pinned)).unwrap_or_default() {
                all.or_default(number).push(held);
            }
        }
        all
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
