//! Yields and the speed level of all jobs under a power cap.
//!
//! The power of a job is in proportion to its yield: all yields are multiplied by the cap over the power that
//! the jobs would draw, if that is more. At a lower speed level they draw less: all jobs get the level at
//! which the slowest of them is fastest.

use super::mapper::Mapper;
use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::Yield;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::common::{CommonDemand, CommonResource};

/// Multiplies the yields of all jobs of a mapping, by handle, by the power cap over the power that the jobs
/// would draw, if that is more, both without the power of used devices and sockets. Yields are rounded down.
/// Returns the speed level of all of them: if the cap binds at full speed, the one with the largest product of
/// this factor and the lowest speed of the level relative to full speed on the nodes that have tasks; the
/// fastest of these on ties.
#[inline(never)]
pub(super) fn shrink_to_cap(
    view: View<'_>,
    mapper: &Mapper,
    running: &[JobHandle],
    yields: &mut [Yield],
) -> u8 {
    let is_cap = |resource: &CommonResource| resource.demand == CommonDemand::Draw;
    let common = view.classes().map_or(&[][..], |classes| classes.common());
    let Some(place) = common.iter().position(is_cap) else { return 0 };
    let fixed = |job: JobHandle| view.demand(job).map_or(0, |demand| demand.fixed_power);
    let fixed_sum: u64 = running.iter().map(|&job| fixed(job)).sum();
    let cap = u128::from(common[place].amount_at(view.now()).saturating_sub(fixed_sum)) << Yield::BITS;
    let draw = |job: JobHandle, level: u8| {
        let linear = view
            .demand(job)
            .map(|demand| demand.common_at(place, CommonDemand::Draw, level) - demand.fixed_power);
        u128::from(linear.unwrap_or(0))
    };
    let units = |yields: &[Yield], job: JobHandle| u128::from(yields[job.index()].units());
    let power = |yields: &[Yield], level: u8| -> u128 {
        running.iter().map(|&job| draw(job, level) * units(yields, job)).sum()
    };
    let (mut level, mut sum) = (0, power(yields, 0));
    if sum <= cap {
        return 0;
    }
    let classes = view.classes().filter(|classes| !classes.levels().is_empty());
    if let Some(classes) = classes {
        let are_used = classes_in_use(classes, mapper, running);
        let mut speed = u128::from(Yield::ONE.units());
        for other in 1..=classes.levels().len() as u8 {
            let used = are_used.iter().enumerate().filter(|(_, is_used)| **is_used);
            let slowest = used.map(|(class, _)| classes.level_speed(class, other)).min();
            let of_other = u128::from(slowest.unwrap_or(Yield::ONE).units());
            let sum_of_other = power(yields, other).max(cap);
            if of_other * sum > speed * sum_of_other {
                (level, speed, sum) = (other, of_other, sum_of_other);
            }
        }
    }
    if sum > cap {
        for &job in running {
            let less = units(yields, job) * cap / sum;
            yields[job.index()] = Yield::try_from_units(less as u32).unwrap_or(Yield::ONE);
        }
    }
    level
}

/// Returns, for each class of nodes, whether jobs of a mapping have tasks there.
fn classes_in_use(classes: &NodeClasses, mapper: &Mapper, running: &[JobHandle]) -> Vec<bool> {
    let mut are_used = vec![false; classes.classes().len()];
    for &job in running {
        for range in &*mapper.cluster_nodes(job) {
            classes.by_class(range.indices()).for_each(|(class, _)| are_used[class] = true);
        }
    }
    are_used
}
