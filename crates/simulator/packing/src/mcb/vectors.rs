//! Packing onto heterogeneous nodes: the rules for identical nodes in more dimensions, node by node
//! and job by job.

use super::demand::KeptJobs;
use super::options::{Balanced, McbOptions, Packing};
use super::placements::Placements;
use super::search::PackingProblem;
use super::{PackJob, PinnedDevices, SearchValues};
use crate::capacities::CPU;
use crate::shares::packed_in_steps;
use crate::yield_search::SearchRange;
use crate::{Capacities, DeviceTasks, TaskSize, bind_in_order, take_devices};
use dfrsim_model::platform::devices::{DeviceRequest, OnDevices, WHOLE_DEVICE};
use dfrsim_model::{NodeId, NodeTasks, Share, Yield};
use std::cmp::Reverse;

/// Packing problem on heterogeneous nodes. Amounts are in units of 2^-20 of those of [`Capacities`].
pub(super) struct HeterogeneousNodes<'a, F> {
    jobs: &'a [PackJob<'a>],
    /// Devices of the pinned jobs, by job; jobs without an entry hold none.
    pinned_devices: &'a [PinnedDevices],
    capacities: &'a Capacities,
    options: McbOptions,
    values: SearchValues<F>,
    kept: &'a mut KeptJobs,
    /// Total capacity of all nodes in each dimension, in whole units.
    totals: Vec<u128>,
    held: Vec<u128>,
    found: Vec<Vec<NodeTasks>>,
    /// Yields of the last packing that was found, if devices are shared.
    found_yields: Vec<Yield>,
}

fn size_of<'a>(job: &PackJob<'a>) -> &'a TaskSize {
    job.size.expect("where nodes differ, tasks have sizes in all dimensions")
}

impl<'a, F: Fn(usize, Yield, u32) -> Option<Yield>> HeterogeneousNodes<'a, F> {
    /// Creates the problem; none of the jobs is kept yet.
    pub(super) fn new(
        (jobs, pinned_devices): (&'a [PackJob<'a>], &'a [PinnedDevices]),
        capacities: &'a Capacities,
        options: McbOptions,
        values: SearchValues<F>,
        kept: &'a mut KeptJobs,
    ) -> HeterogeneousNodes<'a, F> {
        let totals: Vec<u128> = (0..capacities.wholes.len()).map(|it| capacities.total(it)).collect();
        let (held, found) = (vec![0; totals.len()], vec![Vec::new(); jobs.len()]);
        HeterogeneousNodes {
            jobs,
            pinned_devices,
            capacities,
            options,
            values,
            kept,
            totals,
            held,
            found,
            found_yields: Vec::new(),
        }
    }

    /// Computes the yield of a job at a value, given the smallest weight. With a CPU step, the yield
    /// that corresponds to whole steps applies to all dimensions.
    fn yield_at(&self, job: usize, value: Yield, least: u32) -> Option<Yield> {
        let exact = (self.values.yield_at)(job, value, least)?;
        let (need, step) =
            (self.jobs[job].need, self.options.cpu_step.filter(|_| self.jobs[job].need > Share::ZERO));
        Some(step.map_or(exact, |step| packed_in_steps(exact, need, step)))
    }

    /// Scales an amount by the whole of its dimension, in units of the first whole, so that
    /// dimensions can be compared.
    fn scaled(&self, dimension: usize, amount: u128) -> u128 {
        let wholes = &self.capacities.wholes;
        amount * u128::from(wholes[0]) / u128::from(wholes[dimension])
    }

    /// Sorts the dimensions into the order in which a node scans their lists: by free capacity, most
    /// first.
    fn rank_by_free(&self, free: &[u128], dimensions: &mut [usize]) {
        let turn = |dimension: usize| match self.options.balanced {
            Balanced::Cpu if dimension <= CPU => CPU - dimension,
            _ => dimension,
        };
        dimensions.sort_unstable_by_key(|&it| (Reverse(self.scaled(it, free[it])), turn(it)));
    }

    /// Builds the lists of the jobs that are not pinned: one list, or one for each dimension in
    /// which tasks are largest. Each is sorted by the largest fraction of a node that a task takes
    /// in a dimension, then the second largest, and so on.
    fn lists(&self, sizes: &[Vec<u128>]) -> Vec<Vec<usize>> {
        let dimensions = self.totals.len();
        let parts =
            |job: usize| (0..dimensions).map(move |it| (self.scaled(it, sizes[job][it]), Reverse(it)));
        let mut all: Vec<usize> = (0..self.jobs.len()).collect();
        all.retain(|&job| self.is_kept(job) && self.jobs[job].pinned.is_none());
        all.sort_by_cached_key(|&job| {
            let mut parts: Vec<Reverse<u128>> = parts(job).map(|(part, _)| Reverse(part)).collect();
            parts.sort_unstable();
            (parts, self.options.ties.order(self.jobs[job].sequence, job as u32))
        });
        if self.options.packing == Packing::ChoosePack {
            return vec![all];
        }
        let mut lists = vec![Vec::new(); dimensions];
        for job in all {
            let largest = parts(job).max().map_or(0, |(_, Reverse(dimension))| dimension);
            lists[largest].push(job);
        }
        lists
    }

    /// Returns the devices of nodes with the pinned jobs at a value; `None` if these do not fit.
    fn devices(&self, value: Yield) -> Option<DevicesOfNode<'_>> {
        let least = self.kept.min_weight();
        let mut requests = vec![None; self.jobs.len()];
        for (job, own) in requests.iter_mut().enumerate().filter(|(job, _)| self.is_kept(*job)) {
            let Some(request) = size_of(&self.jobs[job]).devices else { continue };
            *own = Some(self.capacities.request_at(request, self.yield_at(job, value, least)?));
        }
        let count = |class: &usize| vec![WHOLE_DEVICE; self.capacities.devices[*class]];
        let mut free: Vec<Vec<u64>> = self.capacities.class_of.iter().map(count).collect();
        let pinned = self.pinned_devices.iter().enumerate();
        for (job, held) in pinned.filter(|(job, _)| self.is_kept(*job)) {
            let Some(request) = requests[job] else { continue };
            for &(node, on) in held {
                if !take_devices(&mut free[node as usize], on, request.part) {
                    return None;
                }
            }
        }
        let capacities = &self.capacities;
        Some(DevicesOfNode { jobs: self.jobs, capacities, requests, free, node: 0, tasks: Vec::new() })
    }

    /// Packs all kept jobs at a value; `None` if that fails.
    fn pack(&self, value: Yield) -> Option<Vec<Vec<NodeTasks>>> {
        let mut sizes = vec![Vec::new(); self.jobs.len()];
        let least = self.kept.min_weight();
        for (job, size) in sizes.iter_mut().enumerate().filter(|(job, _)| self.is_kept(*job)) {
            let at = u128::from(self.yield_at(job, value, least)?.units());
            let TaskSize { held, used, .. } = size_of(&self.jobs[job]);
            let amounts = held.iter().zip(used);
            size.extend(
                amounts.map(|(&held, &used)| (u128::from(held) << Yield::BITS) + u128::from(used) * at),
            );
        }
        let whole = |node| self.capacities.of(node).iter().map(|&amount| u128::from(amount) << Yield::BITS);
        let nodes = 0..self.capacities.class_of.len();
        let mut free: Vec<Vec<u128>> = nodes.map(|node| whole(node).collect()).collect();
        for (job, size) in self.jobs.iter().zip(&sizes).filter(|(_, size)| !size.is_empty()) {
            for part in job.pinned.into_iter().flatten() {
                for (free, size) in free[part.node.index()].iter_mut().zip(size) {
                    *free = free.checked_sub(size * u128::from(part.tasks))?;
                }
            }
        }
        let mut devices = match self.capacities.devices.is_empty() {
            true => None,
            false => Some(self.devices(value)?),
        };
        let mut lists = self.lists(&sizes);
        let mut ranks: Vec<usize> = (0..lists.len()).collect();
        let mut left: Vec<u32> = self.jobs.iter().map(|job| job.tasks).collect();
        let mut placements = vec![Vec::new(); self.jobs.len()];
        for (node, free) in free.iter_mut().enumerate() {
            let class = self.capacities.class_of[node];
            let fits = |job: usize, free: &[u128], devices: &Option<DevicesOfNode<'_>>| {
                size_of(&self.jobs[job]).allowed[class]
                    && sizes[job].iter().zip(free).all(|(size, free)| size <= free)
                    && devices.as_ref().is_none_or(|devices| devices.has_room(job))
            };
            devices.iter_mut().for_each(|devices| devices.begin(node));
            // Free capacity only shrinks, so a job that did not fit once need not be examined again.
            let mut cursors = vec![0; lists.len()];
            loop {
                if lists.len() > 1 {
                    self.rank_by_free(free, &mut ranks);
                }
                let next = ranks.iter().find_map(|&list| {
                    let passed = lists[list][cursors[list]..]
                        .iter()
                        .take_while(|&&job| left[job] == 0 || !fits(job, free, &devices));
                    cursors[list] += passed.count();
                    lists[list].get(cursors[list]).copied()
                });
                let Some(job) = next else { break };
                let most = if lists.len() > 1 { 1 } else { left[job] };
                let fitting = free.iter().zip(&sizes[job]).filter_map(|(free, size)| free.checked_div(*size));
                let tasks = fitting.fold(most, |most, room| room.min(u128::from(most)) as u32);
                let tasks = devices.as_mut().map_or(tasks, |devices| devices.take(job, tasks));
                free.iter_mut().zip(&sizes[job]).for_each(|(free, size)| *free -= size * u128::from(tasks));
                left[job] -= tasks;
                let on: &mut Vec<NodeTasks> = &mut placements[job];
                match on.last_mut().filter(|last| last.node.index() == node) {
                    Some(last) => last.tasks += tasks,
                    None => on.push(NodeTasks { node: NodeId(node as u32), tasks }),
                }
            }
            lists.iter_mut().for_each(|list| list.retain(|&job| left[job] > 0));
        }
        lists.iter().all(Vec::is_empty).then_some(placements)
    }
}

/// Devices of the node that is being filled.
struct DevicesOfNode<'a> {
    jobs: &'a [PackJob<'a>],
    capacities: &'a Capacities,
    /// Requests of the tasks at their yields, by job.
    requests: Vec<Option<DeviceRequest>>,
    /// Free part of each device of each node beside the pinned jobs.
    free: Vec<Vec<u64>>,
    node: usize,
    /// Tasks on the node that need devices.
    tasks: Vec<DeviceTasks>,
}

impl DevicesOfNode<'_> {
    /// Goes on to a node, which is empty apart from pinned jobs.
    fn begin(&mut self, node: usize) {
        self.node = node;
        self.tasks.clear();
    }
    /// Returns the tasks on the node with one more of a job; `None` if their devices do not suffice.
    fn with(&self, job: usize, request: DeviceRequest) -> Option<Vec<DeviceTasks>> {
        let mut tasks = self.tasks.clone();
        match tasks.iter_mut().find(|it| it.job == job) {
            Some(own) => own.tasks += 1,
            None => {
                let sequence = self.jobs[job].sequence;
                tasks.push(DeviceTasks { job, sequence, tasks: 1, request, on: OnDevices::default() });
            }
        }
        let groups = self.capacities.device_groups_of(self.node);
        bind_in_order(&mut self.free[self.node].clone(), groups, &mut tasks).then_some(tasks)
    }
    /// Returns whether the devices suffice for one more task of a job.
    fn has_room(&self, job: usize) -> bool {
        self.requests[job].is_none_or(|request| self.with(job, request).is_some())
    }
    /// Adds as many tasks of a job as the devices suffice for, at most `most`; returns their number.
    fn take(&mut self, job: usize, most: u32) -> u32 {
        let Some(request) = self.requests[job] else { return most };
        let mut taken = 0;
        while taken < most
            && let Some(tasks) = self.with(job, request)
        {
            self.tasks = tasks;
            taken += 1;
        }
        taken
    }
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> PackingProblem for HeterogeneousNodes<'_, F> {
    fn try_keep(&mut self, job: usize) -> bool {
        self.kept.insert(job, &self.jobs[job]);
        let tasks = u128::from(self.jobs[job].tasks);
        let holds = self.held.iter_mut().zip(&size_of(&self.jobs[job]).held);
        holds.for_each(|(sum, &held)| *sum += u128::from(held) * tasks);
        let may_fit = self.held.iter().zip(&self.totals).all(|(held, total)| held <= total);
        if !may_fit {
            self.drop_job(job);
        }
        may_fit
    }
    fn drop_job(&mut self, job: usize) {
        self.kept.remove(job, &self.jobs[job]);
        let tasks = u128::from(self.jobs[job].tasks);
        let holds = self.held.iter_mut().zip(&size_of(&self.jobs[job]).held);
        holds.for_each(|(sum, &held)| *sum -= u128::from(held) * tasks);
    }
    fn is_kept(&self, job: usize) -> bool {
        self.kept.flags()[job]
    }
    fn range(&self) -> SearchRange {
        let least = self.kept.min_weight();
        self.values.range(|value| {
            (0..self.totals.len()).all(|dimension| {
                let used = |job: usize| {
                    let at = (self.values.yield_at)(job, value, least).map_or(0, Yield::units);
                    let used = u128::from(size_of(&self.jobs[job]).used[dimension]) * u128::from(at);
                    used * u128::from(self.jobs[job].tasks)
                };
                let kept = (0..self.jobs.len()).filter(|&job| self.is_kept(job));
                kept.map(used).sum::<u128>() <= self.totals[dimension] << Yield::BITS
            })
        })
    }
    fn packs_at(&mut self, value: Yield) -> bool {
        let packed = self.pack(value);
        if packed.is_some() && self.capacities.devices_are_shared {
            let least = self.kept.min_weight();
            let at = |job: usize| self.yield_at(job, value, least).filter(|_| self.is_kept(job));
            self.found_yields = (0..self.jobs.len()).map(|job| at(job).unwrap_or(Yield::ZERO)).collect();
        }
        let is_packed = packed.is_some();
        self.found = packed.unwrap_or_else(|| std::mem::take(&mut self.found));
        is_packed
    }
    fn write_placements(self, found: Option<Yield>, placements: &mut Placements) -> Yield {
        let is_found = |job: usize| found.is_some() && self.is_kept(job) && self.jobs[job].pinned.is_none();
        let highest = self.range().highest;
        placements.packed_yields.clone_from(&self.found_yields);
        placements
            .set((0..self.jobs.len()).map(|job| if is_found(job) { &self.found[job][..] } else { &[] }));
        found.unwrap_or(highest)
    }
}
