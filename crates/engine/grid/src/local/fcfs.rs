//! First come, first served.

use super::queue::Queue;
use super::{BatchJob, Cancel, Planner};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// The head of the queue starts as soon as its nodes are free; no job overtakes it.
#[derive(Debug)]
pub(crate) struct Fcfs {
    free: u32,
    queue: Queue,
    /// The width of each started job, by handle.
    widths: Vec<u32>,
}

impl Fcfs {
    /// For a cluster of this many nodes.
    #[must_use]
    pub(crate) fn new(nodes: u32) -> Fcfs {
        Fcfs { free: nodes, queue: Queue::default(), widths: Vec::new() }
    }
}

impl Planner for Fcfs {
    fn ended(&mut self, _: SimTime, job: JobHandle) {
        self.free += self.widths[job.index()];
    }

    fn submit(&mut self, job: BatchJob) {
        if self.widths.len() <= job.job.index() {
            self.widths.resize(job.job.index() + 1, 0);
        }
        self.widths[job.job.index()] = job.width;
        self.queue.insert(job);
    }

    fn pass(&mut self, _: SimTime, starts: &mut Vec<JobHandle>) {
        while let Some(head) = self.queue.get(0).filter(|head| head.width <= self.free) {
            self.free -= head.width;
            starts.push(head.job);
            self.queue.remove(0);
        }
    }

    fn next_start(&self, _: SimTime) -> Option<SimTime> {
        None
    }
}

impl Cancel for Fcfs {
    fn cancel(&mut self, _: SimTime, job: JobHandle) {
        self.queue.cancel(job);
    }

    fn cancel_all(&mut self, _: SimTime) {
        self.queue.clear();
    }
}
