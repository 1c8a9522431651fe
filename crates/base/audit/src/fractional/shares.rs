//! Yields in the ratio of weights.

use super::FractionalRule;
use super::weights::Weights;
use crate::Phase;
use crate::job::Job;
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;

/// What rounding may do to a yield, in its units.
const ROUNDING: u64 = 2;

/// What the tasks on a node have.
#[derive(Debug, Default)]
struct Node {
    /// Used, and what a unit more for each job would be, in share units * yield units.
    used: u128,
    unit: u128,
    /// The job that has the most for its weight: its number, yield and weight.
    highest: Option<(u64, u32, u32)>,
}

impl Node {
    fn add(&mut self, number: u64, job: &Job, tasks: u32, weight: u32) {
        let load = u128::from(job.need) * u128::from(tasks);
        self.used += load * u128::from(job.job_yield);
        self.unit += load;
        let ratio = |a: u32, b: u32| u64::from(a) * u64::from(b);
        let is_higher = |(_, most, of): (u64, u32, u32)| ratio(job.job_yield, of) > ratio(most, weight);
        if self.highest.is_none_or(is_higher) {
            self.highest = Some((number, job.job_yield, weight));
        }
    }

    fn is_full(&self) -> bool {
        let whole = u128::from(Share::ONE.units()) << Yield::BITS;
        self.used + self.unit * u128::from(ROUNDING) > whole
    }
}

/// Whether the yields of all running jobs are weighted max-min: each that has less than its need has a full node on which no job has
/// more for its weight.
pub(super) fn judge(
    jobs: &BTreeMap<u64, Job>,
    weights: &Weights,
    mut fault: impl FnMut(u64, FractionalRule),
) {
    let running = || jobs.iter().filter(|(_, job)| job.phase == Phase::Running && job.need > 0);
    let mut nodes = BTreeMap::<u32, Node>::new();
    for (&number, job) in running() {
        let weight = weights.of(job);
        for &(node, tasks) in &job.placement {
            nodes.entry(node).or_default().add(number, job, tasks, weight);
        }
    }
    for (&number, job) in running().filter(|(_, job)| job.job_yield < Yield::ONE.units()) {
        let (found, weight) = (job.job_yield, weights.of(job));
        let full = || job.placement.iter().map(|(node, _)| &nodes[node]).filter(|node| node.is_full());
        let has_more = |&(_, more, of): &(u64, u32, u32)| {
            let for_its_weight = u64::from(more).saturating_sub(ROUNDING) * u64::from(weight);
            for_its_weight > (u64::from(found) + ROUNDING) * u64::from(of)
        };
        let highest = || full().filter_map(|node| node.highest);
        if highest().next().is_none() {
            fault(number, FractionalRule::NotFull { found });
        } else if highest().all(|it| has_more(&it))
            && let Some((other, more, other_weight)) = highest().next()
        {
            fault(number, FractionalRule::Weighted { found, weight, other, more, other_weight });
        }
    }
}
