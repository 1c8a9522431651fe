//! What a call of MCB may move, and under which names of nodes.

use super::mapper::Mapper;
use super::nodes::{Task, Wanted};
use super::scheduler::weights_of;
use dfrsim_cluster::{JobHandle, JobState, JobView, NodeRange, Placement, View};
use dfrsim_model::offline::{Adaptation, Mapping};
use dfrsim_model::{NodeTasks, Yield};
use dfrsim_packing::mcb::{Mcb, PackJob};
use dfrsim_packing::relabelled;
use std::borrow::Cow;
use std::ops::Range;

/// Of jobs that are about to be mapped, those that may be paused but not moved, and their nodes.
#[derive(Debug, Default)]
pub(super) struct Pins {
    parts: Vec<NodeTasks>,
    of: Vec<Option<Range<usize>>>,
}

impl Pins {
    /// Pins the jobs that have a placement here.
    pub(super) fn at<'a>(placements: impl Iterator<Item = Option<&'a [NodeRange]>>) -> Pins {
        let mut parts = Vec::new();
        let mut part_of = |placement| {
            let begin = parts.len();
            parts.extend(Placement::new(placement));
            begin..parts.len()
        };
        let of = placements.map(|placement| placement.map(&mut part_of)).collect();
        Pins { parts, of }
    }

    fn are_set(&self, place: usize) -> bool {
        self.of[place].is_some()
    }

    /// The jobs as MCB takes them.
    pub(super) fn jobs<'a>(
        &'a self,
        view: View<'_>,
        mapper: &'a Mapper,
        ranked: &[JobHandle],
    ) -> Vec<PackJob<'a>> {
        let sizes = mapper.nodes.sizes();
        let jobs = ranked.iter().zip(&self.of).map(|(&handle, pinned)| {
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

/// Gives the nodes of a new mapping the names with which the least memory moves; jobs without nodes are those left out.
pub(super) fn relabel(
    view: View<'_>,
    mapper: &Mapper,
    ranked: &[JobHandle],
    pins: &Pins,
    mapping: &Mapping,
) -> Mapping {
    let described = || ranked.iter().map(|&job| view.job(job));
    let all: u64 = described().map(|job| u64::from(job.tasks()) * memory(job)).sum();
    // Keeping the nodes of pinned tasks is worth more than all other moves.
    let cost = |(place, job)| if pins.are_set(place) { all + 1 } else { memory(job) };
    let problem = Adaptation {
        instance: mapper.nodes.instance(view, ranked),
        current: described().map(|job| Placement::new(&home(mapper, job)).to_vec()).collect(),
        cost: described().enumerate().map(cost).collect(),
    };
    relabelled(&problem, mapping)
}

/// Keeps a budget of memory to be moved, in [`Share`](dfrsim_model::Share) units.
pub(super) struct Budget<'a> {
    pub(super) view: View<'a>,
    pub(super) mapper: &'a Mapper,
    /// The jobs that are mapped, by decreasing priority.
    pub(super) ranked: &'a [JobHandle],
    /// Those that may not move at all.
    pub(super) pins: &'a Pins,
    pub(super) units: u64,
}

impl Budget<'_> {
    /// The new mapping, if going over to it moves no more than the budget; or else the one that MCB finds if fewer jobs may move.
    ///
    /// Jobs may move in the order of their yields now, the lowest first, as those of the most loaded nodes have it; of equal ones the
    /// smallest first. The others are pinned where they are. None may move, or as many as keep the budget for sure, or more as far as
    /// bisection finds: of these mappings the one that leaves out the fewest jobs, then has the largest yield, then moves least, is
    /// taken. Jobs that it leaves out then stay where they are or start where Greedy finds room, by decreasing priority. Pauses and resumes
    /// are not counted.
    pub(super) fn keep(&self, mcb: &mut Mcb, yields: &[Yield], mapping: Mapping) -> Mapping {
        let Budget { view, mapper, ranked, .. } = *self;
        let homes: Vec<_> = ranked.iter().map(|&job| home(mapper, view.job(job))).collect();
        if self.moves(&homes, &mapping) <= self.units {
            return mapping;
        }
        let weights = weights_of(view, ranked);
        let size = |place: usize| {
            let job = view.job(ranked[place]);
            u64::from(job.tasks()) * memory(job)
        };
        let mut movable: Vec<usize> = (0..ranked.len())
            .filter(|&place| !homes[place].is_empty() && !self.pins.are_set(place))
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
        // The jobs that it keeps, their yield, and what of the budget is left.
        let mut best: Option<((usize, Yield, u64), Mapping)> = None;
        let mut stays = vec![true; ranked.len()];
        let (mut few, mut many) = (0, movable.len() + 1);
        let mut count = 0;
        while few < many {
            for (at, &place) in movable.iter().enumerate() {
                stays[place] = at >= count;
            }
            let places = stays.iter().zip(&homes);
            let pins = Pins::at(places.map(|(stays, home)| (*stays && !home.is_empty()).then_some(&**home)));
            let jobs = pins.jobs(view, mapper, ranked);
            let found = match &weights {
                Some(weights) => mcb.map_weighted(&jobs, weights),
                None => mcb.map(&jobs),
            };
            let value = found.value();
            let mapping: Mapping = (0..ranked.len()).map(|place| found.placement(place).to_vec()).collect();
            if let Some(left) = self.units.checked_sub(self.moves(&homes, &mapping)) {
                let kept = mapping.iter().filter(|placement| !placement.is_empty()).count();
                let worth = (kept, value, left);
                if best.as_ref().is_none_or(|best| best.0 < worth) {
                    best = Some((worth, mapping));
                }
                few = count + 1;
            } else {
                many = count;
            }
            count = few.midpoint(many).max(surely);
        }
        let (_, mut mapping) = best.expect("no budget forbids that all stay");
        self.fill_up(&homes, &mut mapping);
        mapping
    }

    /// What going over to a mapping moves. Jobs that it leaves out are paused or stay.
    fn moves(&self, homes: &[Cow<'_, [NodeRange]>], mapping: &Mapping) -> u64 {
        let moved = self.ranked.iter().zip(homes).zip(mapping).map(|((&job, home), placement)| {
            let tasks = match placement.as_slice() {
                [] => 0,
                placement => Placement::new(home).moved_to(Placement::new(&ranges(placement))),
            };
            u64::from(tasks) * memory(self.view.job(job))
        });
        moved.sum()
    }

    /// Places the jobs that have no nodes, where they are already or by Greedy, as long as there is room.
    fn fill_up(&self, homes: &[Cow<'_, [NodeRange]>], mapping: &mut Mapping) {
        let mut nodes = self.mapper.nodes.emptied();
        for (&job, placement) in self.ranked.iter().zip(&*mapping) {
            nodes.add(&ranges(placement), Task::of(self.view, job));
        }
        let left_out =
            self.ranked.iter().zip(homes).zip(mapping).filter(|(_, placement)| placement.is_empty());
        for ((&job, home), placement) in left_out {
            let wanted = Wanted::of(self.view, job);
            let mut place = Vec::new();
            if home.is_empty() {
                nodes.place_greedily(wanted, &mut place);
            } else if nodes.have_room(home, wanted.task) {
                nodes.add(home, wanted.task);
                place.extend_from_slice(home);
            }
            *placement = Placement::new(&place).to_vec();
        }
    }
}

fn memory(job: JobView<'_>) -> u64 {
    job.memory().units().into()
}

/// The nodes of a placement as ranges.
pub(super) fn ranges(placement: &[NodeTasks]) -> Vec<NodeRange> {
    let mut ranges = Vec::new();
    placement.iter().for_each(|part| NodeRange::from(part).push_onto(&mut ranges));
    ranges
}

/// Where the tasks of a running job are in the cluster; on no node, if one of its nodes is not available any more.
fn home<'a>(mapper: &Mapper, job: JobView<'a>) -> Cow<'a, [NodeRange]> {
    let is_running = job.state() == JobState::Running;
    is_running.then(|| mapper.available.to_own(job.placement().ranges())).flatten().unwrap_or_default()
}
