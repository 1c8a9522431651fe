//! Logs that are drawn to fill the devices of a cluster, as in the evaluation of FGD.
//!
//! Source: Weng et al. 2023, "Beware of fragmentation: scheduling GPU-sharing workloads with
//! fragmentation gradient descent" (USENIX ATC), section 6.1, and the script
//! `experiments/run_scripts` of its artefact: all tasks of the trace arrive in random order, then
//! tasks drawn at random, until they request a multiple of all devices; none ends before. If those of
//! the trace request more, only the first ones in random order arrive.

use crate::platform;
use crate::scenario::Workload;
use dfrsim_lab::RunError;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::platform::devices::WHOLE_DEVICE;
use dfrsim_model::{Job, JobId, Seed, SimSpan, SimTime};
use rand::RngExt as _;
use std::collections::BTreeMap;

/// Largest number of jobs of a drawn log.
const MOST_JOBS: usize = 10_000_000;

/// Jobs of a drawn log, and the job of the original log that each was drawn from.
type Drawn = (Vec<Job>, BTreeMap<JobId, JobId>);

/// Draws logs of all `jobs` in random order, followed by jobs drawn from them, one each second, until
/// they request `to` times all devices; if all jobs request more, only the first ones arrive. Each job
/// runs until all have arrived.
///
/// # Errors
///
/// Returns an error if the nodes have no devices, or if no job requests any.
pub(crate) fn draw(
    jobs: &[Job],
    workload: &Workload,
    seed: u64,
    (count, to): (u32, f64),
) -> Result<Vec<Drawn>, RunError> {
    let fault = |what: &str| RunError::input(format_args!("workload `{}`: saturate: {what}", workload.name));
    let nodes = platform::unequal(workload, seed)?;
    let Some(nodes) = nodes.filter(|nodes| nodes.classes.devices().is_some()) else {
        return Err(fault("the platform has no devices; expected `devices = \"gpu\"` in it"));
    };
    let requests: Vec<u64> = jobs.iter().map(|job| requested(&nodes, job)).collect();
    if requests.iter().all(|parts| *parts == 0) {
        return Err(fault("no job requests devices"));
    }
    let most = to * all_devices(&nodes) as f64;
    let of_number = |number: u32| {
        draw_one(jobs, &requests, most, Seed::new(seed).fork("saturate").numbered(number.into()))
    };
    let drawn = (0..count).map(of_number).collect::<Option<Vec<Drawn>>>();
    drawn.ok_or_else(|| fault(&format!("more than {MOST_JOBS} jobs would be drawn")))
}

/// Returns the parts of devices that all tasks of a job request, in share units.
fn requested(nodes: &UnequalNodes, job: &Job) -> u64 {
    let request = nodes.classes.devices().and_then(|at| nodes.demand(job).devices(at));
    request.map_or(0, |request| u64::from(request.count) * request.part * u64::from(job.tasks))
}

fn all_devices(nodes: &UnequalNodes) -> u64 {
    let Some(at) = nodes.classes.devices() else { return 0 };
    nodes
        .classes
        .classes()
        .iter()
        .map(|class| u64::from(class.nodes) * u64::from(class.amounts[at]))
        .sum::<u64>()
        * WHOLE_DEVICE
}

/// Draws one log; `None` if it has too many jobs.
fn draw_one(jobs: &[Job], requests: &[u64], most: f64, seed: Seed) -> Option<Drawn> {
    let mut rng = seed.rng();
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, rng.random_range(0..=at));
    }
    let mut sum: u64 = requests.iter().sum();
    if sum as f64 > most {
        sum = 0;
        let fits = order.iter().take_while(|job| {
            sum += requests[**job];
            sum as f64 <= most
        });
        let count = fits.count();
        order.truncate(count);
    }
    while order.len() <= MOST_JOBS {
        let next = rng.random_range(0..jobs.len());
        if sum as f64 <= most {
            sum += requests[next];
        }
        if sum as f64 > most {
            let run_time = SimSpan::from_secs(order.len() as u64 + 1);
            let job = |(number, place): (u64, &usize)| Job {
                id: JobId(number),
                submit: SimTime::from_secs(number),
                run_time,
                requested_time: None,
                ..jobs[*place].clone()
            };
            let from = (1..).zip(&order).map(|(number, place)| (JobId(number), jobs[*place].id)).collect();
            return Some(((1..).zip(&order).map(job).collect(), from));
        }
        order.push(next);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five jobs request 10 parts each. For 25 parts only two of them arrive; for 65 all of them, and one
    /// that is drawn.
    #[test]
    fn logs_request_less_or_more_than_all_jobs() {
        let jobs: Vec<Job> = (1..=5).map(|id| Job { id: JobId(id), ..Job::default() }).collect();
        for (most, count) in [(25.0, 2), (50.0, 5), (65.0, 6)] {
            let (drawn, from) = draw_one(&jobs, &[10; 5], most, Seed::new(4)).unwrap();
            assert_eq!((drawn.len(), from.len()), (count, count));
            let first: std::collections::BTreeSet<JobId> =
                from.iter().filter(|(number, _)| number.0 <= 5).map(|(_, job)| *job).collect();
            assert_eq!(first.len(), count.min(5), "each job arrives once before others are drawn");
            assert!(drawn.iter().all(|job| job.run_time == SimSpan::from_secs(count as u64 + 1)));
        }
    }
}
