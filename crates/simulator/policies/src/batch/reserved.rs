//! Reservation of specific nodes.

use super::allocation::Allocation;
use super::head::HeadReservation;
use super::pools::Pools;
use super::queue::Waiting;
use super::running::RunningJob;
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;
use dfrsim_model::batch::NodeUse;

/// A job with a reservation of specific nodes.
#[derive(Debug)]
pub(super) struct NodeReservation {
    pub(super) job: Waiting,
    /// Blocked for other jobs as far as it is free: nodes that are already free, or, where tasks
    /// share nodes, resources of specific nodes.
    pub(super) blocked: Allocation,
    /// Nodes that the job takes over from running jobs when these end, where each task has a node of
    /// its own.
    pub(super) awaited: Vec<(JobHandle, Allocation)>,
}

/// Blocked and awaited nodes of a reservation.
type BoundNodes = (Allocation, Vec<(JobHandle, Allocation)>);

impl NodeReservation {
    /// Selects the nodes of a reservation: of the eligible nodes that are free at the shadow time,
    /// those that become free last. Returns `None` if the job never fits. `releases` are the running
    /// jobs in the order of their expected ends, then of submission.
    pub(super) fn bind(
        pools: &Pools,
        now: SimTime,
        job: &Waiting,
        releases: &[(SimTime, &RunningJob)],
    ) -> Option<BoundNodes> {
        let head = HeadReservation::new(pools, now, job, releases.iter().copied())?;
        let in_time = &releases[..releases.partition_point(|(end, _)| *end <= head.shadow_time)];
        let is_whole = pools.node_use == NodeUse::Whole;
        let (mut rooms, mut missing) = (head.fit_counts(job.job.size), job.job.size);
        let (mut held, mut awaited) = (Allocation::default(), Vec::new());
        for (_, run) in in_time.iter().rev() {
            let mut parts: Vec<(usize, u32)> = run.allocation.parts(run.size).collect();
            parts.sort_unstable_by_key(
                |&(pool, _)| if is_whole { pool } else { pools.node_of(pool) as usize },
            );
            let mut taken = Allocation::default();
            for (pool, nodes) in parts {
                let room = u32::try_from(rooms[pool]).unwrap_or(u32::MAX).min(missing);
                // Where tasks share a node, only the last job to release it counts.
                let (tasks, rest) = match is_whole {
                    true => (room.min(nodes), rooms[pool] - u64::from(room.min(nodes))),
                    false => (room, 0),
                };
                (rooms[pool], missing) = (rest, missing - tasks);
                taken.add(pool, tasks);
            }
            match is_whole {
                true if taken.0.is_empty() => {}
                true => awaited.push((run.job, taken)),
                false => held.add_all(taken),
            }
        }
        held.add_all(pools.choose(head.span(), job.request, missing, |pool| rooms[pool]));
        Some((held, awaited))
    }

    /// Moves the awaited nodes of a job that has ended to the blocked ones.
    pub(super) fn note_end(&mut self, job: JobHandle) {
        if let Some(at) = self.awaited.iter().position(|(awaited, _)| *awaited == job) {
            let (_, split) = self.awaited.swap_remove(at);
            self.blocked.add_all(split);
        }
    }

    pub(super) fn is_ready(&self, pools: &Pools) -> bool {
        self.awaited.is_empty() && pools.can_allocate(self.job.request, &self.blocked)
    }
}
