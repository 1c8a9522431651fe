//! From what nodes take to the nodes of each job's tasks.

use super::PackJob;
use super::demand::KeptJobs;
use crate::filling::Plan;
use dfrsim_model::{NodeId, NodeTasks};

/// The placements of all jobs; used again from call to call.
#[derive(Debug, Default)]
pub(super) struct Placements {
    /// A part for each job, long enough for all nodes that its tasks can be on.
    parts: Vec<NodeTasks>,
    /// Where the placement of each job begins and ends in `parts`.
    spans: Vec<(usize, usize)>,
    cursors: Vec<Cursor>,
}

/// Whose task is the next of an item.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    /// The job, as a position among the jobs of the item; counted from 1, 0 before the first.
    next: usize,
    job: u32,
    /// Its tasks that have no place yet.
    left: u32,
}

impl Placements {
    /// Removes all tasks from all nodes.
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

    /// Hands the tasks of each item out to its jobs, in their order.
    pub(super) fn hand_out<'a>(
        &mut self,
        plan: &Plan,
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

    /// Takes placements as they are; empty of pinned jobs.
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
