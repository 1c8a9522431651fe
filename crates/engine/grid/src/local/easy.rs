//! EASY: aggressive backfilling.

use super::queue::Queue;
use super::{BatchJob, Cancel, OVERRUN, Planner};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// The head of the queue has a reservation at the earliest time at which enough nodes will be free; other jobs
/// start now, in queue order, if they end by then or fit into the nodes that are spare then (Lifka 1995;
/// Mu'alem and Feitelson 2001, section 2). The reservation is made again in each pass, and counts every job that
/// ends at that same moment. A running job past its estimate counts as ending one second from now.
#[derive(Debug)]
pub(crate) struct Easy {
    free: u32,
    queue: Queue,
    /// The running jobs by expected end, then handle.
    running: Vec<Running>,
    /// The expected end of each running job, by handle.
    expected_ends: Vec<SimTime>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    end: SimTime,
    job: JobHandle,
    width: u32,
}

/// When the head of the queue can start, and how many nodes it then leaves.
struct Reservation {
    time: SimTime,
    spare: u32,
}

impl Easy {
    /// For a cluster of this many nodes.
    #[must_use]
    pub(crate) fn new(nodes: u32) -> Easy {
        Easy { free: nodes, queue: Queue::default(), running: Vec::new(), expected_ends: Vec::new() }
    }

    fn position(&self, end: SimTime, job: JobHandle) -> usize {
        self.running.partition_point(|other| other.end < end || other.end == end && other.job < job)
    }

    fn start(&mut self, now: SimTime, job: &BatchJob, starts: &mut Vec<JobHandle>) {
        self.free -= job.width;
        let end = now.saturating_add(job.estimate);
        if self.expected_ends.len() <= job.job.index() {
            self.expected_ends.resize(job.job.index() + 1, SimTime::ZERO);
        }
        self.expected_ends[job.job.index()] = end;
        let running = Running { end, job: job.job, width: job.width };
        self.running.insert(self.position(end, job.job), running);
        starts.push(job.job);
    }

    /// The earliest moment at which `width` nodes, more than are free now, will be free.
    fn reservation(&self, now: SimTime, width: u32) -> Reservation {
        // Jobs past their estimate are first in the list; they count as ending a second from now, after
        // those that are expected to end within that second.
        let overdue = self.running.partition_point(|job| job.end <= now);
        let expected = |job: &Running| if job.end <= now { now + OVERRUN } else { job.end };
        let (late, timely) = self.running.split_at(overdue);
        let soon = timely.partition_point(|job| job.end < now + OVERRUN);
        let by_end = timely[..soon].iter().chain(late).chain(&timely[soon..]);
        let mut free = self.free;
        let mut time = now;
        for job in by_end {
            if free >= width && expected(job) > time {
                break;
            }
            free += job.width;
            time = expected(job);
        }
        debug_assert!(free >= width, "no job is wider than the cluster");
        Reservation { time, spare: free - width }
    }
}

impl Planner for Easy {
    fn ended(&mut self, _: SimTime, job: JobHandle) {
        let at = self.position(self.expected_ends[job.index()], job);
        self.free += self.running.remove(at).width;
    }

    fn submit(&mut self, job: BatchJob) {
        self.queue.insert(job);
    }

    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        while let Some(&head) = self.queue.get(0).filter(|head| head.width <= self.free) {
            self.start(now, &head, starts);
            self.queue.remove(0);
        }
        let Some(head) = self.queue.get(0) else { return };
        if self.free == 0 {
            return;
        }
        let mut reservation = self.reservation(now, head.width);
        let in_time =
            |job: &BatchJob, reservation: &Reservation| now.saturating_add(job.estimate) <= reservation.time;
        let mut at = 1;
        while self.free > 0 {
            let fits = |job: &BatchJob| {
                job.width <= self.free && (job.width <= reservation.spare || in_time(job, &reservation))
            };
            let Some((found, job)) = self.queue.find(at, fits) else { return };
            if !in_time(&job, &reservation) {
                reservation.spare -= job.width;
            }
            self.start(now, &job, starts);
            self.queue.remove(found);
            at = found;
        }
    }

    fn next_start(&self, _: SimTime) -> Option<SimTime> {
        None
    }
}

impl Cancel for Easy {
    fn cancel(&mut self, _: SimTime, job: JobHandle) {
        self.queue.cancel(job);
    }

    fn cancel_all(&mut self, _: SimTime) {
        self.queue.clear();
    }
}
