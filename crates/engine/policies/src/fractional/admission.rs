//! Making room for a job that arrives (dissertation, section 5.2.3): GreedyP and GreedyPM.

use super::mapping::{Mapping, Placed};
use super::node_table::TaskSize;
use super::priority::Ranking;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::Share;

/// What a job looks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The memory of a task.
    pub(super) memory: Share,
    pub(super) tasks: u32,
    /// How many of them may be on one node.
    pub(super) most: u32,
}

impl Wanted {
    /// Room for its tasks, at most `most` on a node.
    pub(super) fn of(view: View<'_>, job: JobHandle, most: u32) -> Wanted {
        Wanted { memory: view.job(job).memory(), tasks: view.job(job).tasks(), most }
    }
}

/// Takes running jobs that may leave off their nodes by increasing priority until the wanted tasks fit. They, by decreasing
/// priority; `None` if the tasks do not fit even then, in which case all of them are back.
///
/// Greedy places all tasks if and only if the free memory of the nodes, each by itself, takes as many, so a count decides.
pub(super) fn mark(
    mapping: &mut Mapping,
    view: View<'_>,
    ranking: &Ranking,
    wanted: Wanted,
    may_leave: impl Fn(JobHandle) -> bool,
) -> Option<Vec<Placed>> {
    let Wanted { memory, tasks, most } = wanted;
    let mut room = mapping.nodes.room(memory, most);
    let mut marked: Vec<Placed> = Vec::new();
    let mut lowest_first = ranking.highest_first().rev().filter(|&job| may_leave(job));
    while room < u64::from(tasks) {
        let Some(job) = lowest_first.next() else {
            for (job, placement) in marked.into_iter().rev() {
                mapping.put_back(job, TaskSize::of(view.job(job)), placement);
            }
            return None;
        };
        if mapping.runs(job) {
            let before = mapping.nodes.room_on(mapping.placement(job), memory, most);
            let placement = mapping.take_off(job, TaskSize::of(view.job(job)));
            room = room - before + mapping.nodes.room_on(&placement, memory, most);
            marked.push((job, placement));
        }
    }
    marked.reverse();
    Some(marked)
}

/// Marked jobs go back, in their order, if the wanted tasks still fit beside them; those that stay off remain.
pub(super) fn unmark_beside(mapping: &mut Mapping, view: View<'_>, marked: &mut Vec<Placed>, wanted: Wanted) {
    let Wanted { memory, tasks, most } = wanted;
    let mut room = mapping.nodes.room(memory, most);
    marked.retain_mut(|(job, placement)| {
        let task = TaskSize::of(view.job(*job));
        let before = mapping.nodes.room_on(placement, memory, most);
        mapping.nodes.add(placement, task);
        let after = mapping.nodes.room_on(placement, memory, most);
        mapping.nodes.remove(placement, task);
        let fits_beside = room - before + after >= u64::from(tasks);
        if fits_beside {
            room = room - before + after;
            mapping.put_back(*job, task, std::mem::take(placement));
        }
        !fits_beside
    });
}

/// Marked jobs go back, in their order, if their memory is free where they were; those that stay off remain.
pub(super) fn unmark_where_free(mapping: &mut Mapping, view: View<'_>, marked: &mut Vec<Placed>) {
    marked.retain_mut(|(job, placement)| {
        let task = TaskSize::of(view.job(*job));
        let is_free = mapping.nodes.has_room(placement, task.memory);
        if is_free {
            mapping.put_back(*job, task, std::mem::take(placement));
        }
        !is_free
    });
}
