//! Budget of memory that a call of MCB may move, and relabelling of nodes.

use super::devices::DevicesOnNodes;
use super::mapper::Mapper;
use super::nodes::{PlacementRequest, Task};
use super::weights::weights_of;
use dfrsim_cluster::{JobHandle, JobState, JobView, NodeRange, Placement, View};
use dfrsim_model::offline::{Adaptation, Mapping};
use dfrsim_model::{NodeTasks, Yield};
use dfrsim_packing::mcb::{Mcb, PackJob};
use dfrsim_packing::relabelled;
use std::borrow::Cow;
use std::ops::Range;

/// Jobs that may be paused but not moved in the next mapping, and their nodes.
#[derive(Debug, Default)]
pub(super) struct Pins {
    parts: Vec<NodeTasks>,
    by_job: Vec<Option<Range<usize>>>,
}

impl Pins {
    /// Pins the jobs for which there is a placement.
    pub(super) fn from_placements<'a>(placements: impl Iterator<Item = Option<&'a [NodeRange]>>) -> Pins {
        let mut parts = Vec::new();
        let mut part_of = |placement| {
            let begin = parts.len();
            parts.extend(Placement::new(placement));
            begin..parts.len()
        };
        let by_job = placements.map(|placement| placement.map(&mut part_of)).collect();
        Pins { parts, by_job }
    }

    fn is_pinned(&self, place: usize) -> bool {
        self.by_job[place].is_some()
    }

    /// Converts the jobs to the input of MCB.
    pub(super) fn jobs<'a>(
        &'a self,
        view: View<'_>,
        mapper: &'a Mapper,
        ranked: &[JobHandle],
    ) -> Vec<PackJob<'a>> {
        let sizes = mapper.nodes.sizes();
        let jobs = ranked.iter().zip(&self.by_job).map(|(&handle, pinned)| {
            let job = view.job(handle);
            PackJob {
                tasks: job.tasks(),
                need: job.cpu_need(),
                memory: job.memory(),
                sequence: job.sequence(),
                pinned: pinned.clone().map(|pinned| &self.parts[pinned]),
                size: sizes.map(|sizes| &sizes[handle.index()]),
            }
        });
        jobs.collect()
    }
}

/// Relabels the nodes of a new mapping so that the least memory moves. Jobs that the mapping leaves
/// out have no nodes.
pub(super) fn relabel(
    view: View<'_>,
    mapper: &Mapper,
    ranked: &[JobHandle],
    pins: &Pins,
    mapping: &Mapping,
) -> Mapping {
    let described = || ranked.iter().map(|&job| view.job(job));
    let all: u64 = described().map(|job| u64::from(job.tasks()) * memory(job)).sum();
    // Keeping one pinned task in place outweighs all other moves.
    let cost = |(place, job)| if pins.is_pinned(place) { all + 1 } else { memory(job) };
    let problem = Adaptation {
        instance: mapper.nodes.instance(view, ranked),
        current: described().map(|job| Placement::new(&current_placement(mapper, job)).to_vec()).collect(),
        cost: described().enumerate().map(cost).collect(),
    };
    relabelled(&problem, mapping)
}

/// Budget of memory to be moved, in [`Share`](dfrsim_model::Share) units.
pub(super) struct Budget<'a> {
    pub(super) view: View<'a>,
    pub(super) mapper: &'a Mapper,
    /// Jobs to be mapped, by decreasing priority.
    pub(super) ranked: &'a [JobHandle],
    /// Jobs that must not move.
    pub(super) pins: &'a Pins,
    pub(super) units: u64,
}

impl Budget<'_> {
    /// Returns the new mapping if adopting it moves no more memory than the budget; otherwise the
    /// one that MCB finds if fewer jobs may move.
    ///
    /// Jobs become movable in ascending order of their current yields, as the jobs of the most
    /// loaded nodes have the lowest; among equal ones, the smallest come first. All others are
    /// pinned. The number of movable jobs is tried as 0, as the largest number that certainly keeps
    /// the budget, and by bisection above that. Of these mappings, the one that leaves out the
    /// fewest jobs, then has the largest yield, then moves the least memory, is chosen. The jobs
    /// that it leaves out then stay where they are or start where Greedy finds nodes for them, by
    /// decreasing priority. Pauses and resumes are not counted.
    ///
    /// Returns the mapping, and the devices of its jobs if nodes have devices and the budget changed it.
    pub(super) fn enforce(
        &self,
        mcb: &mut Mcb,
        yields: &[Yield],
        mapping: Mapping,
    ) -> (Mapping, Option<Vec<DevicesOnNodes>>) {
        let Budget { view, mapper, ranked, .. } = *self;
        let homes: Vec<_> = ranked.iter().map(|&job| current_placement(mapper, view.job(job))).collect();
        if self.moved_memory(&homes, &mapping) <= self.units {
            return (mapping, None);
        }
        let home_devices = self.home_devices();
        let weights = weights_of(view, ranked);
        let size = |place: usize| {
            let job = view.job(ranked[place]);
            u64::from(job.tasks()) * memory(job)
        };
        let mut movable: Vec<usize> = (0..ranked.len())
            .filter(|&place| !homes[place].is_empty() && !self.pins.is_pinned(place))
            .collect();
        movable.sort_by_key(|&place| {
            (yields[ranked[place].index()], size(place), view.job(ranked[place]).sequence())
        });
        let mut left = self.units;
        let surely = movable.iter().take_while(|&&place| {
            let fits = size(place) <= left;
            left = left.saturating_sub(size(place));
            fits
        });
        let surely = surely.count();
        // Number of jobs kept, their yield, and the unused part of the budget.
        let mut best: Option<((usize, Yield, u64), WithDevices)> = None;
        let mut stays = vec![true; ranked.len()];
        let (mut few, mut many) = (0, movable.len() + 1);
        let mut count = 0;
        while few < many {
            for (at, &place) in movable.iter().enumerate() {
                stays[place] = at >= count;
            }
            let places = stays.iter().zip(&homes);
            let pins = Pins::from_placements(
                places.map(|(stays, home)| (*stays && !home.is_empty()).then_some(&**home)),
            );
            let jobs = pins.jobs(view, mapper, ranked);
            let is_pinned = stays.iter().zip(&homes).map(|(stays, home)| *stays && !home.is_empty());
            let of_pins = home_devices.iter().zip(is_pinned);
            let of_pins = of_pins.map(|(home, stays)| if stays { home.clone() } else { Vec::new() });
            let pinned: Vec<DevicesOnNodes> = of_pins.collect();
            mcb.pin_devices(pinned.clone());
            let found = match &weights {
                Some(weights) => mcb.map_weighted(&jobs, weights),
                None => mcb.map(&jobs),
            };
            let value = found.value();
            let packed: Vec<Yield> = (0..home_devices.len()).map(|place| found.packed_yield(place)).collect();
            let mapping: Mapping = (0..ranked.len()).map(|place| found.placement(place).to_vec()).collect();
            if let Some(left) = self.units.checked_sub(self.moved_memory(&homes, &mapping)) {
                let kept = mapping.iter().filter(|placement| !placement.is_empty()).count();
                let worth = (kept, value, left);
                if best.as_ref().is_none_or(|best| best.0 < worth) {
                    best = Some((worth, WithDevices { mapping, pinned, packed }));
                }
                few = count + 1;
            } else {
                many = count;
            }
            count = few.midpoint(many).max(surely);
        }
        let (_, mut best) = best.expect("a mapping in which no job moves must keep any budget");
        let devices = self.place_left_out(&homes, &mut best);
        (best.mapping, Some(devices).filter(|_| mapper.nodes.has_devices()))
    }

    /// Returns the devices of the jobs in the cluster; empty if nodes have none.
    fn home_devices(&self) -> Vec<DevicesOnNodes> {
        let Budget { view, mapper, ranked, .. } = *self;
        let all = ranked.iter().filter(|_| mapper.nodes.has_devices());
        all.map(|&job| mapper.home_devices(view, job)).collect()
    }

    /// Computes the memory that moves when a mapping is adopted. Jobs that it leaves out are paused
    /// or stay.
    fn moved_memory(&self, homes: &[Cow<'_, [NodeRange]>], mapping: &Mapping) -> u64 {
        let moved = self.ranked.iter().zip(homes).zip(mapping).map(|((&job, home), placement)| {
            let tasks = match placement.as_slice() {
                [] => 0,
                placement => Placement::new(home).moved_to(Placement::new(&ranges(placement))),
            };
            u64::from(tasks) * memory(self.view.job(job))
        });
        moved.sum()
    }

    /// Places the jobs without nodes, at their current nodes or by Greedy, while they fit. Returns the
    /// devices of all jobs.
    fn place_left_out(
        &self,
        homes: &[Cow<'_, [NodeRange]>],
        WithDevices { mapping, pinned, packed }: &mut WithDevices,
    ) -> Vec<DevicesOnNodes> {
        let mut nodes = self.mapper.nodes.without_tasks();
        if nodes.has_devices() {
            let devices = self.mapper.bind_mapping(self.view, self.ranked, mapping, pinned, packed);
            let all = self.ranked.iter().zip(&*mapping).zip(devices).zip(self.home_devices());
            for (((&job, placement), devices), home) in all {
                nodes.remember_devices(job, if placement.is_empty() { home } else { devices });
            }
        }
        for (&job, placement) in self.ranked.iter().zip(&*mapping) {
            nodes.add(&ranges(placement), Task::of(self.view, job));
        }
        let left_out =
            self.ranked.iter().zip(homes).zip(mapping).filter(|(_, placement)| placement.is_empty());
        for ((&job, home), placement) in left_out {
            let wanted = PlacementRequest::of(self.view, job);
            let mut place = Vec::new();
            if home.is_empty() {
                nodes.place_greedily(wanted, &mut place);
            } else if nodes.can_add(home, wanted.task) {
                nodes.add(home, wanted.task);
                place.extend_from_slice(home);
            }
            *placement = Placement::new(&place).to_vec();
        }
        self.ranked.iter().map(|&job| nodes.devices(job).to_vec()).collect()
    }
}

/// Mapping under a budget. The other fields are empty if nodes have no devices.
struct WithDevices {
    mapping: Mapping,
    /// Devices of the pinned jobs, by job.
    pinned: Vec<DevicesOnNodes>,
    /// Yields at which the jobs were packed.
    packed: Vec<Yield>,
}

fn memory(job: JobView<'_>) -> u64 {
    job.memory().units().into()
}

/// Converts a placement to ranges of nodes.
pub(super) fn ranges(placement: &[NodeTasks]) -> Vec<NodeRange> {
    let mut ranges = Vec::new();
    placement.iter().for_each(|part| NodeRange::from(part).push_onto(&mut ranges));
    ranges
}

/// Returns the current nodes of a running job; empty if one of them is no longer available.
fn current_placement<'a>(mapper: &Mapper, job: JobView<'a>) -> Cow<'a, [NodeRange]> {
    let is_running = job.state() == JobState::Running;
    is_running.then(|| mapper.available.to_numbers(job.placement().ranges())).flatten().unwrap_or_default()
}
