//! Full speed for the jobs that come first, while the others keep their memory.

use crate::decision::Decision;
use crate::free_nodes::{FreeNodes, NodeOrder};
use crate::job_table::{JobHandle, JobState};
use crate::view::View;
use dfrsim_model::Yield;

/// Gives CPU and memory to jobs in a given order, each of them at full speed or not at all.
///
/// A job on nodes stays there, at a yield of 0 if jobs before it have its CPU. A job without nodes takes
/// the fullest nodes that have the CPU besides the jobs before it. If their memory is missing, jobs
/// behind it leave, the last one first, until it fits; if all of them do not suffice, it waits. A job
/// that leaves pays the penalty when it resumes, and one that stays does not. Licences of the cluster count
/// as memory does, and the power under a cap as CPU does: a job that lacks it runs at the first lower speed
/// level at which it does not, which it keeps until it leaves its nodes.
///
/// `ranked` has each job in the system once, except for those that the decision rejects.
pub fn decide_for_residents(view: View<'_>, ranked: &[JobHandle], decision: &mut Decision) {
    let is_running = |job: JobHandle| view.job(job).state() == JobState::Running;
    let mut free = FreeNodes::empty(view);
    for &job in ranked.iter().filter(|job| is_running(**job)) {
        free.occupy_memory(view, job, view.job(job).placement());
    }
    let mut has_left = vec![false; ranked.len()];
    for (place, &job) in ranked.iter().enumerate() {
        let own = view.job(job);
        if has_left[place] {
            continue;
        }
        if is_running(job) {
            let level = free.find_level(view, job, |free| free.has_cpu(view, job, own.placement()));
            if level.is_some() {
                free.occupy_cpu(view, job, own.placement());
            }
            let wanted = if level.is_some() { Yield::ONE } else { Yield::ZERO };
            let level = level.unwrap_or(own.level());
            if (own.current_yield(), own.level()) != (wanted, level) {
                decision.set_yield(job, wanted);
                decision.at_level(level);
            }
            continue;
        }
        let mut after = free.clone();
        // Others leave for a job at full speed only.
        after.find_level(view, job, |free| free.fits(view, job));
        let mut leaving = Vec::new();
        let mut behind =
            (place + 1..ranked.len()).rev().filter(|&at| !has_left[at] && is_running(ranked[at]));
        let on = loop {
            if let Some(on) = after.place(view, job, NodeOrder::Fullest) {
                break Some(on);
            }
            let Some(at) = behind.next() else { break None };
            after.vacate_memory(view, ranked[at], view.job(ranked[at]).placement());
            leaving.push(at);
        };
        let Some(on) = on else { continue };
        free = after;
        for at in leaving {
            has_left[at] = true;
            decision.pause(ranked[at]);
        }
        if own.state() == JobState::Waiting {
            decision.start(job, on, Yield::ONE);
        } else {
            decision.resume(job, on, Yield::ONE);
        }
        decision.at_level(free.level(view, job));
        free.name_devices(job, decision);
    }
}
