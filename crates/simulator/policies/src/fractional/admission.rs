//! Making room for a job that arrives (dissertation, section 5.2.3): GreedyP and GreedyPM.

use super::mapper::{Mapper, Placed};
use super::nodes::{Room, Task, Wanted};
use super::priority::{Claim, Ranked};
use dfrsim_cluster::View;

/// Takes those of these jobs that a claim makes leave off their nodes, by increasing priority, until the wanted tasks fit. They, by decreasing
/// priority; `None` if the tasks do not fit even then, in which case all of them are back.
///
/// Greedy places all tasks if and only if the free memory of the nodes, each by itself, takes as many, so a count decides.
pub(super) fn mark(
    mapping: &mut Mapper,
    view: View<'_>,
    lowest_first: &[Ranked],
    wanted: Wanted,
    claim: Claim,
) -> Option<Vec<Placed>> {
    let mut room = mapping.nodes.room(wanted);
    let mut marked: Vec<Placed> = Vec::new();
    let mut lowest_first = lowest_first.iter();
    while room < u64::from(wanted.tasks) {
        let ranker = mapping.ranker(view);
        let Some(job) = lowest_first.find(|&&job| ranker.makes_leave(claim, job)).map(Ranked::job) else {
            for (job, placement) in marked.into_iter().rev() {
                mapping.put_back(job, Task::of(view, job), placement);
            }
            return None;
        };
        if mapping.runs(job) {
            let before = mapping.nodes.room_on(mapping.placement(job), wanted);
            let placement = mapping.take_off(job, Task::of(view, job));
            room = room - before + mapping.nodes.room_on(&placement, wanted);
            marked.push((job, placement));
        }
    }
    marked.reverse();
    Some(marked)
}

/// Marked jobs go back, in their order, if the wanted tasks still fit beside them; those that stay off remain.
pub(super) fn unmark_beside(mapping: &mut Mapper, view: View<'_>, marked: &mut Vec<Placed>, wanted: Wanted) {
    let mut room = mapping.nodes.room(wanted);
    marked.retain_mut(|(job, placement)| {
        let task = Task::of(view, *job);
        let before = mapping.nodes.room_on(placement, wanted);
        mapping.nodes.add(placement, task);
        let after = mapping.nodes.room_on(placement, wanted);
        mapping.nodes.remove(placement, task);
        let fits_beside = room - before + after >= u64::from(wanted.tasks);
        if fits_beside {
            room = room - before + after;
            mapping.put_back(*job, task, std::mem::take(placement));
        }
        !fits_beside
    });
}

/// Marked jobs go back, in their order, if their memory is free where they were; those that stay off remain.
pub(super) fn unmark_where_free(mapping: &mut Mapper, view: View<'_>, marked: &mut Vec<Placed>) {
    marked.retain_mut(|(job, placement)| {
        let task = Task::of(view, *job);
        let is_free = mapping.nodes.have_room(placement, task);
        if is_free {
            mapping.put_back(*job, task, std::mem::take(placement));
        }
        !is_free
    });
}

/// Jobs that were paused for others move instead where Greedy finds room.
pub(super) fn move_where_free(mapping: &mut Mapper, view: View<'_>, paused: &[Placed], room: &mut Room) {
    mapping.nodes.note(room);
    for &(job, _) in paused {
        let wanted = Wanted::of(view, job);
        if mapping.nodes.take(room, wanted) && !mapping.place(view, wanted) {
            room.refuse(wanted.task.memory, wanted.tasks);
        }
    }
}
