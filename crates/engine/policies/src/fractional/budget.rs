//! What a call of MCB may move, and under which names of nodes.

use super::available::Available;
use super::node_table::{NodeTable, TaskSize};
use dfrsim_adaptation::{Adapter, relabelled};
use dfrsim_cluster::{JobHandle, JobState, JobView, NodeRange, Placement, View};
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeTasks, Share, Yield};
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
        nodes: &Available,
        jobs: &[Candidate],
        mapping: &Mapping,
    ) -> Mapping {
        let all: u64 = jobs
            .iter()
            .map(|job| view.job(job.handle))
            .map(|job| u64::from(job.tasks()) * u64::from(job.memory().units()))
            .sum();
        // Keeping the nodes of pinned tasks is worth more than all other moves.
        relabelled(&problem(view, nodes, jobs, Some(all + 1)), mapping)
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
        nodes: &Available,
        jobs: &[Candidate],
        mapping: Mapping,
        budget: u64,
    ) -> Mapping {
        if problem(view, nodes, jobs, None).moving(&only_running(view, nodes, jobs, &mapping)) <= budget {
            return mapping;
        }
        let kept: Vec<usize> = (0..jobs.len()).filter(|&place| !mapping[place].is_empty()).collect();
        let mut adapted = vec![Vec::new(); jobs.len()];
        let (mut few, mut many) = (0, kept.len() + 1);
        let mut count = kept.len();
        while few < count && count < many {
            let chosen: Vec<Candidate> = kept[..count].iter().map(|&place| jobs[place]).collect();
            let problem = problem(view, nodes, &chosen, Some(Adaptation::PINNED));
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
        fill_up(view, nodes, jobs, &mut adapted);
        adapted
    }
}

/// Places the jobs that have no nodes, where they are already or by Greedy, as long as there is room.
fn fill_up(view: View<'_>, nodes: &Available, jobs: &[Candidate], mapping: &mut [Vec<NodeTasks>]) {
    let mut table = NodeTable::new(nodes.count());
    let task = |job: &Candidate| TaskSize::of(view.job(job.handle));
    for (job, placement) in jobs.iter().zip(&*mapping) {
        table.add(&ranges(placement), task(job));
    }
    for (job, placement) in jobs.iter().zip(mapping).filter(|(_, placement)| placement.is_empty()) {
        let (described, task) = (view.job(job.handle), task(job));
        let mut home = home(nodes, described).into_owned();
        if home.is_empty() {
            table.place_greedily(task, described.tasks(), described.tasks(), &mut home);
        } else if table.has_room(&home, task.memory) {
            table.add(&home, task);
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
fn home<'a>(nodes: &Available, job: JobView<'a>) -> Cow<'a, [NodeRange]> {
    let is_running = job.state() == JobState::Running;
    is_running.then(|| nodes.to_own(job.placement().ranges())).flatten().unwrap_or_default()
}

/// The mapping with jobs that are paused where they are, so that their leaving is not a move.
fn only_running(view: View<'_>, nodes: &Available, jobs: &[Candidate], mapping: &Mapping) -> Mapping {
    let places = jobs.iter().zip(mapping);
    let stay = |(job, placement): (&Candidate, &Vec<NodeTasks>)| match placement.as_slice() {
        [] => Placement::new(&home(nodes, view.job(job.handle))).to_vec(),
        placement => placement.to_vec(),
    };
    places.map(stay).collect()
}

/// The adaptation problem of these jobs. Moving a task costs its memory, a pinned one this instead, if it is given.
fn problem(view: View<'_>, nodes: &Available, jobs: &[Candidate], pinned: Option<u64>) -> Adaptation {
    let described = jobs.iter().map(|job| view.job(job.handle));
    let offline = |job: JobView<'_>| OfflineJob {
        tasks: job.tasks(),
        demand: [job.memory().units(), job.cpu_need().units()].into(),
        least_yield: Yield::ZERO,
    };
    let whole = [Share::ONE.units(); 2];
    Adaptation {
        instance: Instance {
            fixed: 1,
            fluid: 1,
            nodes: vec![whole.into(); nodes.count() as usize],
            jobs: described.clone().map(offline).collect(),
        },
        current: described.clone().map(|job| Placement::new(&home(nodes, job)).to_vec()).collect(),
        cost: (jobs.iter().zip(described))
            .map(|(job, described)| {
                pinned.filter(|_| job.pinned).unwrap_or(u64::from(described.memory().units()))
            })
            .collect(),
    }
}
