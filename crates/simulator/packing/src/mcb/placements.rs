//! Conversion of the takes of nodes into the placements of jobs.

use super::PackJob;
use super::demand::KeptJobs;
use crate::filling::PackingPlan;
use dfrsim_model::{NodeId, NodeTasks, Yield};

/// Placements of all jobs; reused from call to call.
#[derive(Debug, Default)]
pub(super) struct Placements {
    /// Parts of all placements. Each job has a range long enough for all nodes that its tasks can be
    /// on.
    parts: Vec<NodeTasks>,
    /// Yields at which jobs were packed, where devices are shared; otherwise empty.
    pub(super) packed_yields: Vec<Yield>,
    /// Range of each job's placement in `parts`.
    spans: Vec<(usize, usize)>,
    cursors: Vec<Cursor>,
}

/// Job that the next task of an item belongs to.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// Index after that of `job` among the jobs of the item; 0 before the first.
    next: usize,
    job: u32,
    /// Tasks of `job` that are not placed yet.
    left: u32,
}

impl Placements {
    /// Resets all placements to empty ones.
    pub(super) fn reset(&mut self, jobs: &[PackJob], nodes: u32) {
        self.spans.clear();
        let mut start = 0;
        for job in jobs {
            self.spans.push((start, start));
            if job.pinned.is_none() {
                start += job.tasks.min(nodes) as usize;
            }
        }
        if self.parts.len() < start {
            self.parts.resize(start, NodeTasks { node: NodeId(0), tasks: 0 });
        }
    }

    /// Assigns the tasks of each item to its jobs, in their order.
    pub(super) fn assign_tasks<'a>(
        &mut self,
        plan: &PackingPlan,
        jobs: &[PackJob],
        kept: &KeptJobs,
        jobs_of: impl Fn(usize) -> &'a [u32],
        items: usize,
    ) {
        self.cursors.clear();
        self.cursors.resize(items, Cursor::default());
        for (nodes, takes) in plan.fillings() {
            for node in nodes {
                for take in takes {
                    let cursor = &mut self.cursors[take.item as usize];
                    let mut count = take.count;
                    while count > 0 {
                        if cursor.left == 0 {
                            cursor.job = jobs_of(take.item as usize)[cursor.next];
                            cursor.next += 1;
                            if kept.flags()[cursor.job as usize] {
                                cursor.left = jobs[cursor.job as usize].tasks;
                            }
                            continue;
                        }
                        let tasks = u64::from(cursor.left).min(count) as u32;
                        let span = &mut self.spans[cursor.job as usize];
                        self.parts[span.1] = NodeTasks { node: NodeId(node), tasks };
                        span.1 += 1;
                        cursor.left -= tasks;
                        count -= u64::from(tasks);
                    }
                }
            }
        }
    }

    /// Sets the placements of all jobs; those of pinned jobs must be empty.
    pub(super) fn set<'a>(&mut self, placements: impl Iterator<Item = &'a [NodeTasks]>) {
        self.spans.clear();
        self.parts.clear();
        for placement in placements {
            let start = self.parts.len();
            self.parts.extend_from_slice(placement);
            self.spans.push((start, self.parts.len()));
        }
    }

    pub(super) fn of(&self, job: usize) -> &[NodeTasks] {
        let (start, end) = self.spans[job];
        &self.parts[start..end]
    }
}
