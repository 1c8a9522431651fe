//! A reservation of certain nodes.

use super::head::Head;
use super::pools::Pools;
use super::queue::Waiting;
use super::running::Run;
use super::split::Split;
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;
use dfrsim_model::batch::NodeUse;

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
        let is_whole = pools.node_use == NodeUse::Whole;
        let (mut rooms, mut missing) = (head.rooms(job.job.width), job.job.width);
        let (mut held, mut awaited) = (Split::default(), Vec::new());
        for (_, run) in in_time.iter().rev() {
            let mut parts: Vec<(usize, u32)> = run.split.parts(run.width).collect();
            parts.sort_unstable_by_key(|&(pool, _)| if is_whole { pool } else { pools.node(pool) as usize });
            let mut taken = Split::default();
            for (pool, nodes) in parts {
                let room = u32::try_from(rooms[pool]).unwrap_or(u32::MAX).min(missing);
                // Of the jobs that leave a node that tasks share, the last one counts.
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
        held.add_all(pools.choose(head.at(), job.need, missing, |pool| rooms[pool]));
        Some((held, awaited))
    }

    /// A job has ended, whose nodes may be awaited.
    pub(super) fn ended(&mut self, job: JobHandle) {
        if let Some(at) = self.awaited.iter().position(|(awaited, _)| *awaited == job) {
            let (_, split) = self.awaited.swap_remove(at);
            self.held.add_all(split);
        }
    }

    pub(super) fn is_ready(&self, pools: &Pools) -> bool {
        self.awaited.is_empty() && pools.have_room(self.job.need, &self.held)
    }
}
