//! Each job has a yield of its own, which follows from a common target.

use super::demand::{Demand, KeptJobs, Rank, lists, size};
use super::layout::Layout;
use super::pinned_nodes::Pinned;
use super::{McbOptions, PackJob, Values};
use crate::yield_search::SearchRange;
use dfrsim_model::{CpuUse, Share, Yield};

/// Memory for [`ByTarget`], used again from call to call.
#[derive(Debug, Default)]
pub(super) struct TargetScratch {
    /// The CPU use of a task of each job at the target that is tried.
    cpu: Vec<u64>,
    /// The jobs that can be placed freely, in the order of the lists, with what puts them there.
    ranked: Vec<(Rank, (u64, u32), u32)>,
    /// The same jobs, alone.
    order: Vec<u32>,
    /// The jobs behind each item, as a part of `order`.
    items: Vec<(u32, u32)>,
}

/// The demand of jobs whose yields are functions of a target.
pub(super) struct ByTarget<'a, F> {
    pub(super) jobs: &'a [PackJob<'a>],
    pub(super) options: McbOptions,
    pub(super) values: Values<F>,
    pub(super) scratch: &'a mut TargetScratch,
}

/// The CPU of a task in whole steps, at least one where the task needs as much.
fn in_steps(cpu: u64, need: Share, step: Share) -> u64 {
    let [step, need] = [step, need].map(|share| u64::from(share.units()) << Yield::BITS);
    (cpu - cpu % step.max(1)).max(step.min(need))
}

impl<F: Fn(usize, Yield, u32) -> Option<Yield>> Demand for ByTarget<'_, F> {
    fn set_kept(&mut self, _index: usize, _kept: bool) {}

    fn range(&self, kept: &KeptJobs, nodes: u32) -> SearchRange {
        let capacity = u128::from(nodes) * u128::from(CpuUse::ONE.units());
        let least = kept.least_weight();
        self.values.range(|value| {
            let used = |(index, job): (usize, &PackJob)| {
                let at = (self.values.yield_at)(index, value, least).map_or(0, Yield::units);
                u128::from(job.tasks) * u128::from(job.need.units()) * u128::from(at)
            };
            let kept = self.jobs.iter().enumerate().filter(|(index, _)| kept.flags()[*index]);
            kept.map(used).sum::<u128>() <= capacity
        })
    }

    fn arrange(&mut self, target: Yield, kept: &KeptJobs, layout: &mut Layout) -> bool {
        let TargetScratch { cpu, ranked, order, items } = &mut *self.scratch;
        let (jobs, options, least) = (self.jobs, self.options, kept.least_weight());
        cpu.clear();
        ranked.clear();
        for (index, job) in jobs.iter().enumerate() {
            if !kept.flags()[index] {
                cpu.push(0);
                continue;
            }
            let Some(job_yield) = (self.values.yield_at)(index, target, least) else { return false };
            let exact = u64::from(job.need.units()) * u64::from(job_yield.units());
            let job_cpu = options.cpu_step.map_or(exact, |step| in_steps(exact, job.need, step));
            cpu.push(job_cpu);
            if job.pinned.is_none() && job.tasks > 0 {
                let rank = Rank::new(options.packing, size(job.memory, job_cpu));
                ranked.push((rank, options.ties.order(job.sequence, index as u32), index as u32));
            }
        }
        layout.nodes.rebuild(
            jobs.iter().zip(&*cpu).zip(kept.flags()).filter(|&(_, &kept)| kept).filter_map(
                |((job, &cpu), _)| Some(Pinned { placement: job.pinned?, memory: job.memory, cpu }),
            ),
        );
        if !layout.nodes.scale(1) {
            return false;
        }

        ranked.sort_unstable();
        order.clear();
        order.extend(ranked.iter().map(|&(_, _, index)| index));
        let size_of = |index: u32| size(jobs[index as usize].memory, cpu[index as usize]);
        layout.items.clear();
        items.clear();
        let mut start = 0;
        for list in 0..lists(options.packing) {
            let end = ranked.partition_point(|(rank, _, _)| rank.list <= list);
            for alike in order[start..end].chunk_by(|&a, &b| size_of(a) == size_of(b)) {
                let tasks = alike.iter().map(|&index| u64::from(jobs[index as usize].tasks)).sum();
                layout.items.push(size_of(alike[0]), tasks);
                items.push((start as u32, (start + alike.len()) as u32));
                start += alike.len();
            }
            layout.items.close_list();
        }
        true
    }

    fn jobs_of(&self, item: usize) -> &[u32] {
        let (start, end) = self.scratch.items[item];
        &self.scratch.order[start as usize..end as usize]
    }
}
