//! MCB on unequal nodes: Choose Pack with one list.

use super::{UnequalCluster, UnequalJob};
use crate::mcb::McbOptions;
use crate::yield_search::{Ends, SearchRange};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use std::cmp::Reverse;

/// The nodes of each job's tasks; empty of jobs that are left out.
type Placements = Vec<Vec<NodeTasks>>;

impl UnequalCluster {
    /// Maps jobs, given by decreasing priority, at the largest yield that the search finds; of those that have no place, the last ones
    /// are left out. The list is ordered by the largest part of a node that a task takes in a dimension, then the second largest, and
    /// so on, and nodes are filled one by one.
    #[must_use]
    pub fn map(&self, jobs: &[UnequalJob<'_>], options: McbOptions) -> Placements {
        let mut count = self.may_fit(jobs);
        while count > 0 {
            if let Some(mut placements) = self.largest(&jobs[..count], options) {
                placements.resize(jobs.len(), Vec::new());
                return placements;
            }
            count -= 1;
        }
        vec![Vec::new(); jobs.len()]
    }

    fn dimensions(&self) -> usize {
        self.wholes.len()
    }

    /// With how many of the first jobs what they hold is no more than all nodes have.
    fn may_fit(&self, jobs: &[UnequalJob<'_>]) -> usize {
        let mut free: Vec<u128> = (0..self.dimensions()).map(|dimension| self.total(dimension)).collect();
        let is_too_much = |job: &UnequalJob<'_>| {
            free.iter_mut().zip(&job.size.fixed).any(|(free, &fixed)| {
                let rest = free.checked_sub(u128::from(fixed) * u128::from(job.tasks));
                rest.map(|rest| *free = rest).is_none()
            })
        };
        jobs.iter().position(is_too_much).unwrap_or(jobs.len())
    }

    /// A packing at the largest yield that the search finds.
    fn largest(&self, jobs: &[UnequalJob<'_>], options: McbOptions) -> Option<Placements> {
        let highest = (0..self.dimensions()).map(|dimension| {
            let of = |job: &UnequalJob<'_>| u128::from(job.size.fluid[dimension]) * u128::from(job.tasks);
            let need: u128 = jobs.iter().map(of).sum();
            let total = self.total(dimension);
            match (u64::try_from(total), u64::try_from(need)) {
                (_, Ok(0)) => Yield::ONE,
                (Ok(total), Ok(need)) => Yield::from_ratio(total, need),
                _ => Yield::ZERO,
            }
        });
        let lowest = options.floor.max(Yield::try_from_units(1).expect("one unit is a yield"));
        let range = SearchRange { lowest, highest: highest.min().unwrap_or(Yield::ONE) };
        let mut found = None;
        let mut packs = |value: Yield| {
            let packed = self.pack(jobs, value, options);
            let is_packed = packed.is_some();
            found = packed.or(found.take());
            is_packed
        };
        match range.try_ends(&mut packs) {
            Ends::Highest => {}
            Ends::Lowest => _ = range.bisect(options.precision, packs),
            Ends::Neither => return None,
        }
        found
    }

    /// Packs all jobs at a yield, if that succeeds.
    fn pack(&self, jobs: &[UnequalJob<'_>], value: Yield, options: McbOptions) -> Option<Placements> {
        let dimensions = 0..self.dimensions();
        let capacity =
            |node: usize| self.capacity(node).iter().map(|&whole| u128::from(whole) << Yield::BITS);
        let mut free: Vec<Vec<u128>> = (0..self.nodes()).map(|node| capacity(node).collect()).collect();
        let sizes: Vec<Vec<u128>> = jobs
            .iter()
            .map(|job| dimensions.clone().map(|dimension| job.size.at(dimension, value)).collect())
            .collect();
        let mut placements = vec![Vec::new(); jobs.len()];
        for ((job, size), placement) in jobs.iter().zip(&sizes).zip(&mut placements) {
            for part in job.pinned.into_iter().flatten() {
                for (free, size) in free[part.node.index()].iter_mut().zip(size) {
                    *free = free.checked_sub(size * u128::from(part.tasks))?;
                }
            }
            placement.extend_from_slice(job.pinned.unwrap_or_default());
        }
        let mut list: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].pinned.is_none()).collect();
        list.sort_by_cached_key(|&job| {
            let one = u128::from(self.wholes[0]);
            let part = |(size, &whole): (&u128, &u64)| Reverse(size * one / u128::from(whole));
            let mut parts: Vec<Reverse<u128>> = sizes[job].iter().zip(&self.wholes).map(part).collect();
            parts.sort_unstable();
            (parts, options.ties.order(jobs[job].sequence, job as u32))
        });
        let mut left: Vec<u32> = jobs.iter().map(|job| job.tasks).collect();
        for (node, free) in free.iter_mut().enumerate() {
            for &job in &list {
                if left[job] == 0 || !jobs[job].allowed[self.class_of(node)] {
                    continue;
                }
                let rooms = free.iter().zip(&sizes[job]).filter_map(|(free, size)| free.checked_div(*size));
                let tasks = rooms.fold(left[job], |most, room| room.min(u128::from(most)) as u32);
                if tasks > 0 {
                    free.iter_mut()
                        .zip(&sizes[job])
                        .for_each(|(free, size)| *free -= size * u128::from(tasks));
                    left[job] -= tasks;
                    placements[job].push(NodeTasks { node: NodeId(node as u32), tasks });
                }
            }
            list.retain(|&job| left[job] > 0);
        }
        list.is_empty().then_some(placements)
    }
}
