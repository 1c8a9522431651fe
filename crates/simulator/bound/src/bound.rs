//! Search for the smallest feasible stretch.

use crate::amount::Amount;
use crate::core::{Core, CoreJob};
use crate::critical::least_stretch;
use crate::flow::Flow;
use crate::instance::Instance;
use dfrsim_model::{Job, SimSpan};

/// Lower bound on the maximum bounded stretch, with its proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The bound, at least 1: no schedule has a smaller maximum. Infinite if there is work and no
    /// node.
    pub value: f64,
    /// A stretch for which [`flow_solution`](crate::flow_solution) succeeds; at most a few parts in
    /// 10^9 above the value if all run times or tau are at least a second, and nearly always equal
    /// to it.
    pub upper: f64,
    /// Critical jobs, which cannot all have a smaller stretch, as indices into the list; empty if
    /// the value is 1.
    pub critical: Vec<usize>,
    /// Number of maximum flows computed.
    pub flows: u32,
}

/// Computes the smallest S such that every job can finish by its submission + S * max(run time,
/// `tau`), with CPU as the only resource (dissertation, theorem 1). Returns 1 if there are no jobs.
///
/// The value is correct as a lower bound to a relative error of about 1e-12, since its proof is
/// summed in floating point. The flow that proves it tight is in integers, with deadlines rounded up
/// to 2^-8 microseconds or less, except for instances whose nodes * time exceeds 2^80 microseconds.
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
            // The demand of the set exceeds the capacity by less than floating point can resolve.
            bound.upper *= 1.0 + nudge;
            nudge *= 2.0;
        }
    }
}

/// Checks whether the stretch is feasible; if not, returns sets of items whose work exceeds the
/// capacity of their windows.
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

/// Splits a set into parts that share no contested time. At least one part is infeasible by itself,
/// and the least stretch of that part is no smaller than that of the whole set.
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
