//! EASY that backfills into spare nodes only.

use super::queue::Queue;
use super::{BatchJob, OVERRUN, Planner, QueueOrder};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// The head of the queue has a reservation of certain nodes: those that are free latest by the earliest time at which there
/// are enough. It keeps them until all of them are free, and starts then. Other jobs start, in queue order, if they fit into
/// the nodes that are free and not reserved, however short they are; [`Easy`](super::Easy) would also let those onto reserved
/// nodes that end by the time of the reservation.
///
/// This is what the simulator of the dissertation's author does (vcsim, M. Stillwell, 2010, `results/scripts/sim.py`): the time
/// of its reservation is unknown until it starts, and in Python 2 no number is below or equal to an unknown one, so the rule
/// for short jobs never applies. The published figures of EASY are those of this policy. A running job past its estimate counts
/// as ending one second from now when a reservation is made.
#[derive(Debug)]
pub struct EasySpare {
    free: u32,
    queue: Queue,
    running: Vec<Running>,
    reservation: Option<Reservation>,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    end: SimTime,
    job: JobHandle,
    sequence: u64,
    width: u32,
}

/// The nodes that a job waits for.
#[derive(Debug)]
struct Reservation {
    job: BatchJob,
    /// Those that are free already.
    free: u32,
    /// How many it takes of running jobs when they end.
    awaited: Vec<(JobHandle, u32)>,
}

impl EasySpare {
    /// For a cluster of this many nodes; the queue is in the order of arrival.
    #[must_use]
    pub fn new(nodes: u32) -> EasySpare {
        EasySpare {
            free: nodes,
            queue: Queue::new(QueueOrder::Arrival),
            running: Vec::new(),
            reservation: None,
        }
    }

    fn start(&mut self, now: SimTime, job: &BatchJob, starts: &mut Vec<JobHandle>) {
        self.free -= job.width;
        self.running.push(Running {
            end: now.saturating_add(job.estimate),
            job: job.job,
            sequence: job.sequence,
            width: job.width,
        });
        starts.push(job.job);
    }

    /// A reservation for a job of more nodes than are free.
    fn reserve(&self, now: SimTime, job: BatchJob) -> Reservation {
        let expected = |running: &Running| if running.end <= now { now + OVERRUN } else { running.end };
        let mut by_end: Vec<(SimTime, &Running)> = self.running.iter().map(|it| (expected(it), it)).collect();
        by_end.sort_by_key(|&(end, running)| (end, running.sequence));
        let mut available = self.free;
        let mut time = now;
        for (end, running) in &by_end {
            if available >= job.width {
                break;
            }
            available += running.width;
            time = *end;
        }
        let in_time = by_end.partition_point(|(end, _)| *end <= time);
        let mut missing = job.width;
        let mut awaited = Vec::new();
        for (_, running) in by_end[..in_time].iter().rev() {
            let taken = running.width.min(missing);
            missing -= taken;
            if taken > 0 {
                awaited.push((running.job, taken));
            }
        }
        Reservation { job, free: missing, awaited }
    }
}

impl Planner for EasySpare {
    fn ended(&mut self, _: SimTime, job: JobHandle) {
        let at = self.running.iter().position(|running| running.job == job).expect("the job was started");
        self.free += self.running.swap_remove(at).width;
        if let Some(reservation) = &mut self.reservation {
            let awaited = reservation.awaited.iter().position(|(other, _)| *other == job);
            reservation.free += awaited.map_or(0, |at| reservation.awaited.swap_remove(at).1);
        }
    }

    fn submit(&mut self, job: BatchJob) {
        self.queue.insert(job);
    }

    fn pass(&mut self, now: SimTime, starts: &mut Vec<JobHandle>) {
        if let Some(reservation) = self.reservation.take_if(|reservation| reservation.awaited.is_empty()) {
            self.start(now, &reservation.job, starts);
        }
        let mut at = 0;
        while let Some(&job) = self.queue.get(at) {
            let reserved = self.reservation.as_ref().map_or(0, |reservation| reservation.free);
            if job.width <= self.free - reserved {
                self.start(now, &job, starts);
                self.queue.remove(at);
            } else if self.reservation.is_none() {
                self.reservation = Some(self.reserve(now, job));
                self.queue.remove(at);
            } else if self.free == reserved {
                return;
            } else {
                at += 1;
            }
        }
    }

    fn next_start(&self, _: SimTime) -> Option<SimTime> {
        None
    }
}
