//! Orders in which greedy algorithms place tasks.

use crate::rigid::Rigid;
use dfrsim_model::Seed;
use dfrsim_model::offline::Instance;
use rand::seq::SliceRandom as _;
use std::cmp::Reverse;

/// Orders of jobs: S1 to S7 of the dissertation (section 4.2.2) and the two of RR-6692 (section
/// 3.3).
///
/// Ties keep the order of the instance. The tasks of a job are consecutive, except in random order,
/// which shuffles all tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// S1: random.
    Random,
    /// S2: by decreasing largest fluid need.
    MaxNeed,
    /// S3: by decreasing sum of fluid needs.
    SumNeeds,
    /// S4: by decreasing largest fixed requirement or constrained need.
    MaxRigid,
    /// S5: by decreasing sum of fixed requirements and constrained needs.
    SumRigid,
    /// S6: by decreasing largest fixed requirement or fluid need.
    MaxFull,
    /// S7: by decreasing sum of fixed requirements and fluid needs.
    SumFull,
    /// Order of the instance (GR and GB).
    Given,
    /// Decreasing largest fixed requirement, which is the memory if there is no other one (SG and
    /// SGB).
    MaxFixed,
}

impl SortOrder {
    /// S1 to S7 in order.
    pub const OF_THE_DISSERTATION: [SortOrder; 7] = [
        SortOrder::Random,
        SortOrder::MaxNeed,
        SortOrder::SumNeeds,
        SortOrder::MaxRigid,
        SortOrder::SumRigid,
        SortOrder::MaxFull,
        SortOrder::SumFull,
    ];

    /// Returns the tasks in this order, each as the index of its job. `seed` is used by the random
    /// order only.
    pub fn tasks(self, instance: &Instance, rigid: &Rigid, seed: Seed) -> Vec<u32> {
        let mut jobs: Vec<u32> = (0..instance.jobs.len() as u32).collect();
        let demand = |job: u32| &*instance.jobs[job as usize].demand;
        let largest = |amounts: &[u32]| amounts.iter().max().map_or(0, |&most| i128::from(most));
        let sum = |amounts: &[u32]| -> i128 { amounts.iter().map(|&amount| i128::from(amount)).sum() };
        let key = |job: u32| match self {
            SortOrder::Random | SortOrder::Given => 0,
            SortOrder::MaxNeed => largest(&demand(job)[instance.fixed..]),
            SortOrder::SumNeeds => sum(&demand(job)[instance.fixed..]),
            SortOrder::MaxRigid => {
                rigid.demand(job as usize).iter().max().map_or(0, |&most| i128::from(most))
            }
            SortOrder::SumRigid => rigid.demand(job as usize).iter().map(|&amount| i128::from(amount)).sum(),
            SortOrder::MaxFull => largest(demand(job)),
            SortOrder::SumFull => sum(demand(job)),
            SortOrder::MaxFixed => largest(&demand(job)[..instance.fixed]),
        };
        jobs.sort_by_cached_key(|&job| Reverse(key(job)));
        let tasks = |job: u32| std::iter::repeat_n(job, instance.jobs[job as usize].tasks as usize);
        let mut tasks: Vec<u32> = jobs.into_iter().flat_map(tasks).collect();
        if self == SortOrder::Random {
            tasks.shuffle(&mut seed.fork("random order").rng());
        }
        tasks
    }
}
