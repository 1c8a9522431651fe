//! Preemption by class, which pauses jobs.
//!
//! An unplaced job whose class may preempt others is placed by preempting running jobs of these
//! classes, as few as suffice and in the order that batch policies use (`site`). They are paused in
//! every preemption mode except off, and keep their progress. Waiting jobs of higher rank are tried
//! first.

use super::mapper::{Mapper, Placed};
use super::nodes::{PlacementRequest, Task};
use crate::site::select_victims;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::SimTime;

/// Places those of these unplaced jobs whose class may preempt others, if necessary by preemption;
/// returns whether any was placed.
pub(super) fn preempt_by_class(
    mapper: &mut Mapper,
    view: View<'_>,
    ranked: impl Iterator<Item = JobHandle>,
) -> bool {
    let mut is_any_placed = false;
    for job in ranked {
        let Some(site) = mapper.site.as_ref().filter(|site| site.may_preempt(job) && !mapper.is_blocked(job))
        else {
            continue;
        };
        let mut candidates = site.candidates(view.now(), job);
        candidates.retain(|&other| mapper.is_placed(other));
        if mapper.place_greedily(view, job) {
            is_any_placed = true;
            continue;
        }
        let wanted = PlacementRequest::of(view, job);
        let leaving = select_victims(&candidates, |some| {
            let off = remove_all(mapper, view, some);
            let has_room = mapper.nodes.fit_count(wanted) >= u64::from(wanted.tasks);
            for (other, placement) in off.into_iter().rev() {
                mapper.place_on(other, Task::of(view, other), placement);
            }
            has_room
        });
        if let Some(leaving) = leaving {
            remove_all(mapper, view, &leaving);
            let is_placed = mapper.place_greedily(view, job);
            debug_assert!(is_placed, "the preempted jobs must have released enough memory");
            is_any_placed |= is_placed;
        }
    }
    is_any_placed
}

fn remove_all(mapper: &mut Mapper, view: View<'_>, jobs: &[JobHandle]) -> Vec<Placed> {
    jobs.iter().map(|&job| (job, mapper.remove(job, Task::of(view, job)))).collect()
}

impl Mapper {
    /// Returns the next time at which a running job becomes preemptible for one of these unplaced
    /// jobs.
    pub(super) fn next_candidate(
        &self,
        view: View<'_>,
        jobs: impl Iterator<Item = JobHandle>,
    ) -> Option<SimTime> {
        let site = self.site.as_ref().filter(|site| site.has_preemption())?;
        site.next_candidate(view.now(), jobs.filter(|&job| !self.is_placed(job)))
    }
}
