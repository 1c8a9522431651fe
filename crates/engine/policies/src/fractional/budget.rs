//! What a call of MCB may move, and under which names of nodes.

use super::mapper::Mapper;
use super::nodes::{Task, Wanted};
use dfrsim_adaptation::{Adapter, relabelled};
use dfrsim_cluster::{JobHandle, JobState, JobView, NodeRange, Placement, View};
use dfrsim_model::NodeTasks;
use dfrsim_model::offline::{Adaptation, Mapping};
use std::borrow::Cow;

/// A job as it is about to be mapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) handle: JobHandle,
    /// Whether it may be paused but not moved.
    pub(super) pinned: bool,
}

/// Brings a new mapping nearer to the one that the cluster has.
#[derive(Debug)]
pub(super) struct Mover {
    adapter: Adapter,
}

impl Default for Mover {
    fn default() -> Mover {
        Mover { adapter: Adapter::hasty() }
    }
}

impl Mover {
    /// Gives the nodes of a new mapping the names with which the least memory moves; jobs without nodes are those left out.
    pub(super) fn relabel(
        &self,
        view: View<'_>,
        mapper: &Mapper,
        jobs: &[Candidate],
        mapping: &Mapping,
    ) -> Mapping {
        let all: u64 = jobs
            .iter()
            .map(|job| view.job(job.handle))
            .map(|job| u64::from(job.tasks()) * u64::from(job.memory().units()))
            .sum();
        // Keeping the nodes of pinned tasks is worth more than all other moves.
        relabelled(&problem(view, mapper, jobs, Some(all + 1)), mapping)
    }

    /// The new mapping, if going over to it moves no more than the budget, in [`Share`] units of memory; or else one that
    /// keeps the budget: of the same jobs, with the largest minimum yield that is found.
    ///
    /// Should no such mapping be found, jobs of the lowest priorities are left out, as MCB does (by bisection of their number).
    /// Those that are left out then stay where they are or start where Greedy finds room, by decreasing priority. Pauses and
    /// resumes are not counted.
    pub(super) fn limit(
        &mut self,
        view: View<'_>,
        mapper: &Mapper,
        jobs: &[Candidate],
        mapping: Mapping,
        budget: u64,
    ) -> Mapping {
        if problem(view, mapper, jobs, None).moving(&only_running(view, mapper, jobs, &mapping)) <= budget {
            return mapping;
        }
        let kept: Vec<usize> = (0..jobs.len()).filter(|&place| !mapping[place].is_empty()).collect();
        let mut adapted = vec![Vec::new(); jobs.len()];
        let (mut few, mut many) = (0, kept.len() + 1);
        let mut count = kept.len();
        while few < count && count < many {
            let chosen: Vec<Candidate> = kept[..count].iter().map(|&place| jobs[place]).collect();
            let problem = problem(view, mapper, &chosen, Some(Adaptation::PINNED));
            match self.adapter.adapt(&problem, budget) {
                Some(found) => {
                    for (&place, placement) in kept.iter().zip(found.mapping) {
                        adapted[place] = placement;
                    }
                    few = count;
                }
                None => many = count,
            }
            count = few.midpoint(many);
        }
        fill_up(view, mapper, jobs, &mut adapted);
        adapted
    }
}

/// Places the jobs that have no nodes, where they are already or by Greedy, as long as there is room.
fn fill_up(view: View<'_>, mapper: &Mapper, jobs: &[Candidate], mapping: &mut [Vec<NodeTasks>]) {
    let mut nodes = mapper.nodes.emptied();
    for (job, placement) in jobs.iter().zip(&*mapping) {
        nodes.add(&ranges(placement), Task::of(view, job.handle));
    }
    for (job, placement) in jobs.iter().zip(mapping).filter(|(_, placement)| placement.is_empty()) {
        let wanted = Wanted::of(view, job.handle);
        let mut home = home(mapper, view.job(job.handle)).into_owned();
        if home.is_empty() {
            nodes.place_greedily(wanted, &mut home);
        } else if nodes.have_room(&home, wanted.task) {
            nodes.add(&home, wanted.task);
        } else {
            home.clear();
        }
        *placement = Placement::new(&home).to_vec();
    }
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

/// The mapping with jobs that are paused where they are, so that their leaving is not a move.
fn only_running(view: View<'_>, mapper: &Mapper, jobs: &[Candidate], mapping: &Mapping) -> Mapping {
    let places = jobs.iter().zip(mapping);
    let stay = |(job, placement): (&Candidate, &Vec<NodeTasks>)| match placement.as_slice() {
        [] => Placement::new(&home(mapper, view.job(job.handle))).to_vec(),
        placement => placement.to_vec(),
    };
    places.map(stay).collect()
}

/// The adaptation problem of these jobs. Moving a task costs its memory, a pinned one this instead, if it is given.
fn problem(view: View<'_>, mapper: &Mapper, jobs: &[Candidate], pinned: Option<u64>) -> Adaptation {
    let handles: Vec<JobHandle> = jobs.iter().map(|job| job.handle).collect();
    let described = handles.iter().map(|&job| view.job(job));
    Adaptation {
        instance: mapper.nodes.instance(view, &handles),
        current: described.clone().map(|job| Placement::new(&home(mapper, job)).to_vec()).collect(),
        cost: (jobs.iter().zip(described))
            .map(|(job, described)| {
                pinned.filter(|_| job.pinned).unwrap_or(u64::from(described.memory().units()))
            })
            .collect(),
    }
}
