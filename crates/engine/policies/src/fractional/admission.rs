//! Making room for a job that arrives (dissertation, section 5.2.3): GreedyP and GreedyPM.

use super::mapping::{Mapping, Placed};
use super::node_table::TaskSize;
use super::priority::Ranking;
use dfrsim_cluster::View;
use dfrsim_model::{NodeTasks, Share};

/// Takes running jobs off their nodes by increasing priority until a job of `tasks` tasks fits. They, by decreasing
/// priority; nothing if the job does not fit even alone, in which case all of them are back.
///
/// Greedy places all tasks if and only if the free memory of the nodes, each by itself, takes as many, so a count decides.
pub(super) fn mark(
    mapping: &mut Mapping,
    view: View<'_>,
    ranking: &Ranking,
    memory: Share,
    tasks: u32,
) -> Option<Vec<Placed>> {
    let wanted = u64::from(tasks);
    let mut room = mapping.nodes.room(memory, tasks);
    let mut marked: Vec<Placed> = Vec::new();
    let mut lowest_first = ranking.highest_first().rev();
    while room < wanted {
        let Some(job) = lowest_first.next() else {
            for (job, placement) in marked.into_iter().rev() {
                mapping.put_back(job, TaskSize::of(view.job(job)), placement);
            }
            return None;
        };
        if mapping.runs(job) {
            let before = room_on(mapping, mapping.placement(job), memory, tasks);
            let placement = mapping.take_off(job, TaskSize::of(view.job(job)));
            room = room - before + room_on(mapping, &placement, memory, tasks);
            marked.push((job, placement));
        }
    }
    marked.reverse();
    Some(marked)
}

/// Marked jobs go back, in their order, if the new job still fits beside them; those that stay off remain.
pub(super) fn unmark_beside(
    mapping: &mut Mapping,
    view: View<'_>,
    marked: &mut Vec<Placed>,
    memory: Share,
    tasks: u32,
) {
    let wanted = u64::from(tasks);
    let mut room = mapping.nodes.room(memory, tasks);
    marked.retain_mut(|(job, placement)| {
        let task = TaskSize::of(view.job(*job));
        let before = room_on(mapping, placement, memory, tasks);
        mapping.nodes.add(placement, task);
        let after = room_on(mapping, placement, memory, tasks);
        mapping.nodes.remove(placement, task);
        let fits_beside = room - before + after >= wanted;
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

/// How many tasks of this memory the nodes of a placement take, at most `most` on each.
fn room_on(mapping: &Mapping, placement: &[NodeTasks], memory: Share, most: u32) -> u64 {
    placement.iter().map(|part| u64::from(mapping.nodes.room_on(part.node, memory, most))).sum()
}
