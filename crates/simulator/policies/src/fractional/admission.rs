//! Admission of an arriving job by preemption (dissertation, section 5.2.3): GreedyP and GreedyPM.

use super::mapper::{Mapper, Placed};
use super::nodes::{FreeMemory, PlacementRequest, Task};
use super::priority::{Claim, Ranked};
use dfrsim_cluster::View;

/// Selects victims for a claim: removes jobs that it may preempt from their nodes, by increasing
/// priority, until the wanted tasks fit. Returns them by decreasing priority. If the tasks do not
/// fit even then, all victims are restored and the result is `None`.
///
/// Greedy places all tasks if and only if the sum over the nodes of the tasks that fit into the free
/// memory of each is sufficient, so a count decides.
pub(super) fn select_victims(
    mapping: &mut Mapper,
    view: View<'_>,
    lowest_first: &[Ranked],
    wanted: PlacementRequest,
    claim: Claim,
) -> Option<Vec<Placed>> {
    let mut room = mapping.nodes.fit_count(wanted);
    let mut marked: Vec<Placed> = Vec::new();
    let mut lowest_first = lowest_first.iter();
    while room < u64::from(wanted.tasks) {
        let ranker = mapping.ranker(view);
        let Some(job) = lowest_first.find(|&&job| ranker.may_preempt(claim, job)).map(Ranked::job) else {
            for (job, placement) in marked.into_iter().rev() {
                mapping.place_on(job, Task::of(view, job), placement);
            }
            return None;
        };
        if mapping.is_placed(job) {
            let before = mapping.nodes.fit_count_on(mapping.placement(job), wanted);
            let placement = mapping.remove(job, Task::of(view, job));
            room = room - before + mapping.nodes.fit_count_on(&placement, wanted);
            marked.push((job, placement));
        }
    }
    marked.reverse();
    Some(marked)
}

/// Restores victims, in their order, while the wanted tasks still fit alongside; keeps the others in
/// `marked`.
pub(super) fn keep_if_fits(
    mapping: &mut Mapper,
    view: View<'_>,
    marked: &mut Vec<Placed>,
    wanted: PlacementRequest,
) {
    let mut room = mapping.nodes.fit_count(wanted);
    marked.retain_mut(|(job, placement)| {
        let task = Task::of(view, *job);
        let before = mapping.nodes.fit_count_on(placement, wanted);
        mapping.nodes.add(placement, task);
        let after = mapping.nodes.fit_count_on(placement, wanted);
        mapping.nodes.remove(placement, task);
        let fits_beside = room - before + after >= u64::from(wanted.tasks);
        if fits_beside {
            room = room - before + after;
            mapping.place_on(*job, task, std::mem::take(placement));
        }
        !fits_beside
    });
}

/// Restores victims to their former nodes where memory allows; keeps the others in `marked`.
pub(super) fn restore_in_place(mapping: &mut Mapper, view: View<'_>, marked: &mut Vec<Placed>) {
    marked.retain_mut(|(job, placement)| {
        let task = Task::of(view, *job);
        let is_free = mapping.nodes.can_add(placement, task);
        if is_free {
            mapping.place_on(*job, task, std::mem::take(placement));
        }
        !is_free
    });
}

/// Migrates victims instead of pausing them where Greedy finds nodes for them.
pub(super) fn migrate_victims(
    mapping: &mut Mapper,
    view: View<'_>,
    paused: &[Placed],
    room: &mut FreeMemory,
) {
    mapping.nodes.store_free_memory(room);
    for &(job, _) in paused {
        let wanted = PlacementRequest::of(view, job);
        let is_tried = !mapping.is_blocked(job) && mapping.nodes.fits(room, wanted);
        if is_tried && !mapping.place(view, wanted) {
            room.reject(wanted.task.memory, wanted.tasks);
        }
    }
}
