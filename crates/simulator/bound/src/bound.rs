//! The search for the smallest stretch.

use crate::amount::Amount;
use crate::core::{Core, CoreJob};
use crate::critical::least_stretch;
use crate::flow::Flow;
use crate::instance::Instance;
use dfrsim_model::{Job, SimSpan};

/// A lower bound on the maximum bounded stretch, and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The bound, at least 1: no schedule has a smaller maximum. Infinite if there is work and no node.
    pub value: f64,
    /// A stretch for which [`flow_solution`](crate::flow_solution) succeeds; at most a few parts in 10^9 above
    /// the value where run times or tau are a second or more, and nearly always equal to it.
    pub upper: f64,
    /// The jobs that cannot all have a smaller stretch, as indices into the list; none if the value is 1.
    pub critical: Vec<usize>,
    /// How many flows it took.
    pub flows: u32,
}

/// The smallest S such that every job can finish by its submission + S * max(run time, `tau`), with CPU as the
/// only resource (dissertation, theorem 1): 1 for no jobs at all.
///
/// The value is correct to about 1e-12, relatively, as a lower bound, since its proof is summed up in floating
/// point. The flow that shows it to be tight is in integers, with deadlines rounded up to 2^-8 microseconds or
/// less, but for instances whose nodes * time is above 2^80 microseconds.
pub fn max_stretch_bound(jobs: &[Job], nodes: u32, tau: SimSpan) -> Bound {
    let instance = Instance::new(jobs, nodes, tau);
    let mut bound = Bound { value: 1.0, upper: 1.0, critical: Vec::new(), flows: 0 };
    if instance.capacity == 0 && !instance.items.is_empty() {
        return Bound { value: f64::INFINITY, upper: f64::INFINITY, ..bound };
    }
    let mut nudge = 1e-12;
    loop {
        bound.flows += 1;
        let Err(sets) = check(&instance, bound.upper) else { return bound };
        for set in sets {
            let least = least_stretch(&instance, &set, bound.upper);
            if least > bound.value {
                bound.value = least;
                bound.critical = set.iter().map(|&item| instance.items[item].job).collect();
            }
        }
        if bound.value > bound.upper {
            bound.upper = bound.value;
        } else {
            // The set exceeds the capacity by less than floating point can resolve.
            bound.upper *= 1.0 + nudge;
            nudge *= 2.0;
        }
    }
}

/// Whether the stretch is feasible; if not, sets of items that are too much for their time.
fn check(instance: &Instance, stretch: f64) -> Result<(), Vec<Vec<usize>>> {
    let unit = instance.unit(stretch);
    if unit.wide {
        check_in::<i128>(instance, stretch, unit.bits)
    } else {
        check_in::<i64>(instance, stretch, unit.bits)
    }
}

fn check_in<T: Amount>(instance: &Instance, stretch: f64, bits: i32) -> Result<(), Vec<Vec<usize>>> {
    let core = Core::of(&instance.at::<T>(stretch, bits));
    let mut flow = Flow::new(&core);
    flow.fill_by_deadline();
    flow.complete().map_err(|jobs| split(&core, jobs))
}

/// Parts of a set that share no contested time: at least one of them is too much by itself, and the least
/// stretch of that one is no smaller than that of the whole set.
fn split<T: Amount>(core: &Core<T>, set: Vec<usize>) -> Vec<Vec<usize>> {
    let mut jobs: Vec<&CoreJob<T>> = set.into_iter().map(|job| &core.jobs[job]).collect();
    jobs.sort_unstable_by_key(|job| job.first);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut end = 0;
    for job in jobs {
        match parts.last_mut() {
            Some(part) if job.first < end => part.push(job.item),
            _ => parts.push(vec![job.item]),
        }
        end = end.max(job.end);
    }
    parts
}
