//! A reservation of certain nodes.

use super::head::Head;
use super::node_use::NodeUse;
use super::pools::Pools;
use super::queue::Waiting;
use super::running::Run;
use super::split::Split;
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// The nodes that a job waits for.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) job: Waiting,
    /// What it keeps from others as far as that is free: nodes that are free already, or, where tasks share nodes, room on certain nodes.
    pub(super) held: Split,
    /// The nodes that it takes of running jobs when they end, where a task has a node of its own.
    pub(super) awaited: Vec<(JobHandle, Split)>,
}

/// What a reservation holds, and what it awaits.
type Bound = (Split, Vec<(JobHandle, Split)>);

impl Reserved {
    /// Binds those of the nodes that can be a job's at the earliest moment at which there are enough that are free latest; `None` if
    /// there is no such moment. Running jobs are in the order in which they are expected to leave, then of submission.
    pub(super) fn bind(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: &[(SimTime, &Run)],
    ) -> Option<Bound> {
        let head = Head::new(pools, now, job, releases.iter().copied())?;
        let in_time = &releases[..releases.partition_point(|(end, _)| *end <= head.time)];
        Some(match pools.node_use {
            NodeUse::Whole => Reserved::bind_numbers(pools, &head, job, in_time),
            NodeUse::Shared | NodeUse::Exclusive => {
                (Reserved::bind_nodes(pools, &head, job, in_time), Vec::new())
            }
        })
    }

    fn bind_numbers(pools: &Pools, head: &Head, job: &Waiting, releases: &[(SimTime, &Run)]) -> Bound {
        let (mut rooms, mut missing) = (head.rooms(job.job.width), job.job.width);
        let mut awaited = Vec::new();
        for (_, run) in releases.iter().rev() {
            let mut taken = Split::default();
            let mut parts: Vec<(usize, u32)> = run.split.parts(run.width).collect();
            parts.sort_unstable();
            for (pool, nodes) in parts {
                let of_it = nodes.min(u32::try_from(rooms[pool]).unwrap_or(u32::MAX)).min(missing);
                rooms[pool] -= u64::from(of_it);
                missing -= of_it;
                taken.add(pool, of_it);
            }
            if !taken.0.is_empty() {
                awaited.push((run.job, taken));
            }
        }
        (pools.choose(head.at(), job.need, missing, |pool| rooms[pool]), awaited)
    }

    fn bind_nodes(pools: &Pools, head: &Head, job: &Waiting, releases: &[(SimTime, &Run)]) -> Split {
        let (mut rooms, mut missing) = (head.rooms(job.job.width), job.job.width);
        let mut bound = Split::default();
        for (_, run) in releases.iter().rev() {
            let mut on: Vec<usize> = run.split.parts(run.width).map(|(pool, _)| pool).collect();
            on.sort_unstable_by_key(|&pool| pools.node(pool));
            for pool in on {
                // Of the jobs that leave a node, the last one counts.
                let tasks = u32::try_from(std::mem::take(&mut rooms[pool])).unwrap_or(u32::MAX).min(missing);
                missing -= tasks;
                bound.add(pool, tasks);
            }
        }
        let rest = pools.choose(head.at(), job.need, missing, |pool| rooms[pool]);
        rest.0.into_iter().for_each(|(pool, tasks)| bound.add(pool, tasks));
        bound
    }

    /// A job has ended, whose nodes may be awaited.
    pub(super) fn ended(&mut self, job: JobHandle) {
        if let Some(at) = self.awaited.iter().position(|(awaited, _)| *awaited == job) {
            let (_, split) = self.awaited.swap_remove(at);
            split.0.into_iter().for_each(|(pool, nodes)| self.held.add(pool, nodes));
        }
    }

    pub(super) fn is_ready(&self, pools: &Pools) -> bool {
        self.awaited.is_empty() && pools.have_room(self.job.need, &self.held)
    }
}
