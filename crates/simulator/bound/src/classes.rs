//! Bound for nodes that differ, with GPUs and other resources.

use crate::max_stretch_bound;
use dfrsim_model::platform::classes::{ResourceRequest, Sharing, UnequalNodes};
use dfrsim_model::platform::devices::{DeviceRequest, WHOLE_DEVICE};
use dfrsim_model::{Job, Share, SimSpan};

/// Computes a lower bound on the maximum bounded stretch on nodes that differ: the largest of the
/// bounds that consider a single resource, CPU or one of the others.
///
/// A job that progresses at a rate r, at most 1, is on nodes of at least speed r. It therefore uses
/// r * tasks * need of their CPU, and holds tasks * units of a resource, or uses r * tasks * units *
/// need of a shared one. A unit on a node of speed s counts as s units at full speed: the total over
/// all nodes bounds the sum of r * tasks * units (* need) over all jobs. This is the problem of
/// [`max_stretch_bound`], with one task for each unit that a task requests, and with units in place
/// of nodes. A job that requests more than exists is not counted, as no policy can run it.
pub fn max_stretch_bound_on(jobs: &[Job], nodes: &UnequalNodes, tau: SimSpan) -> f64 {
    let cpu = max_stretch_bound(jobs, nodes.classes.bounding_nodes(), tau).value;
    let of_resource = |place| {
        let users: Vec<Job> = jobs.iter().filter_map(|job| as_user(job, nodes, place)).collect();
        max_stretch_bound(&users, nodes.classes.bounding_units(place), tau).value
    };
    (0..nodes.classes.resources().len()).map(of_resource).fold(cpu, f64::max)
}

/// Converts a job to one with a task for each requested unit of a resource; `None` if it requests
/// none, or more than exists.
fn as_user(job: &Job, nodes: &UnequalNodes, place: usize) -> Option<Job> {
    let ResourceRequest { count, need } = nodes.demand(job).resources[place];
    let classes = nodes.classes.classes();
    let held_at_once = || classes.iter().map(|it| u64::from(it.nodes) * u64::from(it.amounts[place] / count));
    let (fits, need) = match nodes.classes.resources()[place].sharing {
        _ if count == 0 => return None,
        Sharing::Rigid => (held_at_once().sum::<u64>() >= u64::from(job.tasks), Share::ONE),
        // Devices are relaxed to one amount: parts of several may be put together.
        Sharing::Devices | Sharing::SharedDevices => {
            let request = DeviceRequest { count, part: need.units().into() };
            let on = |devices: u32| request.tasks_in(&vec![WHOLE_DEVICE; devices as usize]);
            let at_once: u64 = classes.iter().map(|it| u64::from(it.nodes) * on(it.amounts[place])).sum();
            (at_once >= u64::from(job.tasks), need)
        }
        Sharing::Shared => (classes.iter().any(|it| it.amounts[place] >= count), need),
    };
    let tasks = job.tasks.checked_mul(count).filter(|_| fits)?;
    Some(Job { tasks, cpu_need: need, ..job.clone() })
}
