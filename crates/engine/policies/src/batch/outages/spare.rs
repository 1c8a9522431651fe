//! EASY/SPARE.

use super::profile::Profiles;
use super::scheduler::Expected;
use super::{Room, Split, Start, Wanted};
use dfrsim_cluster::JobHandle;
use dfrsim_model::SimTime;

/// The nodes that a job waits for. They are given up when nodes go down or come up or a window is announced, and when the
/// job could start and would reach into a window.
#[derive(Debug)]
struct Reservation {
    job: Wanted,
    /// Those that are free already.
    free: Split,
    /// Those that it takes of running jobs when they end.
    awaited: Vec<(JobHandle, Split)>,
}

impl Reservation {
    /// Of the nodes that can be the job's at the earliest moment at which there are enough, those that are free latest; `None` if
    /// there is no such moment.
    fn new(job: Wanted, profiles: &Profiles<'_>, running: &[Expected]) -> Option<Reservation> {
        let (time, (mut free, _)) = profiles.earliest(&job)?;
        let mut missing = job.job.width;
        let mut awaited = Vec::new();
        for running in running.iter().rev().filter(|running| running.end <= time) {
            let mut taken = vec![0; free.len()];
            for (group, &nodes) in running.split.iter().enumerate() {
                taken[group] = nodes.min(free[group]).min(missing);
                free[group] -= taken[group];
                missing -= taken[group];
            }
            if taken.iter().any(|&nodes| nodes > 0) {
                awaited.push((running.job, taken));
            }
        }
        let free = profiles.choose(time, missing, &free, |_| true);
        Some(Reservation { job, free, awaited })
    }
}

/// The reservation from one pass to the next.
#[derive(Debug, Default)]
pub(super) struct SpareNodes(Option<Reservation>);

impl SpareNodes {
    /// Gives the reservation up; its job, which joins the queue.
    pub(super) fn withdraw(&mut self) -> Option<Wanted> {
        self.0.take().map(|reservation| reservation.job)
    }

    /// A job has ended, whose nodes may be awaited.
    pub(super) fn ended(&mut self, job: JobHandle) {
        if let Some(reservation) = &mut self.0
            && let Some(at) = reservation.awaited.iter().position(|(awaited, _)| *awaited == job)
        {
            let (_, split) = reservation.awaited.swap_remove(at);
            reservation.free.iter_mut().zip(split).for_each(|(free, more)| *free += more);
        }
    }

    /// Starts the job of the reservation, then those of the queue that fit beside it. `running` is by expected end, then submission.
    pub(super) fn pass(
        &mut self,
        now: SimTime,
        queue: &mut Vec<Wanted>,
        profiles: &mut Profiles<'_>,
        running: &mut Vec<Expected>,
        starts: &mut Vec<Start>,
    ) {
        let mut start =
            |job: Wanted, (split, end): Room, profiles: &mut Profiles<'_>, running: &mut Vec<Expected>| {
                profiles.take(&split, now, end);
                let sequence = job.job.sequence;
                let at = running.partition_point(|other| (other.end, other.sequence) < (end, sequence));
                running.insert(at, Expected { end, job: job.job.job, sequence, split: split.clone() });
                starts.push((job, split, end));
            };
        if let Some(Reservation { job, free, .. }) = self.0.take_if(|it| it.awaited.is_empty()) {
            if let Some(end) = profiles.end_on(&free, &job) {
                start(job, (free, end), profiles, running);
            } else {
                let at = queue.partition_point(|other| other.job.sequence < job.job.sequence);
                queue.insert(at, job);
            }
        }
        let (mut at, mut head_waits) = (0, false);
        while let Some(job) = queue.get(at) {
            let mut rooms = profiles.by_speed(now, job).map(|(mut free, end)| {
                if let Some(reservation) = &self.0 {
                    let held = &reservation.free;
                    free.iter_mut().zip(held).for_each(|(free, held)| *free = free.saturating_sub(*held));
                }
                (free, end)
            });
            let room = rooms.find(|(free, _)| free.iter().sum::<u32>() >= job.job.width);
            drop(rooms);
            if let Some((free, end)) = room {
                let split = profiles.choose(now, job.job.width, &free, |_| true);
                start(queue.remove(at), (split, end), profiles, running);
            } else if self.0.is_none() && !head_waits {
                self.0 = Reservation::new(job.clone(), profiles, running);
                head_waits = self.0.is_none();
                if head_waits {
                    at += 1;
                } else {
                    queue.remove(at);
                }
            } else {
                at += 1;
            }
        }
    }
}
