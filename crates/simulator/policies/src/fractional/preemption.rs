//! Preemption by class: a pause.
//!
//! A job on no node whose class has a list of others comes to nodes where running jobs of these classes leave, as few as suffice
//! and in the order that batch policies have (`site`). They are paused, in any mode of preemption but off, and keep
//! their progress. Of jobs that wait, those of higher rank are tried first.

use super::mapper::{Mapper, Placed};
use super::nodes::{Task, Wanted};
use crate::site::needed;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::SimTime;

/// Places those of these jobs, each on no node, that preempt others by their class; returns whether any was placed.
pub(super) fn make_room(
    mapper: &mut Mapper,
    view: View<'_>,
    ranked: impl Iterator<Item = JobHandle>,
) -> bool {
    let mut is_any_placed = false;
    for job in ranked {
        let Some(site) = mapper.site.as_ref().filter(|site| site.may_preempt(job) && !site.holds(job)) else {
            continue;
        };
        let mut candidates = site.candidates(view.now(), job);
        candidates.retain(|&other| mapper.runs(other));
        if mapper.place_greedily(view, job) {
            is_any_placed = true;
            continue;
        }
        let wanted = Wanted::of(view, job);
        let leaving = needed(&candidates, |some| {
            let off = take_off(mapper, view, some);
            let has_room = mapper.nodes.room(wanted) >= u64::from(wanted.tasks);
            for (other, placement) in off.into_iter().rev() {
                mapper.put_back(other, Task::of(view, other), placement);
            }
            has_room
        });
        if let Some(leaving) = leaving {
            take_off(mapper, view, &leaving);
            let is_placed = mapper.place_greedily(view, job);
            debug_assert!(is_placed, "room was made");
            is_any_placed |= is_placed;
        }
    }
    is_any_placed
}

fn take_off(mapper: &mut Mapper, view: View<'_>, jobs: &[JobHandle]) -> Vec<Placed> {
    jobs.iter().map(|&job| (job, mapper.take_off(job, Task::of(view, job)))).collect()
}

impl Mapper {
    /// The next moment at which a running job may have to make room for one of these on no node.
    pub(super) fn next_candidate(
        &self,
        view: View<'_>,
        jobs: impl Iterator<Item = JobHandle>,
    ) -> Option<SimTime> {
        let site = self.site.as_ref().filter(|site| site.preempts())?;
        site.next_candidate(view.now(), jobs.filter(|&job| !self.runs(job)))
    }
}
